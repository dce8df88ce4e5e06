import type Database from 'better-sqlite3'
import type { Entry } from '@/core/engine/event'
import { parseExactInstant } from '@/core/engine/instant'
import type { Batch, CommitResult, ExecutionWrite, Ownership } from '@/server/ports/journal'
import { commitResult, isOwner } from '@/server/store/batch-check'
import {
  EVENT_COLUMNS,
  EVENT_WIDTH,
  EXECUTION_COLUMNS,
  executionParameters,
  pushEvent,
  pushVariable,
  VARIABLE_COLUMNS,
  VARIABLE_WIDTH,
} from '@/server/store/sql/rows'
import type { Parameter } from '@/server/store/sql/rows'

/**
 * Rows go in by twenties: one statement with twenty rows of parameters, the rest one by one. Measured with synchronous=FULL
 * and the index on (execution_id, type), rows/s in commits of 1 / 10 / 100 / 1,000 events:
 *   one by one         9,700 / 42,100 / 101,300 / 117,200
 *   json_each(?)       8,300 / 42,900 /  51,600 /  71,700
 *   twenty at a time   8,800 / 40,000 / 115,600 / 166,700
 */
const ROWS_AT_ONCE = 20

type BulkInsert = {
  /** Where the values of the next row go; call `added` after each row. */
  readonly row: Parameter[]
  added(): void
  /** Writes the rows that are left. Every use ends with it, or with `forget` when it failed. */
  flush(): void
  forget(): void
}

function bulkInsert(db: Database.Database, into: string, width: number): BulkInsert {
  const tuple = `(${Array(width).fill('?').join(', ')})`
  const one = db.prepare(`INSERT INTO ${into} VALUES ${tuple}`)
  const many = db.prepare(`INSERT INTO ${into} VALUES ${Array(ROWS_AT_ONCE).fill(tuple).join(', ')}`)
  const row: Parameter[] = []
  const forget = () => {
    row.length = 0
  }
  return {
    row,
    forget,
    added() {
      if (row.length < width * ROWS_AT_ONCE) return
      many.run(row)
      forget()
    },
    flush() {
      for (let at = 0; at < row.length; at += width) one.run(row.slice(at, at + width))
      forget()
    },
  }
}

/**
 * Writes batches in one transaction each, synchronously: when it returns, the batch is on disk but for the conflicts that
 * it answers. A conflict is an execution whose `expectedSeq` is not its last stored seq, one of whose idempotency keys is taken, or
 * whose writer is not the owner of the store.
 */
