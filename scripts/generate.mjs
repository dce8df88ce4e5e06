// npm run generate: writes server/store/sql/tables.ts, the types of the tables that the migrations build.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './bundle.mjs'

const root = resolve(import.meta.dirname, '..')

/** A module of the server, for scripts: Node cannot read TypeScript, so it is bundled first. */
export async function serverModule(path) {
  const outfile = join(root, 'node_modules/.cache/penstock', `${path.replaceAll('/', '-')}.mjs`)
  await build({ ...bundleOptions, entryPoints: [join(root, `${path}.ts`)], outfile })
  return import(pathToFileURL(outfile).href)
}

export async function generate() {
  const { applyMigrations } = await serverModule('server/store/migrate')
  const { tableTypes } = await serverModule('server/store/sqlite/table-types')
  const folder = mkdtempSync(join(tmpdir(), 'penstock-tables-'))
  try {
    const file = join(folder, 'tables.db')
    await applyMigrations(file, join(root, 'prisma/migrations'))
    writeFileSync(join(root, 'server/store/sql/tables.ts'), tableTypes(file))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await generate()
