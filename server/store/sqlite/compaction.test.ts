import { statSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { disposable, removeFolder, rowOf, temporaryFolder, writeOf } from '@/server/store/contract-fixtures'
import { openStore } from '@/server/store/open'

let dataDir = ''
let file = ''
beforeEach(() => {
  dataDir = temporaryFolder()
  file = join(dataDir, 'penstock.db')
})
afterEach(() => removeFolder(dataDir))

const vacuumMode = () => {
  const db = new Database(file, { readonly: true })
  const mode = db.pragma('auto_vacuum', { simple: true })
  db.close()
  return mode
}

describe('compaction', () => {
  it('a new file, and a small one of an earlier version, can give room back in steps', async () => {
    await (await openStore({ dataDir, tenantId: 'default' })).close()
    expect(vacuumMode()).toBe(2)
    const db = new Database(file)
    db.exec('PRAGMA auto_vacuum=NONE; VACUUM')
    db.close()
    expect(vacuumMode()).toBe(0)
    await using store = disposable(await openStore({ dataDir, tenantId: 'default' }))
    expect(vacuumMode()).toBe(2)
    await store.readiness()
  })

  it('[N-17] [R-61] what a removed run had is free at once and given back to the disk in small steps', async () => {
    const store = await openStore({ dataDir, tenantId: 'default' })
    const empty = (await store.size()).databaseBytes
    const variables = [{ name: 'a.v', value: 'x'.repeat(900_000) }]
    for (let n = 0; n < 8; n += 1) {
      const write = {
        ...writeOf(`x${n}`, [{ type: 'a.completed', variables }]),
        row: rowOf(`x${n}`, { closedAt: 1 }),
      }
      await store.journal.commit({ executions: [write] })
    }
    expect((await store.size()).databaseBytes).toBeGreaterThan(7_000_000)
    for (let n = 0; n < 8; n += 1) await store.retention.begin(`x${n}`)
    while ((await store.retention.step()) !== null);
    expect((await store.size()).databaseBytes).toBeLessThan(empty + 200_000)
    let steps = 0
    while (await store.retention.compact()) steps += 1
    expect(steps).toBeGreaterThan(3)
    await store.close()
    expect(statSync(file).size).toBeLessThan(empty + 200_000)
  })
})