export function createJournalWriter(db: Database.Database, tenantId: string): (batch: Batch) => CommitResult {
  const events = bulkInsert(db, `events (${EVENT_COLUMNS})`, EVENT_WIDTH)
  const variables = bulkInsert(db, `variables (${VARIABLE_COLUMNS})`, VARIABLE_WIDTH)
  const lastSeq = db
    .prepare<[string, string], number>(
      'SELECT seq FROM events WHERE tenant_id = ? AND execution_id = ? ORDER BY seq DESC LIMIT 1',
    )
    .pluck()
  const readOwner = createOwnerReader(db, tenantId)
  const keyTaken = db
    .prepare('SELECT 1 FROM idempotency WHERE tenant_id = ? AND scope = ? AND key = ?')
    .pluck()
  const insertKey = db.prepare(
    'INSERT INTO idempotency (tenant_id, scope, key, request_digest, answer, execution_id) VALUES (?, ?, ?, ?, ?, ?)',
  )
  // What an execution is born with (pipeline, labels, requester, parent, creation) stays: only what a run changes is written again.
  const upsertRow = db.prepare(
    `INSERT INTO executions (tenant_id, ${EXECUTION_COLUMNS}) VALUES (${Array(18).fill('?').join(', ')})
     ON CONFLICT (execution_id) DO UPDATE SET revision = excluded.revision, status = excluded.status,
       lifecycle = excluded.lifecycle, priority = excluded.priority, started_at = excluded.started_at,
       finished_at = excluded.finished_at, closed_at = excluded.closed_at, next_wake_at = excluded.next_wake_at,
       error = excluded.error, waiting_for = excluded.waiting_for
     WHERE tenant_id = excluded.tenant_id`,
  )
  const insertLabel = db.prepare(
    `INSERT INTO execution_labels (tenant_id, key, value, created_at, execution_id) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  const openApproval = db.prepare(
    `INSERT INTO approvals (tenant_id, execution_id, node_id, pipeline_id, opened_at, due_at, request)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (execution_id, node_id) DO UPDATE SET opened_at = excluded.opened_at, due_at = excluded.due_at,
       request = excluded.request
     WHERE tenant_id = excluded.tenant_id`,
  )
  const closeApproval = db.prepare(
    'DELETE FROM approvals WHERE tenant_id = ? AND execution_id = ? AND node_id = ?',
  )
  // A webhook that was deleted after the batch was decided is owed nothing.
  const owe = db.prepare(
    `INSERT INTO webhook_deliveries (tenant_id, execution_id, seq, webhook_id, event_type, status, attempts, next_at, created_at)
     SELECT tenant_id, @executionId, @seq, webhook_id, @type, 'pending', 0, @at, @at FROM webhooks
     WHERE tenant_id = @tenantId AND webhook_id = @webhookId`,
  )
  const upsertStatistics = db.prepare(
    `INSERT INTO node_statistics (tenant_id, pipeline_id, node_id, completed, failed, durations) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (tenant_id, pipeline_id, node_id) DO UPDATE SET completed = excluded.completed, failed = excluded.failed,
       durations = excluded.durations`,
  )

  /** Those that may be written, in order; the same execution may come several times, each write going on where the last ended. */
  function fence(batch: Batch, conflicts: Set<string>, now: Ownership): ExecutionWrite[] {
    const ends = new Map<string, number>()
    const keys = new Set<string>()
    return batch.executions.filter((write) => {
      if (conflicts.has(write.executionId)) return false
      const stored = ends.get(write.executionId) ?? lastSeq.get(tenantId, write.executionId) ?? 0
      const records = write.idempotency ?? []
      const names = records.map((record) => JSON.stringify([record.scope, record.key]))
      const taken =
        names.some((name) => keys.has(name)) ||
        records.some((record) => keyTaken.get(tenantId, record.scope, record.key) !== undefined)
      if (stored !== write.expectedSeq || taken || !isOwner(now, write)) {
        conflicts.add(write.executionId)
        return false
      }
      for (const name of names) keys.add(name)
      ends.set(write.executionId, stored + write.entries.length)
      return true
    })
  }

  function insert(writes: readonly ExecutionWrite[]): void {
    try {
      for (const write of writes) {
        for (const entry of write.entries) insertEntry(entry)
      }
      events.flush()
      variables.flush()
    } finally {
      events.forget()
      variables.forget()
    }
    for (const write of writes) insertIndexes(write)
  }

  function insertEntry(entry: Entry): void {
    pushEvent(events.row, tenantId, entry.event)
    events.added()
    for (const [ordinal, variable] of entry.variables.entries()) {
      pushVariable(variables.row, tenantId, entry.event, ordinal, variable)
      variables.added()
    }
  }

  function insertIndexes(write: ExecutionWrite): void {
    const { executionId, row } = write
    if (row !== undefined) {
      upsertRow.run(tenantId, ...executionParameters(row))
      if (write.expectedSeq === 0) {
        for (const [key, value] of Object.entries(row.labels)) {
          insertLabel.run(tenantId, key, value, row.createdAt, executionId)
        }
      }
    }
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
    for (const it of write.approvalsOpened ?? []) {
      openApproval.run(
        tenantId,
        executionId,
        it.nodeId,
        it.pipelineId,
        it.openedAt,
        it.dueAt,
        JSON.stringify(it.request),
      )
    }
    for (const nodeId of write.approvalsClosed ?? []) closeApproval.run(tenantId, executionId, nodeId)
    for (const { webhookId, event } of write.deliveries ?? []) {
      const at = parseExactInstant(event.timestamp)
      owe.run({ tenantId, executionId, webhookId, seq: event.seq, type: event.type, at })
    }
  }

  function insertStatistics(batch: Batch): void {
    for (const it of batch.statistics ?? []) {
      upsertStatistics.run(
        tenantId,
        it.pipelineId,
        it.nodeId,
        it.completed,
        it.failed,
        JSON.stringify(it.durations),
      )
    }
  }

  const whole = db.transaction((batch: Batch): CommitResult => {
    const conflicts = new Set<string>()
    const now = readOwner()
    insert(fence(batch, conflicts, now))
    const result = commitResult(now, batch, conflicts)
    if (result.ownedBy === undefined) insertStatistics(batch)
    return result
  })

  // A transaction inside a transaction is a savepoint: what fails in it is undone alone.
  const alone = db.transaction((write: ExecutionWrite) => insert([write]))
  const oneByOne = db.transaction((batch: Batch): CommitResult => {
    const conflicts = new Set<string>()
    const now = readOwner()
    for (const write of batch.executions) {
      if (fence({ executions: [write] }, conflicts, now).length === 0) continue
      try {
        alone(write)
      } catch (error) {
        if (!isPrimaryKeyConflict(error)) throw error
        conflicts.add(write.executionId)
      }
    }
    const result = commitResult(now, batch, conflicts)
    if (result.ownedBy === undefined) insertStatistics(batch)
    return result
  })

  return (batch) => {
    try {
      return whole.immediate(batch)
    } catch (error) {
      // The fence was passed and yet the key is taken (an execution of another tenant): find out whose it is.
      if (!isPrimaryKeyConflict(error)) throw error
      return oneByOne.immediate(batch)
    }
  }
}

function createOwnerReader(db: Database.Database, tenantId: string): () => Ownership {
  const select = db.prepare<[string], Ownership>('SELECT owner, epoch FROM engine_owner WHERE tenant_id = ?')
  return () => select.get(tenantId) ?? { owner: '', epoch: 0 }
}

/** Makes `owner` the only writer; answers with its epoch. */
export function createClaim(db: Database.Database, tenantId: string): (owner: string) => number {
  const claim = db
    .prepare<[string, string], number>(
      `INSERT INTO engine_owner (tenant_id, owner, epoch) VALUES (?, ?, 1)
       ON CONFLICT (tenant_id) DO UPDATE SET owner = excluded.owner, epoch = epoch + 1 RETURNING epoch`,
    )
    .pluck()
  return (owner) => claim.get(tenantId, owner)!
}

function isPrimaryKeyConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
