import type { Kysely, Selectable } from 'kysely'
import type { Json } from '@/core/engine/event'
import type { ArtifactRows } from '@/server/ports/artifacts'
import type { ApprovalInbox, ArtifactRow, AttemptRecords, StatisticsStore } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import type { SqlDialect } from './dialect'
import type { Tables } from './tables'

const LIST_MAX = 1_000

export function createSqlStatistics(db: Kysely<Tables>, tenantId: string): StatisticsStore {
  return {
    async ofPipeline(pipelineId) {
      const rows = await db
        .selectFrom('node_statistics')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('pipeline_id', '=', pipelineId)
        .orderBy('node_id')
        .execute()
      return rows.map((row) => ({
        pipelineId: row.pipeline_id,
        nodeId: row.node_id,
        completed: row.completed,
        failed: row.failed,
        durations: JSON.parse(row.durations) as number[],
      }))
    },
  }
}

/** The longest waiting comes first. */
export function createSqlApprovals(
  db: Kysely<Tables>,
  { unindexed }: SqlDialect,
  tenantId: string,
): ApprovalInbox {
  return {
    async pending({ cursor, executionId, ...range }) {
      const limit = requireLimit(range.limit, LIST_MAX)
      let query = db.selectFrom('approvals').selectAll().where('tenant_id', '=', tenantId)
      if (executionId !== undefined) query = query.where('execution_id', '=', executionId)
      if (cursor !== undefined) {
        const [at = 0, execution = '', node = ''] = readCursor(cursor, ['number', 'string', 'string'])
        query = query.where((it) =>
          it(
            it.refTuple('opened_at', 'execution_id', 'node_id'),
            '>',
            it.tuple(Number(at), String(execution), String(node)),
          ),
        )
      }
      const rows = await query
        // The index of this order holds the whole inbox; one execution has few rows.
        .orderBy(executionId === undefined ? 'opened_at' : unindexed<number>('opened_at'))
        .orderBy('execution_id')
        .orderBy('node_id')
        .limit(limit + 1)
        .execute()
      const items = rows.map((row) => ({
        executionId: row.execution_id,
        nodeId: row.node_id,
        pipelineId: row.pipeline_id,
        openedAt: row.opened_at,
        dueAt: row.due_at,
        request: JSON.parse(row.request) as Json,
      }))
      return pageOf(items, limit, (row) => [row.openedAt, row.executionId, row.nodeId])
    },
    async count() {
      const { count } = await db
        .selectFrom('approvals')
        .select((it) => it.fn.countAll<number>().as('count'))
        .where('tenant_id', '=', tenantId)
        .executeTakeFirstOrThrow()
      return count
    },
  }
}

export function createSqlAttemptRecords(db: Kysely<Tables>, tenantId: string): AttemptRecords {
  return {
    async refused({ executionId, nodeId, ...result }) {
      await db
        .insertInto('refused_results')
        .values({ tenant_id: tenantId, execution_id: executionId, node_id: nodeId, ...result })
        .execute()
    },
    async listRefused(executionId, nodeId) {
      const rows = await db
        .selectFrom('refused_results')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('execution_id', '=', requireExecutionId(executionId))
        .where('node_id', '=', nodeId)
        .orderBy('id')
        .limit(LIST_MAX)
        .execute()
      return rows.map((row) => ({
        executionId: row.execution_id,
        nodeId: row.node_id,
        generation: row.generation,
        attempt: row.attempt,
        item: row.item,
        token: row.token,
        reason: row.reason,
        at: row.at,
      }))
    },
  }
}

export function createSqlArtifactRows(db: Kysely<Tables>, tenantId: string): ArtifactRows {
  const ofTenant = db.selectFrom('artifacts').selectAll().where('tenant_id', '=', tenantId)
  return {
    async insert(row) {
      await db
        .insertInto('artifacts')
        .values({
          tenant_id: tenantId,
          execution_id: row.executionId,
          artifact_id: row.artifactId,
          node_id: row.nodeId,
          name: row.name,
          content_type: row.contentType,
          bytes: row.bytes,
          digest: row.digest,
          created_at: row.createdAt,
        })
        .onConflict((it) => it.columns(['execution_id', 'artifact_id']).doNothing())
        .execute()
    },
    async get(executionId, artifactId) {
      const row = await ofTenant
        .where('execution_id', '=', requireExecutionId(executionId))
        .where('artifact_id', '=', artifactId)
        .executeTakeFirst()
      return row === undefined ? null : artifactOf(row)
    },
    async list(executionId) {
      const rows = await ofTenant
        .where('execution_id', '=', requireExecutionId(executionId))
        .orderBy('created_at')
        .orderBy('artifact_id')
        .execute()
      return rows.map(artifactOf)
    },
    async isUsed(digest) {
      // Of any tenant: contents are files of one folder.
      const row = await db
        .selectFrom('artifacts')
        .select('digest')
        .where('digest', '=', digest)
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

function artifactOf(row: Selectable<Tables['artifacts']>): ArtifactRow {
  return {
    artifactId: row.artifact_id,
    executionId: row.execution_id,
    nodeId: row.node_id,
    name: row.name,
    contentType: row.content_type,
    bytes: row.bytes,
    digest: row.digest,
    createdAt: row.created_at,
  }
}
