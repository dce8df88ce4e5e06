import type Database from 'better-sqlite3'
import type { Retention } from '@/server/ports/retention'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { compactSome } from './compaction'
import type { WriteQueue } from './write-queue'

/** One step removes so many rows of one table, or fewer when they are large: a commit waits for one step at most. */
const STEP_ROWS = 500
const STEP_BYTES = 4 * 1024 * 1024
const EXPIRED_MAX = 1_000

type Part = {
  readonly table: string
  /** What tells the rows of one execution apart. */
  readonly keys: string
  /** The column that may be large. */
  readonly large?: string
}

/** Everything that belongs to an execution beside its registry row, one line a table. Who adds a table adds its line. */
const PARTS: readonly Part[] = [
  { table: 'execution_labels', keys: 'tenant_id, key, value, created_at, execution_id' },
  { table: 'approvals', keys: 'node_id' },
  { table: 'idempotency', keys: 'scope, key', large: 'answer' },
  { table: 'events', keys: 'seq', large: 'payload' },
  { table: 'variables', keys: 'name, seq', large: 'value' },
  { table: 'log_lines', keys: 'node_id, n', large: 'text' },
  { table: 'refused_results', keys: 'node_id, id', large: 'reason' },
  { table: 'webhook_deliveries', keys: 'seq, webhook_id', large: 'last_error' },
  { table: 'artifacts', keys: 'artifact_id' },
  { table: 'run_profiles', keys: 'execution_id', large: 'profile' },
]

type Id = [tenantId: string, executionId: string]

/** Removal on SQLite. The digests of removed artifacts are noted in the same transaction, so that no content is forgotten. */
export function createSqliteRetention(
  db: Database.Database,
  queue: WriteQueue,
  tenantId: string,
  file: string,
): Retention {
  // Of a closed child whose parent is there only the parent is asked.
  const removable = `FROM executions e WHERE e.tenant_id = ? AND e.closed_at %
    AND NOT EXISTS (SELECT 1 FROM executions p WHERE p.tenant_id = e.tenant_id AND p.execution_id = e.parent_id)
    ORDER BY e.closed_at, e.execution_id`
  const expired = db
    .prepare<[string, number, number], string>(
      `SELECT e.execution_id ${removable.replace('%', 'BETWEEN 0 AND ?')} LIMIT ?`,
    )
    .pluck()
  const nextClosed = db
    .prepare<[string, number], number>(`SELECT e.closed_at ${removable.replace('%', '> ?')} LIMIT 1`)
    .pluck()
  const find = db.prepare<Id, { closed_at: number | null; parent: string | null }>(
    `SELECT e.closed_at, p.execution_id AS parent FROM executions e
     LEFT JOIN executions p ON p.tenant_id = e.tenant_id AND p.execution_id = e.parent_id
     WHERE e.tenant_id = ? AND e.execution_id = ?`,
  )
  const hide = db.prepare<Id>('DELETE FROM executions WHERE tenant_id = ? AND execution_id = ?')
  // Without its last event no write that was decided before finds the seq that it goes on from.
  const breakOff = db.prepare<[...Id, ...Id]>(
    `DELETE FROM events WHERE tenant_id = ? AND execution_id = ?
     AND seq = (SELECT max(seq) FROM events WHERE tenant_id = ? AND execution_id = ?)`,
  )
  const note = db.prepare<[string, string, string]>(
    'INSERT INTO removals (tenant_id, kind, id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const forget = db.prepare<[string, string, string]>(
    'DELETE FROM removals WHERE tenant_id = ? AND kind = ? AND id = ?',
  )
  const noted = db
    .prepare<[string, string, number], string>(
      'SELECT id FROM removals WHERE tenant_id = ? AND kind = ? ORDER BY id LIMIT ?',
    )
    .pluck()
  const closedChildren = db
    .prepare<[string, string, number], string>(
      `SELECT execution_id FROM executions WHERE tenant_id = ? AND parent_id = ? AND closed_at IS NOT NULL LIMIT ?`,
    )
    .pluck()
  const noteContents = db.prepare<[...Id, number]>(
    `INSERT INTO removals (tenant_id, kind, id)
     SELECT tenant_id, 'content', digest FROM artifacts
     WHERE tenant_id = ? AND execution_id = ? ORDER BY artifact_id LIMIT ? ON CONFLICT DO NOTHING`,
  )
  const parts = PARTS.map((part) => ({
    table: part.table,
    remove: db.prepare<{ tenant: string; execution: string }>(removeSome(part)),
  }))

  function take(executionId: string): void {
    hide.run(tenantId, executionId)
    breakOff.run(tenantId, executionId, tenantId, executionId)
    note.run(tenantId, 'execution', executionId)
  }

  const begin = db.transaction((executionId: string, evenOpen: boolean) => {
    const row = find.get(tenantId, executionId)
    if (row === undefined) return 'missing'
    if (row.parent !== null) return 'child'
    if (row.closed_at === null && !evenOpen) return 'open'
    take(executionId)
    return 'begun'
  })

  const step = db.transaction((): readonly string[] | null => {
    const [executionId] = noted.all(tenantId, 'execution', 1)
    if (executionId === undefined) return null
    const children = closedChildren.all(tenantId, executionId, STEP_ROWS)
    for (const child of children) take(child)
    if (children.length > 0) return children
    for (const { table, remove } of parts) {
      if (table === 'artifacts') noteContents.run(tenantId, executionId, STEP_ROWS)
      if (remove.run({ tenant: tenantId, execution: executionId }).changes > 0) return []
    }
    forget.run(tenantId, 'execution', executionId)
    return []
  })

  return {
    async expired(closedBy, limit) {
      return expired.all(tenantId, closedBy, requireLimit(limit, EXPIRED_MAX))
    },
    async nextClosedAt(closedAfter) {
      return nextClosed.get(tenantId, closedAfter) ?? null
    },
    async begin(executionId, { evenOpen } = { evenOpen: false }) {
      requireExecutionId(executionId)
      return queue.run(() => begin.immediate(executionId, evenOpen))
    },
    async abandon(executionId) {
      requireExecutionId(executionId)
      await queue.run(() => {
        if (find.get(tenantId, executionId) === undefined) note.run(tenantId, 'execution', executionId)
      })
    },
    compact: () => queue.run(() => compactSome(db, file)),
    step: () => queue.run(() => step.immediate()),
    async unusedContents(limit) {
      return noted.all(tenantId, 'content', requireLimit(limit, EXPIRED_MAX))
    },
    async settleContent(digest) {
      await queue.run(() => forget.run(tenantId, 'content', digest))
    },
  }
}

/**
 * Removes the first rows of an execution in a table: at most STEP_ROWS, and at least one however large it is. The plus keeps
 * SQLite from an index that begins with the tenant.
 */
function removeSome({ table, keys, large }: Part): string {
  const size = large === undefined ? '0' : `coalesce(octet_length(${large}), 0)`
  return `DELETE FROM ${table} WHERE +tenant_id = @tenant AND execution_id = @execution AND (${keys}) IN (
    SELECT ${keys} FROM (
      SELECT ${keys}, sum(${size}) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) - ${size} AS before
      FROM ${table} WHERE tenant_id = @tenant AND execution_id = @execution ORDER BY ${keys} LIMIT ${STEP_ROWS}
    ) WHERE before < ${STEP_BYTES})`
}
