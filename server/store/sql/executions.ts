import { expressionBuilder, sql } from 'kysely'
import type { Expression, Kysely, SqlBool } from 'kysely'
import type { ExecutionRow } from '@/server/ports/journal'
import type { ExecutionFilter, ExecutionRegistry } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { prepare, type Parameter } from './prepared'
import { executionOf } from './rows'
import type { Tables } from './tables'

const LIST_MAX = 1_000
const SCAN_MAX = 10_000

/** The registry of executions: reads only, rows are written by commits. */
export function createSqlExecutions(db: Kysely<Tables>, tenantId: string): ExecutionRegistry {
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

  return {
    async get(executionId) {
      const [record] = (await db.executeQuery(one(requireExecutionId(executionId)))).rows
      return record === undefined ? null : executionOf(record)
    },
    async list(filter) {
      const limit = requireLimit(filter.limit, LIST_MAX)
      const statuses = [...new Set(filter.statuses ?? [])]
      const select = (status: string | null) => listed(db, tenantId, { ...filter, limit: limit + 1 }, status)
      // One range of an index for each status, then merged: `IN` would read and sort every row of those statuses.
      const found =
        statuses.length === 0
          ? await select(null)
          : (await Promise.all(statuses.map(select))).flat().sort(newestFirst)
      return pageOf(found, limit, (row) => [row.createdAt, row.executionId])
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
  }
}

function newestFirst(a: ExecutionRow, b: ExecutionRow): number {
  return b.createdAt - a.createdAt || (a.executionId < b.executionId ? 1 : -1)
}

async function listed(
  db: Kysely<Tables>,
  tenantId: string,
  filter: ExecutionFilter,
  status: string | null,
): Promise<ExecutionRow[]> {
  // By label the list walks the range of that label, which is in the same order; else an index of the registry.
  const { label, cursor } = filter
  const at = label === undefined ? 'e.created_at' : 'l.created_at'
  const id = label === undefined ? 'e.execution_id' : 'l.execution_id'
  const it = expressionBuilder<{ e: Tables['executions']; l: Tables['execution_labels'] }, 'e' | 'l'>()
  const conditions: Expression<SqlBool>[] = [it('e.tenant_id', '=', tenantId)]
  if (status !== null) conditions.push(it('e.status', '=', status))
  if (filter.handledFailures !== undefined)
    conditions.push(it('e.handled_failures', filter.handledFailures ? '>' : '=', 0))
  if (filter.mocked !== undefined) conditions.push(it('e.mocked', '=', filter.mocked))
  if (filter.pipelineId !== undefined) conditions.push(it('e.pipeline_id', '=', filter.pipelineId))
  if (filter.from !== undefined) conditions.push(it(at, '>=', filter.from))
  if (filter.to !== undefined) conditions.push(it(at, '<=', filter.to))
  if (cursor !== undefined) {
    const [createdAt = 0, executionId = ''] = readCursor(cursor, ['number', 'string'])
    conditions.push(it(it.refTuple(at, id), '<', it.tuple(Number(createdAt), String(executionId))))
  }
  const query =
    label === undefined
      ? db
          .selectFrom('executions as e')
          .selectAll('e')
          .where(it.and(conditions))
          .orderBy('e.created_at', 'desc')
          .orderBy('e.execution_id', 'desc')
      : db
          .selectFrom('execution_labels as l')
          .crossJoin('executions as e')
          .selectAll('e')
          .whereRef('e.execution_id', '=', 'l.execution_id')
          .where('l.tenant_id', '=', tenantId)
          .where('l.key', '=', label.key)
          .where('l.value', '=', label.value)
          .where(it.and(conditions))
          .orderBy('l.created_at', 'desc')
          .orderBy('l.execution_id', 'desc')
  return (await query.limit(filter.limit).execute()).map(executionOf)
}
