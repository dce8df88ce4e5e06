import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CamelCasePlugin } from 'kysely'
import type { Kysely } from 'kysely'
import { databaseFile } from './database-file'
import { applyMigrations } from './migrate'
import { createSqlRetention } from './sql/retention'
import { createSqlStores } from './sql/stores'
import { compactSome, prepareCompaction, usedBytes } from './sqlite/compaction'
import { connectSqlite, sqliteWords } from './sqlite/dialect'
import { createSqliteJournal } from './sqlite/journal'
import { makeFolderPrivate, makePrivateFile } from './private-files'
import { acquireLock } from './sqlite/lock'
import { libraryVersion, openDatabase, probeWrite, requireVersion } from './sqlite/open'
import type { Tables } from './sql/tables'
import type { Store } from './store'
import { StoreError } from './store-error'

export type StoreOptions = {
  /** Folder of the database, created when absent. One server works on it at a time. */
  readonly dataDir: string
  /** `file:` and a path, relative to the working directory; absent: `penstock.db` in the data folder. */
  readonly databaseUrl?: string
  readonly tenantId: string
  /** Folder of the migrations; absent: `prisma/migrations` of the working directory. */
  readonly migrationsDir?: string
}

export type SqliteStore = Store & {
  /**
   * For a library that brings its own queries (sign-in): it says `userId` where a column is named `user_id`. It gets no transactions:
   * one of them would hold up every commit for as long as the library computes.
   */
  readonly signInDatabase: {
    readonly db: Kysely<Tables>
    readonly type: 'sqlite'
    readonly transaction: false
  }
  /** What of the data folder other users can read, because it belongs to somebody else. */
  readonly readableByOthers: readonly string[]
  /** False when the file that is written is no longer the one that the next start would open. */
  readonly isSameFile: () => boolean
}

/**
 * Locks the data folder, brings the database up to date, opens it and proves with a write that it flushes.
 * @throws StoreError `data_folder_locked`, `unsupported_database_url`, `sqlite_too_old`, `synchronous_not_full`,
 *   `database_unreadable`, `database_missing`;
 *   the error of a failed migration or of the disk as it is
 */
export async function openStore(options: StoreOptions): Promise<SqliteStore> {
  const { tenantId } = options
  const dataDir = resolve(options.dataDir)
  const file = databaseFile(dataDir, options.databaseUrl)
  requireVersion(libraryVersion())
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const readableByOthers = makeFolderPrivate(dataDir)
  const unlock = lockAll(dataDir, file)
  try {
    refuseOrphanedLog(file)
    makePrivateFile(file)
    prepareCompaction(file)
    await applyMigrations(file, resolve(options.migrationsDir ?? 'prisma/migrations'))
    const connection = connectSqlite(openDatabase(file))
    const { raw, kysely, queue } = connection
    async function closeFile(): Promise<void> {
      await queue.close()
      raw.close()
    }
    const readiness = () => queue.run(() => probeWrite(raw, tenantId))
    try {
      await readiness()
    } catch (error) {
      await closeFile()
      throw error
    }
    const { ino } = statSync(file)
    return {
      ...createSqlStores(kysely, sqliteWords, tenantId),
      journal: createSqliteJournal(connection, tenantId),
      retention: {
        ...createSqlRetention(kysely, sqliteWords, tenantId),
        compact: () => queue.run(() => compactSome(raw, file)),
      },
      signInDatabase: { db: kysely.withPlugin(new CamelCasePlugin()), type: 'sqlite', transaction: false },
      readableByOthers,
      isSameFile: () => statSync(file, { throwIfNoEntry: false })?.ino === ino,
      readiness,
      size: async () => usedBytes(raw, file),
      async close() {
        await closeFile()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw unreadable(file, error)
  }
}

/** SQLite would throw the log away, and with it commits that were acknowledged. */
function refuseOrphanedLog(file: string): void {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (sizeOf(file) > 0 || sizeOf(`${file}-wal`) === 0) return
  throw new StoreError(
    'database_missing',
    `${file} is missing or empty, but its log ${file}-wal is there: put the database back beside it, or remove the log to begin with an empty one.`,
  )
}

function unreadable(file: string, error: unknown): unknown {
  const reason = /file is not a database|database disk image is malformed/.exec(String(error))?.[0]
  if (reason === undefined) return error
  return new StoreError(
    'database_unreadable',
    `${file} cannot be read (${reason}): restore it from a backup, or move it away with its -wal file to begin with an empty one.`,
    { cause: error },
  )
}

/** A database outside of the data folder has a lock of its own: two data folders must not share it. */
function lockAll(dataDir: string, file: string): () => void {
  const unlockFolder = acquireLock(join(dataDir, 'penstock.lock'), dataDir)
  if (dirname(file) === dataDir) return unlockFolder
  try {
    const unlockFile = acquireLock(`${file}.lock`, file)
    return () => {
      unlockFile()
      unlockFolder()
    }
  } catch (error) {
    unlockFolder()
    throw error
  }
}
