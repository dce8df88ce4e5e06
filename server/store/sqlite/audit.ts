import type { Json } from '@/core/engine/event'
import type { PrismaClient } from '@/generated/prisma/client'
import type { AuditLog } from '@/server/ports/audit'
import { requireLimit } from '@/server/store/bounds'
import type { WriteQueue } from './write-queue'

const READ_MAX = 1_000

export function createSqliteAudit(prisma: PrismaClient, queue: WriteQueue, tenantId: string): AuditLog {
  return {
    async append(record) {
      const data = { ...record, tenantId, at: BigInt(record.at), result: JSON.stringify(record.result) }
      await queue.run(() => prisma.audit.create({ data }))
    },
    async read({ after = 0, limit }) {
      const rows = await prisma.audit.findMany({
        where: { tenantId },
        orderBy: { id: 'asc' },
        omit: { id: true, tenantId: true },
        skip: after,
        take: requireLimit(limit, READ_MAX),
      })
      return rows.map((row) => ({ ...row, at: Number(row.at), result: JSON.parse(row.result) as Json }))
    },
  }
}
