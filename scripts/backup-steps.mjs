// What backup and restore share: the server's own module, bundled because Node cannot read TypeScript, and the place of the data.
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from './bundle.mjs'

export const root = resolve(import.meta.dirname, '..')

/** @returns {Promise<typeof import('../server/store/backup')>} */
export async function bundled() {
  const outfile = join(root, 'node_modules/.cache/penstock/backup.mjs')
  await build({ ...bundleOptions, entryPoints: [join(root, 'server/store/backup.ts')], outfile })
  return import(pathToFileURL(outfile).href)
}

export function place() {
  const { PENSTOCK_DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = process.env
  return { dataDir: dataDir || './data', ...(databaseUrl ? { databaseUrl } : {}) }
}

/** What is refused is told in one line. @param {() => Promise<void>} work */
export async function told(work) {
  try {
    await work()
  } catch (error) {
    console.error(error instanceof Error && error.name === 'StoreError' ? error.message : error)
    process.exitCode = 1
  }
}
