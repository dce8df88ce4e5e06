import type { Draft, PrismaClient } from '@/generated/prisma/client'
import { DRAFTS_MAX, type DraftRow, type DraftStore } from '@/server/ports/drafts'
import { requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import { draftVersion } from '@/server/store/draft-version'
import { PATIENCE } from './prisma'
import type { WriteQueue } from './write-queue'

const LIST_MAX = 1_000

export function createSqliteDrafts(prisma: PrismaClient, queue: WriteQueue, tenantId: string): DraftStore {
  const keyOf = (userId: string, pipelineId: string) => ({
    tenantId_userId_pipelineId: { tenantId, userId, pipelineId },
  })

  return {
    async get(userId, pipelineId) {
      const row = await prisma.draft.findUnique({ where: keyOf(userId, pipelineId) })
      return row === null ? null : { ...summaryOf(row), text: row.text }
    },
    async list(userId, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : decodeCursor(range.cursor, ['string'])
      const rows = await prisma.draft.findMany({
        where: { tenantId, userId, pipelineId: { gt: String(after) } },
        omit: { text: true },
        orderBy: { pipelineId: 'asc' },
        take: limit + 1,
      })
      return pageOf(rows.map(summaryOf), limit, (row) => [row.pipelineId])
    },
    put({ userId, userName, pipelineId, baseRevision, text, format, updatedAt }, ifMatch) {
      const where = keyOf(userId, pipelineId)
      return queue.run(() =>
        prisma.$transaction(async (tx) => {
          const before = await tx.draft.findUnique({ where, select: { version: true } })
          const seen = before === null ? null : Number(before.version)
          if ((seen ?? 0) !== ifMatch) return { stale: seen ?? 0 }
          if (seen === null && (await tx.draft.count({ where: { tenantId, userId } })) >= DRAFTS_MAX) {
            return 'full'
          }
          const version = draftVersion(seen, updatedAt)
          const columns = {
            userName,
            baseRevision,
            text,
            format,
            version: BigInt(version),
            updatedAt: BigInt(updatedAt),
          }
          await tx.draft.upsert({
            where,
            create: { tenantId, userId, pipelineId, ...columns },
            update: columns,
          })
          return { version }
        }, PATIENCE),
      )
    },
    async remove(userId, pipelineId, ifMatch) {
      const version = ifMatch === undefined ? {} : { version: BigInt(ifMatch) }
      const { count } = await queue.run(() =>
        prisma.draft.deleteMany({ where: { tenantId, userId, pipelineId, ...version } }),
      )
      return count === 1
    },
  }
}

function summaryOf(row: Omit<Draft, 'text'>): Omit<DraftRow, 'text'> {
  return {
    userId: row.userId,
    userName: row.userName,
    pipelineId: row.pipelineId,
    baseRevision: row.baseRevision,
    format: row.format === 'json' ? 'json' : 'yaml',
    version: Number(row.version),
    updatedAt: Number(row.updatedAt),
  }
}
