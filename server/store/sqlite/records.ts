import type { Json } from '@/core/engine/event'
import type { Artifact, PrismaClient } from '@/generated/prisma/client'
import type { ArtifactRows } from '@/server/ports/artifacts'
import type { ApprovalInbox, ArtifactRow, AttemptRecords, StatisticsStore } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import type { WriteQueue } from './write-queue'

const LIST_MAX = 1_000

export function createSqliteStatistics(prisma: PrismaClient, tenantId: string): StatisticsStore {
  return {
    async ofPipeline(pipelineId) {
      const rows = await prisma.nodeStatistics.findMany({
        where: { tenantId, pipelineId },
        orderBy: { nodeId: 'asc' },
      })
      return rows.map((row) => ({
        pipelineId: row.pipelineId,
        nodeId: row.nodeId,
        completed: row.completed,
        failed: row.failed,
        durations: JSON.parse(row.durations) as number[],
      }))
    },
  }
}

/** The longest waiting comes first. */
export function createSqliteApprovals(prisma: PrismaClient, tenantId: string): ApprovalInbox {
  return {
    async pending(range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const rows = await prisma.approval.findMany({
        where: {
          tenantId,
          ...(range.executionId === undefined ? {} : { executionId: range.executionId }),
          ...(range.cursor === undefined ? {} : afterCursor(range.cursor)),
        },
        orderBy: [{ openedAt: 'asc' }, { executionId: 'asc' }, { nodeId: 'asc' }],
        take: limit + 1,
      })
      const items = rows.map((row) => ({
        executionId: row.executionId,
        nodeId: row.nodeId,
        pipelineId: row.pipelineId,
        openedAt: Number(row.openedAt),
        dueAt: row.dueAt === null ? null : Number(row.dueAt),
        request: JSON.parse(row.request) as Json,
      }))
      return pageOf(items, limit, (row) => [row.openedAt, row.executionId, row.nodeId])
    },
    async count() {
      return prisma.approval.count({ where: { tenantId } })
    },
  }
}

function afterCursor(cursor: string) {
  const [at = 0, execution = '', node = ''] = decodeCursor(cursor, ['number', 'string', 'string'])
  const openedAt = BigInt(at)
  const executionId = String(execution)
  return {
    OR: [
      { openedAt: { gt: openedAt } },
      { openedAt, executionId: { gt: executionId } },
      { openedAt, executionId, nodeId: { gt: String(node) } },
    ],
  }
}

export function createSqliteAttemptRecords(
  prisma: PrismaClient,
  queue: WriteQueue,
  tenantId: string,
): AttemptRecords {
  return {
    async refused(result) {
      await queue.run(() =>
        prisma.refusedResult.create({ data: { tenantId, ...result, at: BigInt(result.at) } }),
      )
    },
    async listRefused(executionId, nodeId) {
      const rows = await prisma.refusedResult.findMany({
        where: { tenantId, executionId: requireExecutionId(executionId), nodeId },
        orderBy: { id: 'asc' },
        omit: { id: true, tenantId: true },
        take: LIST_MAX,
      })
      return rows.map((row) => ({ ...row, at: Number(row.at) }))
    },
  }
}

export function createSqliteArtifactRows(
  prisma: PrismaClient,
  queue: WriteQueue,
  tenantId: string,
): ArtifactRows {
  return {
    async insert(row) {
      const columns = { ...row, bytes: BigInt(row.bytes), createdAt: BigInt(row.createdAt) }
      const { executionId, artifactId } = row
      await queue.run(() =>
        prisma.artifact.upsert({
          where: { executionId_artifactId: { executionId, artifactId } },
          create: { tenantId, ...columns },
          update: {},
        }),
      )
    },
    async get(executionId, artifactId) {
      const row = await prisma.artifact.findFirst({
        where: { tenantId, executionId: requireExecutionId(executionId), artifactId },
      })
      return row === null ? null : artifactOf(row)
    },
    async list(executionId) {
      const rows = await prisma.artifact.findMany({
        where: { tenantId, executionId: requireExecutionId(executionId) },
        orderBy: [{ createdAt: 'asc' }, { artifactId: 'asc' }],
      })
      return rows.map(artifactOf)
    },
    async isUsed(digest) {
      // Of any tenant: contents are files of one folder.
      return (await prisma.artifact.findFirst({ where: { digest }, select: { digest: true } })) !== null
    },
  }
}

function artifactOf(row: Artifact): ArtifactRow {
  return {
    artifactId: row.artifactId,
    executionId: row.executionId,
    nodeId: row.nodeId,
    name: row.name,
    contentType: row.contentType,
    bytes: Number(row.bytes),
    digest: row.digest,
    createdAt: Number(row.createdAt),
  }
}
