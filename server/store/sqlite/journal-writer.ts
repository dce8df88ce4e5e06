import type Database from 'better-sqlite3'
import type { Entry } from '@/core/engine/event'
import type { Batch, CommitResult, ExecutionWrite, Ownership } from '@/server/ports/journal'
import { commitResult, isOwner } from '@/server/store/batch-check'
import {
  EVENT_COLUMNS,
  EVENT_WIDTH,
  pushEvent,
  pushVariable,
  VARIABLE_COLUMNS,
  VARIABLE_WIDTH,
} from '@/server/store/sql/rows'
import type { Parameter } from '@/server/store/sql/rows'
import { createRecordWriter, createStatisticsWriter } from './record-writer'

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
 * it answers.
 */
export function createJournalWriter(db: Database.Database, tenantId: string): (batch: Batch) => CommitResult {
  const readOwner = createOwnerReader(db, tenantId)
  const fence = createFence(db, tenantId)
  const insertEntries = createEntryWriter(db, tenantId)
  const writeRecords = createRecordWriter(db, tenantId)
  const writeStatistics = createStatisticsWriter(db, tenantId)

  function insert(writes: readonly ExecutionWrite[]): void {
    insertEntries(writes)
    for (const write of writes) writeRecords(write)
  }

  function finish(batch: Batch, conflicts: ReadonlySet<string>, now: Ownership): CommitResult {
    const result = commitResult(now, batch, conflicts)
    if (result.ownedBy === undefined) for (const it of batch.statistics ?? []) writeStatistics(it)
    return result
  }

  const whole = db.transaction((batch: Batch): CommitResult => {
    const conflicts = new Set<string>()
    const now = readOwner()
    insert(fence(batch.executions, conflicts, now))
    return finish(batch, conflicts, now)
  })

  // A transaction inside a transaction is a savepoint: what fails in it is undone alone.
  const alone = db.transaction((write: ExecutionWrite) => insert([write]))
  const oneByOne = db.transaction((batch: Batch): CommitResult => {
    const conflicts = new Set<string>()
    const now = readOwner()
    for (const write of batch.executions) {
      if (fence([write], conflicts, now).length === 0) continue
      try {
        alone(write)
      } catch (error) {
        if (!isPrimaryKeyConflict(error)) throw error
        conflicts.add(write.executionId)
      }
    }
    return finish(batch, conflicts, now)
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

type Fence = (
  writes: readonly ExecutionWrite[],
  conflicts: Set<string>,
  now: Ownership,
) => readonly ExecutionWrite[]

/**
 * Answers with the writes that may be made, in order, and adds the executions of the others to `conflicts`: whose `expectedSeq` is
 * not their last stored seq, one of whose idempotency keys is taken, or whose writer is not the owner of the store. The same
 * execution may come several times, each write going on where the last ended.
 */
function createFence(db: Database.Database, tenantId: string): Fence {
  const lastSeq = db
    .prepare<[string, string], number>(
      'SELECT seq FROM events WHERE tenant_id = ? AND execution_id = ? ORDER BY seq DESC LIMIT 1',
    )
    .pluck()
  const keyTaken = db
    .prepare('SELECT 1 FROM idempotency WHERE tenant_id = ? AND scope = ? AND key = ?')
    .pluck()
  return (writes, conflicts, now) => {
    const ends = new Map<string, number>()
    const keys = new Set<string>()
    return writes.filter((write) => {
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
}

/** Inserts the entries of the writes: the events, and the variables that they write. */
function createEntryWriter(
  db: Database.Database,
  tenantId: string,
): (writes: readonly ExecutionWrite[]) => void {
  const events = bulkInsert(db, `events (${EVENT_COLUMNS})`, EVENT_WIDTH)
  const variables = bulkInsert(db, `variables (${VARIABLE_COLUMNS})`, VARIABLE_WIDTH)

  function insertEntry(entry: Entry): void {
    pushEvent(events.row, tenantId, entry.event)
    events.added()
    for (let ordinal = 0; ordinal < entry.variables.length; ordinal += 1) {
      pushVariable(variables.row, tenantId, entry, ordinal)
      variables.added()
    }
  }

  return (writes) => {
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
