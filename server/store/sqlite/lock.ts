import Database from 'better-sqlite3'
import { makePrivateFile } from '@/server/store/private-files'
import { StoreError } from '@/server/store/store-error'

/**
 * Locks `file` by an exclusive SQLite transaction. The system releases it with the process, however that ends, so there
 * is no stale lock to clear after a crash.
 * @returns the way to let go
 * @throws StoreError `data_folder_locked` when another server has locked it
 */
export function acquireLock(file: string, folder: string): () => void {
  makePrivateFile(file)
  const db = new Database(file, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!isBusy(error)) throw error
    throw new StoreError(
      'data_folder_locked',
      `Another server is using the data folder ${folder}. Stop it, or give this one a folder of its own (PENSTOCK_DATA_DIR).`,
      { cause: error },
    )
  }
  return () => db.close()
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
