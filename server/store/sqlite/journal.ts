import type Database from 'better-sqlite3'
import type { Journal } from '@/server/ports/journal'
import { checkBatch } from '@/server/store/batch-check'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { StoreError } from '@/server/store/store-error'
import { createJournalWriter } from './journal-writer'
import { entriesOf } from './rows'
import type { EventRecord, VariableRecord } from './rows'
import type { WriteQueue } from './write-queue'

/** As many entries as one execution can have: reading all of a run is what a fold does. */
const READ_MAX = 10_000_000

/**
 * The journal on SQLite. After a commit that failed on its way to the disk every later one is refused with the same error:
 * what the file holds is then unknown until the next start has read it.
 */
export function createSqliteJournal(db: Database.Database, queue: WriteQueue, tenantId: string): Journal {
  const write = createJournalWriter(db, tenantId)
  const readEvents = db.prepare<[string, string, number, number], EventRecord>(
    `SELECT execution_id, seq, type, entity_type, entity_id, generation, attempt, item, actor, actor_id, payload, timestamp
     FROM events WHERE tenant_id = ? AND execution_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const readVariables = db.prepare<[string, string, number, number], VariableRecord>(
    `SELECT name, seq, value, ref FROM variables
     WHERE tenant_id = ? AND execution_id = ? AND seq > ? AND seq <= ? ORDER BY seq, ordinal`,
  )
  let broken: StoreError | null = null

  return {
    async commit(batch) {
      checkBatch(batch)
      return queue.run(() => {
        if (broken !== null) throw broken
        try {
          return { conflicts: write(batch) }
        } catch (error) {
          if (error instanceof StoreError) throw error
          broken = new StoreError('storage_failed', `A commit failed: ${String(error)}`, { cause: error })
          throw broken
        }
      })
    },

    async read(executionId, range = {}) {
      requireExecutionId(executionId)
      const after = range.after ?? 0
      const events = readEvents.all(tenantId, executionId, after, requireLimit(range.limit, READ_MAX))
      const last = events.at(-1)
      if (last === undefined) return []
      return entriesOf(events, readVariables.all(tenantId, executionId, after, last.seq))
    },
  }
}
