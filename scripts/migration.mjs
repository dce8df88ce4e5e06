// npm run migration -- NAME: writes prisma/migrations/TIME_NAME/migration.sql, the SQL from what the existing migrations
// build to what prisma/schema.prisma describes, and the table types that follow from it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { generate, serverModule } from './generate.mjs'

const root = resolve(import.meta.dirname, '..')
const migrations = join(root, 'prisma/migrations')
const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9_]{0,60}$/.test(name)) {
  console.error('usage: npm run migration -- name_in_small_letters')
  process.exit(2)
}

const { pendingMigration } = await serverModule('server/store/migrate')
mkdirSync(migrations, { recursive: true })
const sql = await pendingMigration(join(root, 'prisma/schema.prisma'), migrations)
if (sql === undefined) {
  console.log('the migrations already build what the schema describes')
} else {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const folder = join(migrations, `${time}_${name}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'migration.sql'), sql)
  await generate()
  console.log(`wrote prisma/migrations/${time}_${name}/migration.sql and server/store/sql/tables.ts`)
}
