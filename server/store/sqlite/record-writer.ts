import type Database from 'better-sqlite3'
import { parseExactInstant } from '@/core/engine/instant'
import type { ExecutionWrite, NodeStatistics } from '@/server/ports/journal'
import { EXECUTION_COLUMNS, executionParameters } from '@/server/store/sql/rows'

/**
 * Writes what a batch says beside its entries: the row of the execution with its labels, idempotency keys, open approvals and
 * the pending webhook deliveries.
 */
export function createRecordWriter(db: Database.Database, tenantId: string): (write: ExecutionWrite) => void {
  const writeRow = createRowWriter(db, tenantId)
  const writeApprovals = createApprovalWriter(db, tenantId)
  const insertKey = db.prepare(
    'INSERT INTO idempotency (tenant_id, scope, key, request_digest, answer, execution_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  // A webhook that was deleted after the batch was decided gets no delivery.
  const owe = db.prepare(
    `INSERT INTO webhook_deliveries (tenant_id, execution_id, seq, webhook_id, event_type, status, attempts, next_at, created_at)
     SELECT tenant_id, @executionId, @seq, webhook_id, @type, 'pending', 0, @at, @at FROM webhooks
     WHERE tenant_id = @tenantId AND webhook_id = @webhookId`,
  )
  return (write) => {
    const { executionId } = write
    writeRow(write)
    for (const record of write.idempotency ?? []) {
      insertKey.run(
        tenantId,
        record.scope,
        record.key,
        record.requestDigest,
        JSON.stringify(record.answer),
        executionId,
      )
    }
    writeApprovals(write)
    for (const { webhookId, event } of write.deliveries ?? []) {
      const at = parseExactInstant(event.timestamp)
      owe.run({ tenantId, executionId, webhookId, seq: event.seq, type: event.type, at })
    }
  }
}

function createRowWriter(db: Database.Database, tenantId: string): (write: ExecutionWrite) => void {
  // What an execution is born with (pipeline, labels, requester, parent, creation) stays: only what a run changes is written again.
  const upsertRow = db.prepare(
    `INSERT INTO executions (tenant_id, ${EXECUTION_COLUMNS}) VALUES (?, ${EXECUTION_COLUMNS.replace(/\w+/g, '?')})
     ON CONFLICT (execution_id) DO UPDATE SET revision = excluded.revision, status = excluded.status,
       lifecycle = excluded.lifecycle, priority = excluded.priority, started_at = excluded.started_at,
       finished_at = excluded.finished_at, closed_at = excluded.closed_at, next_wake_at = excluded.next_wake_at,
       error = excluded.error, handled_failures = excluded.handled_failures, waiting_for = excluded.waiting_for,
       search_text = excluded.search_text
     WHERE tenant_id = excluded.tenant_id`,
  )
  const insertLabel = db.prepare(
    `INSERT INTO execution_labels (tenant_id, key, value, created_at, execution_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  return ({ executionId, expectedSeq, row }) => {
    if (row === undefined) return
    upsertRow.run(tenantId, ...executionParameters(row))
    if (expectedSeq > 0) return
    for (const [key, value] of Object.entries(row.labels)) {
      insertLabel.run(tenantId, key, value, row.createdAt, executionId)
    }
  }
}

function createApprovalWriter(db: Database.Database, tenantId: string): (write: ExecutionWrite) => void {
  const open = db.prepare(
    `INSERT INTO approvals (tenant_id, execution_id, node_id, pipeline_id, opened_at, due_at, request)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (execution_id, node_id) DO UPDATE SET opened_at = excluded.opened_at, due_at = excluded.due_at,
       request = excluded.request
     WHERE tenant_id = excluded.tenant_id`,
  )
  const close = db.prepare('DELETE FROM approvals WHERE tenant_id = ? AND execution_id = ? AND node_id = ?')
  return ({ executionId, approvalsOpened, approvalsClosed }) => {
    for (const it of approvalsOpened ?? []) {
      open.run(
        tenantId,
        executionId,
        it.nodeId,
        it.pipelineId,
        it.openedAt,
        it.dueAt,
        JSON.stringify(it.request),
      )
    }
    for (const nodeId of approvalsClosed ?? []) close.run(tenantId, executionId, nodeId)
  }
}

export function createStatisticsWriter(
  db: Database.Database,
  tenantId: string,
): (statistics: NodeStatistics) => void {
  const upsert = db.prepare(
    `INSERT INTO node_statistics (tenant_id, pipeline_id, node_id, completed, failed, durations) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, pipeline_id, node_id) DO UPDATE SET completed = excluded.completed, failed = excluded.failed,
       durations = excluded.durations`,
  )
  return ({ pipelineId, nodeId, completed, failed, durations }) =>
    void upsert.run(tenantId, pipelineId, nodeId, completed, failed, JSON.stringify(durations))
}
