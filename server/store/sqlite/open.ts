import Database from 'better-sqlite3'
import { StoreError } from '@/server/store/store-error'

/** Older libraries can corrupt a file in WAL mode when two connections write or checkpoint. */
const OLDEST = [3, 51, 3] as const
const FULL = 2

/**
 * The settings of every connection to the file. `synchronous` comes last and by name: the library drops to NORMAL by itself in
 * WAL mode, which loses acknowledged commits at power loss, and no kill of a process would ever show it.
 */
export const CONNECTION_PRAGMAS = [
  'PRAGMA journal_mode=WAL',
  'PRAGMA foreign_keys=ON',
  // Nobody else writes (one queue, one lock): a short wait covers only somebody with a shell.
  'PRAGMA busy_timeout=500',
  'PRAGMA cache_size=-65536',
  'PRAGMA mmap_size=268435456',
  'PRAGMA temp_store=MEMORY',
  // After a burst the log file shrinks again at the next checkpoint.
  'PRAGMA journal_size_limit=67108864',
  'PRAGMA synchronous=FULL',
] as const

/**
 * Opens the one connection that writes the journal.
 * @throws StoreError `synchronous_not_full`
 */
export function openDatabase(file: string): Database.Database {
  const db = new Database(file)
  try {
    for (const pragma of CONNECTION_PRAGMAS) db.exec(pragma)
    requireFullSync(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Version of the SQLite library, as in "3.53.2". */
export function libraryVersion(): string {
  const db = new Database(':memory:')
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

/** @throws StoreError `sqlite_too_old` below 3.51.3 */
export function requireVersion(version: string): void {
  const found = version.split('.').map(Number)
  for (const [at, least] of OLDEST.entries()) {
    const part = found[at] ?? 0
    if (part > least) return
    if (part < least || Number.isNaN(part)) {
      throw new StoreError(
        'sqlite_too_old',
        `SQLite ${version} can corrupt the database; ${OLDEST.join('.')} or later is needed. Run npm ci to get it.`,
      )
    }
  }
}

/** Asks the connection whether a commit is on disk when it returns. @throws StoreError `synchronous_not_full` */
export function requireFullSync(db: Database.Database): void {
  const level = db.pragma('synchronous', { simple: true })
  if (level !== FULL) {
    throw new StoreError(
      'synchronous_not_full',
      `SQLite runs at synchronous=${String(level)}, not at FULL (2).`,
    )
  }
}

/**
 * Writes one row, durably, and asserts that it was flushed: the library reports the real `synchronous` only after a write.
 * @throws StoreError `synchronous_not_full`, or the error of the disk
 */
export function probeWrite(db: Database.Database, tenantId: string): void {
  db.prepare(
    `INSERT INTO settings (tenant_id, key, value) VALUES (?, 'write_probe', '1')
     ON CONFLICT (tenant_id, key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
  ).run(tenantId)
  requireFullSync(db)
}
