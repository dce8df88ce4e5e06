import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildDurabilityChild } from '@/testing/build-module'
import { disposable, removeFolder, rowOf, temporaryFolder, writeOf } from './contract-fixtures'
import { openStore } from './open'
import { createSqlEventStore } from './sql/events'
import { createSqlVariableStore } from './sql/variables'
import { connectSqlite, sqliteWords } from './sqlite/dialect'
import { createSqliteJournal } from './sqlite/journal'
import { openDatabase, probeWrite, requireFullSync, requireVersion } from './sqlite/open'
import { createWriteQueue } from './sqlite/write-queue'

const root = resolve(import.meta.dirname, '../..')

let dataDir = ''
beforeEach(() => {
  dataDir = temporaryFolder()
})
afterEach(() => removeFolder(dataDir))

async function opened(tenantId = 'default') {
  return disposable(await openStore({ dataDir, tenantId }))
}

describe('durability on SQLite', () => {
  it(
    '[R-3] everything acknowledged before a kill is there after it, and the lock is free',
    { timeout: 60_000 },
    async () => {
      const outfile = await buildDurabilityChild()
      for (const enough of [1, 40, 400]) {
        removeFolder(dataDir)
        const child = spawn(process.execPath, [outfile, dataDir, join(root, 'prisma/migrations')], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let said = ''
        let killed = false
        for await (const chunk of child.stdout) {
          said += String(chunk)
          if (!killed && said.split('\n').length > enough) killed = child.kill('SIGKILL')
        }
        expect(killed).toBe(true)
        const acknowledged = Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
        expect(acknowledged).toBeGreaterThanOrEqual(enough)

        await using store = await opened()
        const entries = await store.journal.read('victim')
        expect(entries.length).toBeGreaterThanOrEqual(acknowledged)
        expect(entries.map(({ event }) => event.seq)).toEqual(entries.map((_, at) => at + 1))
        expect(entries.map(({ variables }) => variables)).toEqual(
          entries.map((_, at) => [{ name: 'a.seq', value: at + 1 }]),
        )
      }
      removeFolder(outfile)
    },
  )

  it('synchronous reads 2 after the first write, after reopening, and after a write by Kysely', async () => {
    await (await openStore({ dataDir, tenantId: 'default' })).close()
    const file = join(dataDir, 'penstock.db')
    for (let time = 0; time < 2; time += 1) {
      const db = openDatabase(file)
      probeWrite(db, 'default')
      expect(db.pragma('synchronous', { simple: true })).toBe(2)
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
      expect(db.pragma('foreign_keys', { simple: true })).toBe(1)
      const row = { tenant_id: 'default', key: `k${time}`, value: 'v' }
      await connectSqlite(db).kysely.insertInto('settings').values(row).execute()
      expect(() => requireFullSync(db)).not.toThrow()
      db.close()
    }
  })

  it('a connection that flushes less is found out', () => {
    const db = new Database(join(dataDir, 'other.db'))
    db.pragma('journal_mode=WAL')
    db.pragma('synchronous=NORMAL')
    expect(() => requireFullSync(db)).toThrow(expect.objectContaining({ code: 'synchronous_not_full' }))
    db.close()
  })

  it('refuses a library with the corruption bug and takes later ones', () => {
    for (const version of ['3.40.1', '3.51.2', '3.9.9', '2.99.99', 'x']) {
      expect(() => requireVersion(version)).toThrow(expect.objectContaining({ code: 'sqlite_too_old' }))
    }
    for (const version of ['3.51.3', '3.53.2', '3.100.0', '4.0.0']) requireVersion(version)
  })

  it('after a commit that the disk refused nothing is acknowledged any more', async () => {
    await (await openStore({ dataDir, tenantId: 'default' })).close()
    const db = openDatabase(join(dataDir, 'penstock.db'))
    const journal = createSqliteJournal(connectSqlite(db), 'default')
    await journal.commit({ executions: [writeOf('x1', ['a.started'])] })
    // The file may not grow any more: what a full disk does.
    const pages = Number(db.pragma('page_count', { simple: true }))
    db.pragma(`max_page_count=${pages}`)
    const payload = { text: 'x'.repeat(60_000) }
    const large = (id: string) => writeOf(id, [{ type: 'a.started', payload }])
    const refusal = { code: 'storage_failed', cause: expect.objectContaining({ code: 'SQLITE_FULL' }) }
    await expect(journal.commit({ executions: [large('x2'), large('x3')] })).rejects.toMatchObject(refusal)
    db.pragma('max_page_count=1000000')
    await expect(journal.commit({ executions: [writeOf('x4', ['a.started'])] })).rejects.toMatchObject(
      refusal,
    )
    expect((await journal.read('x1')).length).toBe(1)
    for (const id of ['x2', 'x3', 'x4']) expect(await journal.read(id)).toEqual([])
    db.close()
  })
})

describe('one server a data folder', () => {
  it('the second one is refused with the folder and the way out; after close the folder is free', async () => {
    const first = await openStore({ dataDir, tenantId: 'default' })
    const second = openStore({ dataDir, tenantId: 'default' })
    await expect(second).rejects.toMatchObject({ code: 'data_folder_locked' })
    await expect(second).rejects.toThrow(dataDir)
    await expect(second).rejects.toThrow('PENSTOCK_DATA_DIR')
    await first.close()
    await (await openStore({ dataDir, tenantId: 'default' })).close()
  })

  it('two data folders cannot share a database that lies elsewhere', async () => {
    const databaseUrl = `file:${join(dataDir, 'elsewhere', 'shared.db')}`
    const first = await openStore({ dataDir: join(dataDir, 'a'), databaseUrl, tenantId: 'default' })
    const second = openStore({ dataDir: join(dataDir, 'b'), databaseUrl, tenantId: 'default' })
    await expect(second).rejects.toMatchObject({ code: 'data_folder_locked' })
    await first.close()
    expect(existsSync(join(dataDir, 'elsewhere', 'shared.db'))).toBe(true)
    const third = await openStore({ dataDir: join(dataDir, 'b'), databaseUrl, tenantId: 'default' })
    await third.close()
  })

  it.each(['postgresql://localhost/x', 'file:', 'file://host/x', './x.db', 'file:x.db?mode=ro'])(
    'the database URL %s is refused',
    async (databaseUrl) => {
      const attempt = openStore({ dataDir, databaseUrl, tenantId: 'default' })
      await expect(attempt).rejects.toMatchObject({ code: 'unsupported_database_url' })
    },
  )
})

describe('the file', () => {
  it('[N-18] another tenant in the same file sees nothing and can neither append nor overwrite', async () => {
    await using store = await opened()
    const variables = [{ name: 'a.out', value: 'mine' }]
    await store.journal.commit({ executions: [writeOf('x1', [{ type: 'a.completed', variables }])] })
    const db = openDatabase(join(dataDir, 'penstock.db'))
    const connection = connectSqlite(db)
    const { kysely } = connection
    const journal = createSqliteJournal(connection, 'another')
    expect(await journal.read('x1')).toEqual([])
    expect(await createSqlEventStore(kysely, sqliteWords, 'another').has('x1', 'a.completed')).toBe(false)
    expect(await createSqlVariableStore(kysely, 'another').list('x1')).toEqual([])
    const taken = { ...writeOf('x1', ['evil.started']), row: rowOf('x1', { status: 'failed' }) }
    const fresh = writeOf('x9', ['a.started'])
    expect(await journal.commit({ executions: [taken, fresh] })).toEqual({ conflicts: ['x1'] })
    expect((await journal.read('x9')).length).toBe(1)
    expect((await store.journal.read('x1')).length).toBe(1)
    expect(await store.executions.get('x9')).toBeNull()
    expect((await store.executions.get('x1'))?.status).toBe('running')
    db.close()
  })

  it('every table carries the tenant, and every statement of the writer names it', async () => {
    await (await openStore({ dataDir, tenantId: 'default' })).close()
    const db = openDatabase(join(dataDir, 'penstock.db'))
    const without = db
      .prepare(
        `SELECT name FROM sqlite_master AS t WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name != '_prisma_migrations'
           AND NOT EXISTS (SELECT 1 FROM pragma_table_info(t.name) WHERE name = 'tenant_id')`,
      )
      .all()
    expect(without).toEqual([])
    db.close()
    // Those that Kysely builds are held to it where they run on both databases (sql/both-databases.test.ts).
    const source = readFileSync(join(import.meta.dirname, 'sqlite/journal-writer.ts'), 'utf8')
    const statements = source.match(/(?:SELECT [^`']*? FROM|DELETE FROM|INSERT INTO) [^`']*/g) ?? []
    expect(statements.length).toBeGreaterThan(5)
    // The bulk insert is put together of parts: its columns begin with the tenant.
    const unnamed = statements.filter((sql) => !sql.includes('tenant_id') && !sql.includes('${into}'))
    expect(unnamed).toEqual([])
  })

  it('answers its questions from keys and indexes, never by walking a table', async () => {
    await (await openStore({ dataDir, tenantId: 'default' })).close()
    const db = openDatabase(join(dataDir, 'penstock.db'))
    const events = 'SELECT seq FROM events WHERE tenant_id = ? AND execution_id = ?'
    const rows = 'SELECT execution_id FROM executions WHERE tenant_id = ?'
    const newest = 'ORDER BY created_at DESC, execution_id DESC LIMIT 50'
    for (const sql of [
      `${events} ORDER BY seq DESC LIMIT 1`,
      `${events} AND type = ? ORDER BY seq DESC LIMIT 1`,
      `${events} AND seq > 5 ORDER BY seq LIMIT 100`,
      'SELECT value FROM variables WHERE tenant_id = ? AND execution_id = ? AND name = ? ORDER BY seq DESC LIMIT 1',
      `${rows} ${newest}`,
      `${rows} AND status = ? ${newest}`,
      `${rows} AND pipeline_id = ? AND (created_at, execution_id) < (?, ?) ${newest}`,
      `${rows} AND closed_at IS NULL AND execution_id > ? ORDER BY execution_id LIMIT 9`,
      `${rows} AND closed_at IS NULL AND next_wake_at <= ? ORDER BY next_wake_at LIMIT 9`,
      `${rows} AND pipeline_id = ? AND closed_at IS NULL`,
      `${rows} AND pipeline_id = ? AND closed_at IS NOT NULL ORDER BY closed_at DESC, execution_id DESC LIMIT 50`,
      'SELECT execution_id FROM execution_labels WHERE tenant_id = ? AND key = ? AND value = ? ORDER BY created_at DESC, execution_id DESC LIMIT 9',
    ]) {
      const plan = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      const steps = plan.all(...(sql.match(/\?/g) ?? []).map(() => 'x')).map(({ detail }) => detail)
      expect(steps.join('; '), sql).toMatch(/^SEARCH [^;]*$/)
    }
    const counted = db.prepare<unknown[], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT closed_at / 3600000 AS slice, status, count(*) FROM executions
       WHERE tenant_id = ? AND closed_at >= ? GROUP BY slice, status ORDER BY slice, status`,
    )
    expect(counted.all('x', 1)[0]!.detail).toMatch(/^SEARCH executions USING COVERING INDEX/)
    db.close()
  })
})

describe('the write queue', () => {
  it('runs one job at a time in order of arrival, over several turns, also after one that failed', async () => {
    const queue = createWriteQueue()
    const said: string[] = []
    const job = (name: string, fails = false) =>
      queue.run(async () => {
        said.push(`${name} begins`)
        await new Promise<void>((turn) => setImmediate(turn))
        said.push(`${name} ends`)
        if (fails) throw new Error(name)
        return name
      })
    const results = await Promise.allSettled([
      job('a'),
      job('b', true),
      queue.run(() => said.push('c')),
      job('d'),
    ])
    expect(said).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c', 'd begins', 'd ends'])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  })

  it('close lets what waits end and refuses what comes after', async () => {
    const queue = createWriteQueue()
    const said: string[] = []
    const slow = queue.run(async () => {
      await new Promise<void>((turn) => setImmediate(turn))
      said.push('slow')
    })
    const next = queue.run(() => said.push('next'))
    await queue.close()
    expect(said).toEqual(['slow', 'next'])
    await Promise.all([slow, next])
    await expect(queue.run(() => 1)).rejects.toMatchObject({ code: 'store_closed' })
  })

  it('commits, transactions of the stores and writes of a library go in together, each in its turn', async () => {
    await using store = await opened()
    const pipeline = (id: string) => ({
      name: id,
      description: null,
      labels: {},
      revision: {
        pipelineId: id,
        definition: {},
        text: null,
        digest: id,
        createdAt: 1,
        createdBy: 'ada',
        createdById: null,
      },
    })
    const jobs = Array.from({ length: 40 }, (_, at): Promise<unknown> => {
      if (at % 4 === 0) return store.pipelines.create(pipeline(`p${at}`))
      if (at % 4 === 1) {
        const user = {
          id: `u${at}`,
          name: `ada${at}`,
          email: `u${at}@example.org`,
          email_verified: false,
          updated_at: 'now',
        }
        return store.signInDatabase.db.insertInto('user').values(user).execute()
      }
      if (at % 4 === 2) return store.readiness()
      return store.journal.commit({ executions: [writeOf(`x${at}`, ['a.started'])] })
    })
    await Promise.all(jobs)
    expect((await store.pipelines.list({ limit: 100 })).items.length).toBe(10)
    const users = store.signInDatabase.db.selectFrom('user').select('id')
    // The migrations made the owner.
    expect(await users.where('name', '<>', 'owner').execute()).toHaveLength(10)
    expect((await store.executions.open({ limit: 100 })).length).toBe(10)
  })
})
