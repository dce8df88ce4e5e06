import type { Draft, PrismaClient } from '@/generated/prisma/client'
import { DRAFTS_MAX, type DraftRow, type DraftStore } from '@/server/ports/drafts'
import { requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import { draftVersion } from '@/server/store/draft-version'
import { PATIENCE } from './prisma'
import type { WriteQueue } from './write-queue'

const LIST_MAX = 1_000

export function createSqliteDrafts(prisma: PrismaClient, queue: WriteQueue, tenantId: string): DraftStore {
  const keyOf = (userName: string, pipelineId: string) => ({
    tenantId_userName_pipelineId: { tenantId, userName, pipelineId },
  })

  return {
    async get(user, pipelineId) {
      const row = await prisma.draft.findUnique({ where: keyOf(user, pipelineId) })
      return row === null ? null : { ...summaryOf(row), text: row.text }
    },
    async list(user, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : decodeCursor(range.cursor, ['string'])
      const rows = await prisma.draft.findMany({
        where: { tenantId, userName: user, pipelineId: { gt: String(after) } },
        omit: { text: true },
        orderBy: { pipelineId: 'asc' },
        take: limit + 1,
      })
      return pageOf(rows.map(summaryOf), limit, (row) => [row.pipelineId])
    },
    put({ user, pipelineId, baseRevision, text, format, updatedAt }, ifMatch) {
      const where = keyOf(user, pipelineId)
      return queue.run(() =>
        prisma.$transaction(async (tx) => {
          const before = await tx.draft.findUnique({ where, select: { version: true } })
          const seen = before === null ? null : Number(before.version)
          if ((seen ?? 0) !== ifMatch) return { stale: seen ?? 0 }
          if (
            seen === null &&
            (await tx.draft.count({ where: { tenantId, userName: user } })) >= DRAFTS_MAX
          ) {
            return 'full'
          }
          const version = draftVersion(seen, updatedAt)
          const columns = {
            baseRevision,
            text,
            format,
            version: BigInt(version),
            updatedAt: BigInt(updatedAt),
          }
          await tx.draft.upsert({
            where,
            create: { tenantId, userName: user, pipelineId, ...columns },
            update: columns,
          })
          return { version }
        }, PATIENCE),
      )
    },
    async remove(user, pipelineId, ifMatch) {
      const version = ifMatch === undefined ? {} : { version: BigInt(ifMatch) }
      const { count } = await queue.run(() =>
        prisma.draft.deleteMany({ where: { tenantId, userName: user, pipelineId, ...version } }),
      )
      return count === 1
    },
  }
}

function summaryOf(row: Omit<Draft, 'text'>): Omit<DraftRow, 'text'> {
  return {
    user: row.userName,
    pipelineId: row.pipelineId,
    baseRevision: row.baseRevision,
    format: row.format === 'json' ? 'json' : 'yaml',
    version: Number(row.version),
    updatedAt: Number(row.updatedAt),
  }
}
