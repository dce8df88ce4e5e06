import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildModule } from '@/testing/build-module'
import { applyMigrations, pendingMigration } from './migrate'

const root = resolve(import.meta.dirname, '../..')

describe('migrations', () => {
  let folder = ''
  let migrations = ''

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-migrate-'))
    migrations = join(folder, 'migrations')
    mkdirSync(migrations)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  function addMigration(name: string, sql: string): void {
    mkdirSync(join(migrations, name), { recursive: true })
    writeFileSync(join(migrations, name, 'migration.sql'), sql)
  }

  function writeSchema(fields: string): string {
    const file = join(folder, 'schema.prisma')
    writeFileSync(
      file,
      `datasource db {\n provider = "sqlite"\n}\nmodel thing {\n id Int @id\n ${fields}\n}\n`,
    )
    return file
  }

  function query(sql: string): unknown[] {
    const database = new Database(join(folder, 'test.db'), { readonly: true })
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }

  it('[R-92] make the owner, who holds every role, and hold one handle for one person', async () => {
    const file = join(folder, 'test.db')
    await applyMigrations(file, join(root, 'prisma/migrations'))
    const owners = query('SELECT id, tenant_id, name, roles FROM user')
    expect(owners).toEqual([
      {
        id: expect.stringMatching(/^usr_[0-9a-f]{32}$/),
        tenant_id: 'default',
        name: 'owner',
        roles: 'viewer,operator,approver,editor,admin',
      },
    ])
    const database = new Database(file)
    try {
      const add = database.prepare(
        "INSERT INTO user (id, tenant_id, name, email, updated_at) VALUES (?, ?, ?, ?, '2026-01-01')",
      )
      add.run('usr_1', 'default', 'ada', 'ada@example.org')
      expect(() => add.run('usr_2', 'default', 'ada', 'other@example.org')).toThrow('UNIQUE')
      add.run('usr_3', 'another', 'ada', 'third@example.org')
      // Nobody has a role unless somebody gave it.
      expect(database.prepare("SELECT roles FROM user WHERE name = 'ada'").pluck().all()).toEqual(['', ''])
    } finally {
      database.close()
    }
  })

  it('are applied once, oldest first, and recorded as Prisma records them', async () => {
    addMigration(
      '20260102000000_second',
      'ALTER TABLE thing ADD COLUMN name TEXT; CREATE INDEX thing_name ON thing (name);',
    )
    addMigration('20260101000000_first', 'CREATE TABLE thing (id INTEGER NOT NULL PRIMARY KEY);')
    const file = join(folder, 'test.db')

    expect(await applyMigrations(file, migrations)).toEqual(['20260101000000_first', '20260102000000_second'])
    expect(await applyMigrations(file, migrations)).toEqual([])
    expect(query("SELECT name FROM pragma_table_info('thing')")).toEqual([{ name: 'id' }, { name: 'name' }])
    expect(
      query('SELECT migration_name, applied_steps_count FROM _prisma_migrations ORDER BY started_at'),
    ).toEqual([
      { migration_name: '20260101000000_first', applied_steps_count: 1 },
      { migration_name: '20260102000000_second', applied_steps_count: 1 },
    ])

    addMigration('20260103000000_third', 'CREATE TABLE other (id INTEGER NOT NULL PRIMARY KEY);')
    expect(await applyMigrations(file, migrations)).toEqual(['20260103000000_third'])
  })

  it('a migration that fails is reported and leaves nothing: mended, it is applied', async () => {
    addMigration('20260101000000_first', 'CREATE TABLE thing (id INTEGER);')
    addMigration('20260102000000_second', 'CREATE TABLE other (id INTEGER); SELECT broken;')
    const file = join(folder, 'test.db')
    await expect(applyMigrations(file, migrations)).rejects.toThrow(/20260102000000_second/)
    await expect(applyMigrations(file, migrations)).rejects.toThrow(/20260102000000_second/)
    expect(query('SELECT name FROM sqlite_schema')).toEqual([])
    addMigration('20260102000000_second', 'CREATE TABLE other (id INTEGER);')
    expect(await applyMigrations(file, migrations)).toHaveLength(2)
  })

  it('[T4] a process that is killed between any two statements leaves nothing behind', async () => {
    addMigration(
      '20260101000000_first',
      'CREATE TABLE thing (id INTEGER);\nCREATE TABLE other (id INTEGER);\n',
    )
    addMigration('20260102000000_second', 'DROP TABLE other;\nCREATE INDEX thing_id ON thing (id);\n')
    const program = await buildModule(
      join(root, 'node_modules/.cache/penstock'),
      `import { applyMigrations } from '@/server/store/migrate'
       await applyMigrations(process.argv[2]!, process.argv[3]!)`,
    )
    const file = join(folder, 'test.db')
    const ends: unknown[] = []
    for (let statement = 1; ends.at(-1) !== 0; statement += 1) {
      for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${end}`, { force: true })
      const child = spawnSync(
        process.execPath,
        ['--import', join(root, 'testing/failpoint.mjs'), fileURLToPath(program), file, migrations],
        { cwd: root, env: { ...process.env, FAILPOINT: `statement:${statement}` } },
      )
      ends.push(child.signal ?? child.status)
      // None of them was applied, or behind the commit all.
      expect([0, 2]).toContain((await applyMigrations(file, migrations)).length)
      expect(query("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")).toHaveLength(1)
    }
    rmSync(program)
    // Four statements of migrations, and those that open the transaction, keep the record and commit.
    expect(ends.filter((end) => end === 'SIGKILL').length).toBeGreaterThan(6)
  }, 60_000)

  it('the difference between the migrations and a schema is SQL that, once applied, leaves none', async () => {
    const schema = writeSchema('name String?')
    const first = await pendingMigration(schema, migrations)
    expect(first).toContain('CREATE TABLE "thing"')
    addMigration('20260101000000_first', first ?? '')
    expect(await pendingMigration(schema, migrations)).toBeUndefined()

    writeSchema('name String?\n size Int @default(0)')
    const second = await pendingMigration(schema, migrations)
    expect(second).toContain('"size"')
    addMigration('20260102000000_second', second ?? '')
    expect(await pendingMigration(schema, migrations)).toBeUndefined()
    expect(await applyMigrations(join(folder, 'test.db'), migrations)).toHaveLength(2)
  })

  it('all migrations of the product, applied to an empty file, build its schema', async () => {
    expect(
      await pendingMigration(join(root, 'prisma/schema.prisma'), join(root, 'prisma/migrations')),
    ).toBeUndefined()
    const applied = await applyMigrations(join(folder, 'test.db'), join(root, 'prisma/migrations'))
    expect(applied.length).toBeGreaterThan(0)
  })
})
