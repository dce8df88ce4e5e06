import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeFolder, temporaryFolder } from '@/server/store/contract-fixtures'
import { openStore } from '@/server/store/open'
import { connectSqlite, type SqliteConnection } from './dialect'
import { openDatabase } from './open'

const tenant_id = 'default'
const failure = new Error('thought better of it')

let folder = ''
let connection: SqliteConnection
beforeEach(async () => {
  folder = temporaryFolder()
  await (await openStore({ dataDir: folder, tenantId: tenant_id })).close()
  connection = connectSqlite(openDatabase(join(folder, 'penstock.db')))
})
afterEach(() => {
  connection.raw.close()
  removeFolder(folder)
})

const setting = (key: string) => ({ tenant_id, key, value: 'v' })
const write = (key: string) => connection.kysely.insertInto('settings').values(setting(key)).execute()
async function keys(): Promise<string[]> {
  const rows = await connection.kysely
    .selectFrom('settings')
    .select('key')
    .where('key', '!=', 'write_probe')
    .orderBy('key')
    .execute()
  return rows.map(({ key }) => key)
}

describe('Kysely on the connection of the journal', () => {
  it('[R-4] a read beside an open transaction waits for its end, and sees nothing of one that is rolled back', async () => {
    const { kysely } = connection
    let seen: Promise<string[]> | undefined
    const failed = kysely.transaction().execute(async (tx) => {
      await tx.insertInto('settings').values(setting('a')).execute()
      seen = keys()
      expect(await tx.selectFrom('settings').select('key').where('key', '=', 'a').execute()).toHaveLength(1)
      throw failure
    })
    await expect(failed).rejects.toBe(failure)
    expect(await seen).toEqual([])

    await kysely.transaction().execute(async (tx) => {
      await tx.insertInto('settings').values(setting('b')).execute()
      seen = keys()
      await tx.insertInto('settings').values(setting('c')).execute()
    })
    expect(await seen).toEqual(['b', 'c'])
  })

  it('[R-3] a transaction keeps its turn from begin to end: commits and other writers come after it', async () => {
    const { kysely, queue } = connection
    const order: string[] = []
    let others: Promise<unknown>[] = []
    await kysely.transaction().execute(async (tx) => {
      order.push('begin')
      others = [
        queue.run(() => order.push('commit')),
        kysely.transaction().execute(async () => void order.push('another')),
        write('d').then(() => order.push('write')),
      ]
      for (const key of ['a', 'b', 'c']) await tx.insertInto('settings').values(setting(key)).execute()
      order.push('end')
    })
    await Promise.all(others)
    expect(order.slice(0, 3)).toEqual(['begin', 'end', 'commit'])
    expect(order.slice(3).sort()).toEqual(['another', 'write'])
    expect(await keys()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('a transaction is over before the next turn of the event loop: nobody waits for it longer', async () => {
    let over = false
    const transaction = connection.kysely.transaction().execute(async (tx) => {
      for (let n = 0; n < 200; n += 1)
        await tx
          .insertInto('settings')
          .values(setting(`k${n}`))
          .execute()
      over = true
    })
    await new Promise<void>((turn) => setImmediate(turn))
    expect(over).toBe(true)
    expect(connection.raw.inTransaction).toBe(false)
    await transaction
  })

  it('a commit that is refused leaves nothing behind, and the next writer goes on', async () => {
    const orphan = { id: 's', user_id: 'nobody', token: 't', expires_at: 'x', updated_at: 'x' }
    const refused = connection.kysely.transaction().execute(async (tx) => {
      // The key is looked at by COMMIT only.
      await sql`PRAGMA defer_foreign_keys=ON`.execute(tx)
      await tx.insertInto('settings').values(setting('a')).execute()
      const row = { ...orphan, ip_address: null, user_agent: null }
      await tx.insertInto('session').values(row).execute()
    })
    await expect(refused).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_FOREIGNKEY' })
    expect(connection.raw.inTransaction).toBe(false)
    await write('b')
    expect(await keys()).toEqual(['b'])
  })

  it('refuses writes and transactions once the queue is closed', async () => {
    await connection.queue.close()
    await expect(write('a')).rejects.toMatchObject({ code: 'store_closed' })
    const transaction = connection.kysely.transaction().execute(async () => 1)
    await expect(transaction).rejects.toMatchObject({ code: 'store_closed' })
    expect(await keys()).toEqual([])
  })

  it('goes on when more different statements came than it prepares at a time', async () => {
    for (let n = 1; n <= 1_100; n += 1) {
      const { rows } = await sql<{ n: number }>`SELECT ${sql.lit(n)} AS n`.execute(connection.kysely)
      expect(rows).toEqual([{ n }])
    }
    await write('a')
    expect(await keys()).toEqual(['a'])
  })
})
