import type { ExecutionState } from '@/core/engine/state'
import { follow, newTimeline, type Timeline } from '@/core/engine/timeline/timeline'
import type { Journal } from '@/server/ports/journal'

/** Cached timelines, of the runs that somebody views. */
const KEPT = 16
const PAGE = 2_000

type Kept = { readonly timeline: Timeline; seq: number; reading: Promise<unknown> }

/** Answers with the timeline of a run up to its last durable entry. What was folded before is not read again while it is cached. */
export function createTimelines(journal: Pick<Journal, 'read'>) {
  /** The one that was asked for last comes last. */
  const kept = new Map<string, Kept>()

  async function catchUp(executionId: string, own: Kept): Promise<void> {
    for (;;) {
      const page = await journal.read(executionId, { after: own.seq, limit: PAGE })
      for (const entry of page) {
        follow(own.timeline, entry)
        own.seq = entry.event.seq
      }
      if (page.length < PAGE) return
    }
  }

  return async function timeline({ executionId, pipeline, seq }: ExecutionState): Promise<Timeline> {
    const own = kept.get(executionId) ?? {
      timeline: newTimeline(pipeline),
      seq: 0,
      reading: Promise.resolve(),
    }
    kept.delete(executionId)
    kept.set(executionId, own)
    for (const oldest of kept.keys()) {
      if (kept.size <= KEPT) break
      kept.delete(oldest)
    }
    // One reads at a time; an entry is folded once.
    const read = own.reading.then(() => (own.seq < seq ? catchUp(executionId, own) : undefined))
    own.reading = read.catch(() => kept.delete(executionId))
    await read
    return own.timeline
  }
}
