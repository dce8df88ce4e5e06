import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

  it('a migration that fails is reported, and the next start refuses to go on over it', async () => {
    addMigration('20260101000000_first', 'CREATE TABLE thing (id INTEGER); SELECT broken;')
    const file = join(folder, 'test.db')
    await expect(applyMigrations(file, migrations)).rejects.toThrow(/20260101000000_first/)
    await expect(applyMigrations(file, migrations)).rejects.toThrow(/20260101000000_first/)
  })

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
