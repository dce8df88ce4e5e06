import type { Entry, Json, JsonObject } from '@/core/engine/event'
import type { ExecutionRow, ExecutionWrite, Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'

/** Characters of all entries in memory: up to twice as many bytes. The end of some thousand runs. */
const MOST_CHARACTERS = 16_000_000
/** A larger entry is not cached, nor those before it. */
const MOST_OF_ONE = 4_096
/** What an entry takes beside its payload and its variables. */
const FRAME_OF_ONE = 400

type Source = { readonly journal: Journal; readonly executions: ExecutionRegistry }

export type RecentExecutions = Source & {
  /** The execution was removed. */
  forget(executionId: string): void
}

type Recent = { readonly entries: Entry[]; characters: number; row: ExecutionRow | null }

/**
 * A journal and a registry that answer from memory what was committed a moment ago: a stream that opens right after the start of a run
 * reads no database. Only for the one writer of the file: what somebody else appends is not seen here until this one commits again and
 * meets the conflict.
 *
 * Entries and rows are handed out as they are; nobody may change them. Executions without a commit for the longest time leave first.
 */
export function keepRecentExecutions(
  { journal, executions }: Source,
  mostCharacters = MOST_CHARACTERS,
): RecentExecutions {
  /** The end of each journal, without a gap up to the last durable entry; in order of the last commit, the latest last. */
  const recent = new Map<string, Recent>()
  let characters = 0

  function forget(executionId: string): void {
    characters -= recent.get(executionId)?.characters ?? 0
    recent.delete(executionId)
  }

  function append({ executionId, expectedSeq, entries, row }: ExecutionWrite): void {
    const known = recent.get(executionId)
    const follows = known !== undefined && known.entries.at(-1)!.event.seq === expectedSeq
    if (!follows) forget(executionId)
    const now: Recent = follows ? known : { entries: [], characters: 0, row: null }
    if (row !== undefined) now.row = row
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
    journal: {
      async claim(owner) {
        // Somebody else may have written until now.
        for (const executionId of [...recent.keys()]) forget(executionId)
        return journal.claim(owner)
      },

      async commit(batch) {
        const result = await journal.commit(batch)
        const conflicts = new Set(result.conflicts)
        for (const write of batch.executions) {
          if (conflicts.has(write.executionId) || (write.entries.length === 0 && write.row !== undefined))
            forget(write.executionId)
          else if (write.entries.length > 0) append(write)
        }
        return result
      },

      async read(executionId, range = {}) {
        const own = recent.get(executionId)?.entries
        const from = (range.after ?? 0) + 1 - (own?.[0]?.event.seq ?? Infinity)
        if (own === undefined || from < 0) return journal.read(executionId, range)
        return own.slice(from, range.limit === undefined ? undefined : from + range.limit)
      },
    },
    executions: {
      ...executions,
      get: async (executionId) => recent.get(executionId)?.row ?? executions.get(executionId),
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
