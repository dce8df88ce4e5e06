import type { Entry, Json, JsonObject } from '@/core/engine/event'
import type { Journal } from '@/server/ports/journal'

/** Characters of all entries in memory: up to twice as many bytes. The end of some thousand runs. */
const MOST_CHARACTERS = 16_000_000
/** A larger entry is not kept, nor what comes before it. */
const MOST_OF_ONE = 4_096
/** What an entry takes beside its payload and its variables. */
const FRAME_OF_ONE = 400

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
export function keepRecentEntries(journal: Journal, mostCharacters = MOST_CHARACTERS): RecentEntries {
  /** The end of each journal, without a gap up to the last durable entry; in order of the last commit, the latest last. */
  const recent = new Map<string, { readonly entries: Entry[]; characters: number }>()
  let characters = 0

  function forget(executionId: string): void {
    characters -= recent.get(executionId)?.characters ?? 0
    recent.delete(executionId)
  }

  function append(executionId: string, expectedSeq: number, entries: readonly Entry[]): void {
    const known = recent.get(executionId)
    const follows = known !== undefined && known.entries.at(-1)!.event.seq === expectedSeq
    if (!follows) forget(executionId)
    const now = follows ? known : { entries: [], characters: 0 }
    for (const entry of entries) {
      const size = sizeOf(entry)
      if (size === null) return forget(executionId)
      now.entries.push(entry)
      now.characters += size
      characters += size
    }
    recent.delete(executionId)
    recent.set(executionId, now)
    for (const oldest of recent.keys()) {
      if (characters <= mostCharacters) break
      forget(oldest)
    }
  }

  return {
    forget,

    async claim(owner) {
      // Somebody else may have written until now.
      for (const executionId of [...recent.keys()]) forget(executionId)
      return journal.claim(owner)
    },

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
      const own = recent.get(executionId)?.entries
      const from = (range.after ?? 0) + 1 - (own?.[0]?.event.seq ?? Infinity)
      if (own === undefined || from < 0) return journal.read(executionId, range)
      return own.slice(from, range.limit === undefined ? undefined : from + range.limit)
    },
  }
}

/** The characters of an entry; null: it is too large to stay in memory. */
function sizeOf({ event, variables }: Entry): number | null {
  let left = roomAfter(event.payload, MOST_OF_ONE)
  for (const { value } of variables) left = roomAfter(value, left)
  return left < 0 ? null : FRAME_OF_ONE + MOST_OF_ONE - left
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
