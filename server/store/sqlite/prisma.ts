import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { PrismaClient } from '@/generated/prisma/client'
import { StoreError } from '@/server/store/store-error'
import { CONNECTION_PRAGMAS } from './open'
import type { WriteQueue } from './write-queue'

/** Of transactions, in milliseconds: Prisma's own five seconds would fail a save on a machine that is busy with something else. */
export const PATIENCE = { maxWait: 30_000, timeout: 30_000 }

/** Prisma's connection to the file, told the same as the journal's own. */
function adapterOf(file: string): SqlMigrationAwareDriverAdapterFactory {
  const inner = new PrismaBetterSqlite3({ url: `file:${file}` })
  return {
    provider: inner.provider,
    adapterName: inner.adapterName,
    connect: async () => prepared(await inner.connect()),
    connectToShadowDb: () => inner.connectToShadowDb(),
  }
}

async function prepared(connection: SqlDriverAdapter): Promise<SqlDriverAdapter> {
  for (const pragma of CONNECTION_PRAGMAS) await connection.executeScript(pragma)
  return connection
}

/** The client as Prisma makes it: whoever writes with it does so within a job of the write queue. */
export function openPrisma(file: string): PrismaClient {
  return new PrismaClient({ adapter: adapterOf(file) })
}

/** @throws StoreError `synchronous_not_full` when Prisma's connection would acknowledge before the disk does */
export async function requireFullSyncOf(prisma: PrismaClient): Promise<void> {
  const rows = await prisma.$queryRaw<{ synchronous: number | bigint }[]>`PRAGMA synchronous`
  const level = Number(rows[0]?.synchronous)
  if (level !== 2) throw new StoreError('synchronous_not_full', `Prisma runs at synchronous=${level}, not 2.`)
}

const READS = new Set([
  'findUnique',
  'findUniqueOrThrow',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'count',
  'aggregate',
  'groupBy',
])

/**
 * A client for libraries that know nothing of the write queue (sign-in): each of its writes is a job of the queue.
 * It has no `$transaction`: one that is open over several turns would hold the file while the journal waits for it.
 */
export function queuedPrisma(prisma: PrismaClient, queue: WriteQueue) {
  return prisma.$extends({
    client: {
      $transaction(): never {
        throw new Error('This client has no transactions: each write is a job of the write queue.')
      },
    },
    query: {
      $allOperations({ operation, args, query }) {
        return READS.has(operation) ? query(args) : queue.run(() => query(args))
      },
    },
  })
}

export type QueuedPrisma = ReturnType<typeof queuedPrisma>
