import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { ExecutionRegistry } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import type { SqlDialect } from './dialect'
import { listExecutions } from './listed-executions'
import { prepare, type Parameter } from './prepared'
import { executionOf } from './rows'
import type { Tables } from './tables'

const LIST_MAX = 1_000
const SCAN_MAX = 10_000

/** The registry of executions: reads only, rows are written by commits. */
export function createSqlExecutions(
  db: Kysely<Tables>,
  dialect: SqlDialect,
  tenantId: string,
): ExecutionRegistry {
  const rows = db.selectFrom('executions').selectAll().where('tenant_id', '=', tenantId)
  const one = prepare((executionId: Parameter<string>) => rows.where('execution_id', '=', executionId))
  const open = prepare((after: Parameter<string>, limit: Parameter<number>) =>
    rows
      .where('closed_at', 'is', null)
      .where('execution_id', '>', after)
      .orderBy('execution_id')
      .limit(limit),
  )
  const due = prepare((now: Parameter<number>, limit: Parameter<number>) =>
    rows
      .where('closed_at', 'is', null)
      .where('next_wake_at', '<=', now)
      .orderBy('next_wake_at')
      .orderBy('execution_id')
      .limit(limit),
  )
  const openCount = prepare((pipelineId: Parameter<string>) =>
    db
      .selectFrom('executions')
      .select((it) => it.fn.countAll<number>().as('count'))
      .where('tenant_id', '=', tenantId)
      .where('pipeline_id', '=', pipelineId)
      .where('closed_at', 'is', null),
  )

  const forks = prepare((originId: Parameter<string>, limit: Parameter<number>) =>
    rows
      .where('origin_id', '=', originId)
      .orderBy('created_at', 'desc')
      .orderBy('execution_id', 'desc')
      .limit(limit),
  )

  return {
    async get(executionId) {
      const [record] = (await db.executeQuery(one(requireExecutionId(executionId)))).rows
      return record === undefined ? null : executionOf(record)
    },
    async list(filter) {
      requireLimit(filter.limit, LIST_MAX)
      return listExecutions({ db, dialect, tenantId }, filter)
    },
    async open(range) {
      const query = open(range.after ?? '', requireLimit(range.limit, SCAN_MAX))
      return (await db.executeQuery(query)).rows.map(executionOf)
    },
    async due(now, limit) {
      return (await db.executeQuery(due(now, requireLimit(limit, SCAN_MAX)))).rows.map(executionOf)
    },
    async countByStatus() {
      const counts = await db
        .selectFrom('executions')
        .select((it) => ['status', it.fn.countAll<number>().as('count')])
        .where('tenant_id', '=', tenantId)
        .groupBy('status')
        .execute()
      return Object.fromEntries(counts.map(({ status, count }) => [status, count]))
    },
    async closedSince(from, sliceMs) {
      return db
        .selectFrom('executions')
        .select((it) => [
          sql<number>`${it.ref('closed_at')} / cast(${sliceMs} as integer)`.as('slice'),
          'status',
          it.fn.countAll<number>().as('count'),
          sql<number>`sum(case when ${it.ref('handled_failures')} > 0 then 1 else 0 end)`.as('handled'),
        ])
        .where('tenant_id', '=', tenantId)
        .where('closed_at', '>=', from)
        .groupBy(['slice', 'status'])
        .orderBy('slice')
        .orderBy('status')
        .execute()
    },
    async openCountOf(pipelineId) {
      return (await db.executeQuery(openCount(pipelineId))).rows[0]?.count ?? 0
    },
    async forksOf(executionId, limit) {
      const query = forks(requireExecutionId(executionId), requireLimit(limit, LIST_MAX))
      return (await db.executeQuery(query)).rows.map(executionOf)
    },
  }
}
