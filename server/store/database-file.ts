import { isAbsolute, join, resolve } from 'node:path'
import { StoreError } from './store-error'

/**
 * The path of the database: `file:` and a path, relative to the working directory, or `penstock.db` in the data folder.
 * @throws StoreError `unsupported_database_url`
 */
export function databaseFile(dataDir: string, url: string | undefined): string {
  if (url === undefined) return join(dataDir, 'penstock.db')
  const path = /^file:(?!\/\/)([^?#]+)$/.exec(url)?.[1]
  if (path === undefined) {
    throw new StoreError(
      'unsupported_database_url',
      'DATABASE_URL must be file: and a path, for example file:./data/penstock.db.',
    )
  }
  return isAbsolute(path) ? path : resolve(path)
}
