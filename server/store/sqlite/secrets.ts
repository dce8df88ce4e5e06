import type { PrismaClient } from '@/generated/prisma/client'
import type { SecretRows } from '@/server/ports/secrets'
import type { WriteQueue } from './write-queue'

export function createSqliteSecretRows(
  prisma: PrismaClient,
  queue: WriteQueue,
  tenantId: string,
): SecretRows {
  return {
    async find(name) {
      const row = await prisma.secret.findUnique({ where: { tenantId_name: { tenantId, name } } })
      return row === null ? null : { ...rowOf(row), sealed: row.sealed }
    },
    async put({ name, sealed, updatedAt, updatedBy, updatedById }) {
      const changed = { sealed, updatedAt: BigInt(updatedAt), updatedBy, updatedById }
      await queue.run(() =>
        prisma.secret.upsert({
          where: { tenantId_name: { tenantId, name } },
          create: { tenantId, name, ...changed, createdAt: changed.updatedAt },
          update: changed,
        }),
      )
    },
    async list() {
      const rows = await prisma.secret.findMany({
        where: { tenantId },
        omit: { sealed: true },
        orderBy: { name: 'asc' },
      })
      return rows.map(rowOf)
    },
    async remove(name) {
      const { count } = await queue.run(() => prisma.secret.deleteMany({ where: { tenantId, name } }))
      return count === 1
    },
  }
}

function rowOf(row: {
  readonly name: string
  readonly createdAt: bigint
  readonly updatedAt: bigint
  readonly updatedBy: string
  readonly updatedById: string | null
}) {
  return {
    name: row.name,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    updatedBy: row.updatedBy,
    updatedById: row.updatedById,
  }
}
