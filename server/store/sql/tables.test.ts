import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { removeFolder, temporaryFolder } from '@/server/store/contract-fixtures'
import { applyMigrations } from '@/server/store/migrate'
import { tableTypes } from '@/server/store/sqlite/table-types'

it('the types of the tables are those of the migrated database: else run npm run generate', async () => {
  const folder = temporaryFolder()
  try {
    const file = join(folder, 'tables.db')
    await applyMigrations(file, resolve('prisma/migrations'))
    expect(tableTypes(file)).toBe(readFileSync(join(import.meta.dirname, 'tables.ts'), 'utf8'))
  } finally {
    removeFolder(folder)
  }
})
