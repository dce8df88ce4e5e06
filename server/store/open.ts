import { mkdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { databaseFile } from './database-file'
import { applyMigrations } from './migrate'
import { createSqliteAudit } from './sqlite/audit'
import { createSqliteDrafts } from './sqlite/drafts'
import { createSqliteEventStore } from './sqlite/events'
import { createSqliteExecutions } from './sqlite/executions'
import { createSqliteIdempotency } from './sqlite/idempotency'
import { createSqliteJournal } from './sqlite/journal'
import { acquireLock } from './sqlite/lock'
import { createSqliteLogs } from './sqlite/logs'
import { prepareCompaction, usedBytes } from './sqlite/compaction'
import { libraryVersion, openDatabase, probeWrite, requireVersion } from './sqlite/open'
import { createSqlitePipelines } from './sqlite/pipelines'
import { openPrisma, queuedPrisma, requireFullSyncOf } from './sqlite/prisma'
import type { QueuedPrisma } from './sqlite/prisma'
import {
  createSqliteApprovals,
  createSqliteArtifactRows,
  createSqliteAttemptRecords,
  createSqliteStatistics,
} from './sqlite/records'
import { createSqliteRetention } from './sqlite/retention'
import { createSqliteRunProfiles } from './sqlite/run-profiles'
import { createSqliteSchedules } from './sqlite/schedules'
import { createSqliteSecretRows } from './sqlite/secrets'
import { createSqliteVariableStore } from './sqlite/variables'
import { createSqliteWebhooks } from './sqlite/webhooks'
import { createWriteQueue } from './sqlite/write-queue'
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
  /** For libraries that bring their own queries (sign-in); its writes wait in the same queue as all others. */
  readonly prisma: QueuedPrisma
  /** False when the file that is written is no longer the one that the next start would open. */
  readonly inPlace: () => boolean
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
  const unlock = lockAll(dataDir, file)
  try {
    refuseOrphanedLog(file)
    prepareCompaction(file)
    await applyMigrations(file, resolve(options.migrationsDir ?? 'prisma/migrations'))
    const db = openDatabase(file)
    const prisma = openPrisma(file)
    const queue = createWriteQueue()
    async function closeFiles(): Promise<void> {
      await queue.close()
      await prisma.$disconnect()
      db.close()
    }
    const readiness = () => queue.run(() => probeWrite(db, tenantId))
    try {
      await readiness()
      await requireFullSyncOf(prisma)
    } catch (error) {
      await closeFiles()
      throw error
    }
    const { ino } = statSync(file)
    return {
      inPlace: () => statSync(file, { throwIfNoEntry: false })?.ino === ino,
      journal: createSqliteJournal(db, queue, tenantId),
      events: createSqliteEventStore(db, tenantId),
      variables: createSqliteVariableStore(db, tenantId),
      executions: createSqliteExecutions(db, tenantId),
      pipelines: createSqlitePipelines(db, prisma, queue, tenantId),
      statistics: createSqliteStatistics(prisma, tenantId),
      profiles: createSqliteRunProfiles(db, queue, tenantId),
      approvals: createSqliteApprovals(prisma, tenantId),
      idempotency: createSqliteIdempotency(db, queue, tenantId),
      logs: createSqliteLogs(db, queue, tenantId),
      attempts: createSqliteAttemptRecords(prisma, queue, tenantId),
      artifactRows: createSqliteArtifactRows(prisma, queue, tenantId),
      audit: createSqliteAudit(prisma, queue, tenantId),
      retention: createSqliteRetention(db, queue, tenantId, file),
      secretRows: createSqliteSecretRows(prisma, queue, tenantId),
      webhookRows: createSqliteWebhooks(db, prisma, queue, tenantId),
      schedules: createSqliteSchedules(prisma, queue, tenantId),
      drafts: createSqliteDrafts(prisma, queue, tenantId),
      prisma: queuedPrisma(prisma, queue),
      readiness,
      size: async () => usedBytes(db, file),
      async close() {
        await closeFiles()
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
