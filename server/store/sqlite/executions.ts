import type Database from 'better-sqlite3'
import type { ExecutionRow } from '@/server/ports/journal'
import type { ClosedCount, ExecutionFilter, ExecutionRegistry } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import { EXECUTION_COLUMNS, executionOf } from './rows'
import type { ExecutionRecord, Parameter } from './rows'

const LIST_MAX = 1_000
const SCAN_MAX = 10_000

const COLUMNS = EXECUTION_COLUMNS.split(', ')
  .map((column) => `e.${column}`)
  .join(', ')

/** The registry of executions: reads only, rows are written by commits. */
export function createSqliteExecutions(db: Database.Database, tenantId: string): ExecutionRegistry {
  const get = db.prepare<[string, string], ExecutionRecord>(
    `SELECT ${COLUMNS} FROM executions e WHERE e.tenant_id = ? AND e.execution_id = ?`,
  )
  const open = db.prepare<Parameter[], ExecutionRecord>(
    `SELECT ${COLUMNS} FROM executions e WHERE e.tenant_id = ? AND e.closed_at IS NULL AND e.execution_id > ?
     ORDER BY e.execution_id LIMIT ?`,
  )
  const due = db.prepare<Parameter[], ExecutionRecord>(
    `SELECT ${COLUMNS} FROM executions e WHERE e.tenant_id = ? AND e.closed_at IS NULL AND e.next_wake_at <= ?
     ORDER BY e.next_wake_at, e.execution_id LIMIT ?`,
  )
  const counts = db.prepare<[string], { status: string; count: number }>(
    'SELECT status, count(*) AS count FROM executions WHERE tenant_id = ? GROUP BY status',
  )
  const closedCounts = db.prepare<Parameter[], ClosedCount>(
    `SELECT closed_at / CAST(? AS INTEGER) AS slice, status, count(*) AS count FROM executions
     WHERE tenant_id = ? AND closed_at >= ? GROUP BY slice, status ORDER BY slice, status`,
  )
  const openCount = db
    .prepare<[string, string], number>(
      'SELECT count(*) FROM executions WHERE tenant_id = ? AND pipeline_id = ? AND closed_at IS NULL',
    )
    .pluck()
  const lists = new Map<string, Database.Statement<Parameter[], ExecutionRecord>>()

  function select(filter: ExecutionFilter, status: string | null, limit: number): ExecutionRow[] {
    const { sql, parameters } = listQuery(tenantId, filter, status)
    const statement = lists.get(sql) ?? db.prepare<Parameter[], ExecutionRecord>(sql)
    lists.set(sql, statement)
    return statement.all(...parameters, limit).map(executionOf)
  }

  return {
    async get(executionId) {
      const record = get.get(tenantId, requireExecutionId(executionId))
      return record === undefined ? null : executionOf(record)
    },
    async list(filter) {
      const limit = requireLimit(filter.limit, LIST_MAX)
      const statuses = [...new Set(filter.statuses ?? [])]
      // One range of an index a status, then merged: `IN` would read and sort every row of those statuses.
      const rows =
        statuses.length === 0
          ? select(filter, null, limit + 1)
          : statuses.flatMap((status) => select(filter, status, limit + 1)).sort(newestFirst)
      return pageOf(rows, limit, (row) => [row.createdAt, row.executionId])
    },
    async open(range) {
      return open.all(tenantId, range.after ?? '', requireLimit(range.limit, SCAN_MAX)).map(executionOf)
    },
    async due(now, limit) {
      return due.all(tenantId, now, requireLimit(limit, SCAN_MAX)).map(executionOf)
    },
    async countByStatus() {
      return Object.fromEntries(counts.all(tenantId).map(({ status, count }) => [status, count]))
    },
    async closedSince(from, sliceMs) {
      return closedCounts.all(sliceMs, tenantId, from)
    },
    async openCountOf(pipelineId) {
      return openCount.get(tenantId, pipelineId) ?? 0
    },
  }
}

function newestFirst(a: ExecutionRow, b: ExecutionRow): number {
  return b.createdAt - a.createdAt || (a.executionId < b.executionId ? 1 : -1)
}

function listQuery(
  tenantId: string,
  filter: ExecutionFilter,
  status: string | null,
): { sql: string; parameters: Parameter[] } {
  const conditions = ['e.tenant_id = ?']
  const parameters: Parameter[] = [tenantId]
  const must = (condition: string, ...values: Parameter[]): void => {
    conditions.push(condition)
    parameters.push(...values)
  }
  // By label the list walks the range of that label (it is kept in the same order), else an index of the registry.
  const key = filter.label === undefined ? 'e' : 'l'
  if (filter.label !== undefined) {
    must('l.tenant_id = ? AND l.key = ? AND l.value = ?', tenantId, filter.label.key, filter.label.value)
  }
  if (status !== null) must('e.status = ?', status)
  if (filter.pipelineId !== undefined) must('e.pipeline_id = ?', filter.pipelineId)
  if (filter.from !== undefined) must(`${key}.created_at >= ?`, filter.from)
  if (filter.to !== undefined) must(`${key}.created_at <= ?`, filter.to)
  if (filter.cursor !== undefined) {
    const [createdAt = 0, executionId = ''] = decodeCursor(filter.cursor, ['number', 'string'])
    must(`(${key}.created_at, ${key}.execution_id) < (?, ?)`, createdAt, executionId)
  }
  const from =
    filter.label === undefined
      ? 'executions e'
      : 'execution_labels l CROSS JOIN executions e ON e.execution_id = l.execution_id'
  const sql = `SELECT ${COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
    ORDER BY ${key}.created_at DESC, ${key}.execution_id DESC LIMIT ?`
  return { sql, parameters }
}
