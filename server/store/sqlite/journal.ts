import type { Journal } from '@/server/ports/journal'
import { createSqlJournalReader } from '@/server/store/sql/journal-reader'
import { checkBatch } from '@/server/store/batch-check'
import { StoreError } from '@/server/store/store-error'
import type { SqliteConnection } from './dialect'
import { createClaim, createJournalWriter } from './journal-writer'

/**
 * The journal on SQLite: a writer of prepared statements, a reader of shared SQL. After a commit that failed on its way to the disk
 * every later one is refused with the same error: what the file holds is then unknown until the next start has read it.
 */
export function createSqliteJournal({ raw, kysely, queue }: SqliteConnection, tenantId: string): Journal {
  const write = createJournalWriter(raw, tenantId)
  const claim = createClaim(raw, tenantId)
  let broken: StoreError | null = null

  return {
    async commit(batch) {
      checkBatch(batch)
      return queue.run(() => {
        if (broken !== null) throw broken
        try {
          return write(batch)
        } catch (error) {
          if (error instanceof StoreError) throw error
          broken = new StoreError('storage_failed', `A commit failed: ${String(error)}`, { cause: error })
          throw broken
        }
      })
    },
    claim: (owner) => queue.run(() => claim(owner)),
    read: createSqlJournalReader(kysely, tenantId),
  }
}
