import { statSync } from 'node:fs'
import Database from 'better-sqlite3'

const INCREMENTAL = 2
/** Larger files are not written anew at a boot: they keep their free pages, which new rows fill again. */
const REWRITE_BYTES = 64 * 1024 * 1024
/** Pages that one step gives back to the disk. */
const STEP_PAGES = 256
/** A log larger than this is cut when there is nothing else to do. */
const LOG_BYTES = 64 * 1024 * 1024

/**
 * Free pages can be given back in small steps only when the file was made for it: a new one is, and one of an earlier
 * version is written anew once while it is small. Called before anybody else opens the file.
 */
export function prepareCompaction(file: string): void {
  const db = new Database(file)
  try {
    if (db.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) return
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > REWRITE_BYTES) return
    db.exec('PRAGMA synchronous=FULL; PRAGMA auto_vacuum=INCREMENTAL; VACUUM')
  } finally {
    db.close()
  }
}

/** Bytes of the pages that hold something, and of the log. */
export function usedBytes(db: Database.Database, file: string): { databaseBytes: number; walBytes: number } {
  const ask = (name: string) => Number(db.pragma(name, { simple: true }))
  return {
    databaseBytes: (ask('page_count') - ask('freelist_count')) * ask('page_size'),
    walBytes: logBytes(file),
  }
}

/** Gives a few free pages back, or cuts a large log. False when there is nothing to give back. */
export function compactSome(db: Database.Database, file: string): boolean {
  const free = () => Number(db.pragma('freelist_count', { simple: true }))
  const before = free()
  if (before > 0 && db.pragma('auto_vacuum', { simple: true }) === INCREMENTAL) {
    db.pragma(`incremental_vacuum(${STEP_PAGES})`)
    return free() < before
  }
  if (logBytes(file) > LOG_BYTES) db.pragma('wal_checkpoint(TRUNCATE)')
  return false
}

function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0
}
