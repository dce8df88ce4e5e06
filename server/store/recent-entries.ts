import type { Entry, Json, JsonObject } from '@/core/engine/event'
import type { Journal } from '@/server/ports/journal'

/** Entries in memory, over all executions, and the size of each: 32 MB at most, a few in practice. */
const MOST_ENTRIES = 8_192
const MOST_CHARACTERS = 4_096

export type RecentEntries = Journal & {
  /** The execution was removed. */
  forget(executionId: string): void
}

/**
 * A journal that answers from memory what it has committed a moment ago: a stream that opens right after the start of a run reads no
 * database. Only for the one writer of the file: what somebody else appends is not seen here until this one commits again and meets the
 * conflict.
 *
 * Entries are handed out as they are; nobody may change them. Executions without a commit for the longest time leave first.
 */
export function keepRecentEntries(journal: Journal, mostEntries = MOST_ENTRIES): RecentEntries {
  /** The end of each journal, without a gap up to the last durable entry; in order of the last commit, the latest last. */
  const recent = new Map<string, Entry[]>()
  let count = 0

  function forget(executionId: string): void {
    count -= recent.get(executionId)?.length ?? 0
    recent.delete(executionId)
  }

  function append(executionId: string, expectedSeq: number, entries: readonly Entry[]): void {
    const before = recent.get(executionId)
    const follows = before !== undefined && before.at(-1)!.event.seq === expectedSeq
    if (!follows) forget(executionId)
    if (!entries.every(isSmall)) return forget(executionId)
    const now = follows ? before : []
    for (const entry of entries) now.push(entry)
    count += entries.length
    recent.delete(executionId)
    recent.set(executionId, now)
    for (const oldest of recent.keys()) {
      if (count <= mostEntries) break
      forget(oldest)
    }
  }

  return {
    forget,
    claim: (...owner) => journal.claim(...owner),

    async commit(batch) {
      const result = await journal.commit(batch)
      const conflicts = new Set(result.conflicts)
      for (const { executionId, expectedSeq, entries } of batch.executions) {
        if (conflicts.has(executionId)) forget(executionId)
        else if (entries.length > 0) append(executionId, expectedSeq, entries)
      }
      return result
    },

    async read(executionId, range = {}) {
      const own = recent.get(executionId)
      const from = (range.after ?? 0) + 1 - (own?.[0]?.event.seq ?? Infinity)
      if (own === undefined || from < 0) return journal.read(executionId, range)
      return own.slice(from, range.limit === undefined ? undefined : from + range.limit)
    },
  }
}

function isSmall({ event, variables }: Entry): boolean {
  let left = roomAfter(event.payload, MOST_CHARACTERS)
  for (const { value } of variables) left = roomAfter(value, left)
  return left >= 0
}

/** What is left of so many characters after a value; stops counting when nothing is. */
function roomAfter(value: Json, room: number): number {
  if (typeof value === 'string') return room - value.length
  if (typeof value !== 'object' || value === null) return room - 8
  let left = room
  for (const name in value) {
    if (left < 0) break
    left = roomAfter((value as JsonObject)[name]!, left - name.length)
  }
  return left
}
