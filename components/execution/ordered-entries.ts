import type { Entry, Event } from '@/core/engine/event'

/** Early entries are kept up to this many; beyond, they are read again instead. */
const EARLY_LIMIT = 5_000

/**
 * Applies the entries of a run strictly by seq, each once, in whatever order they arrive. An entry that arrives before one that is
 * missing waits for it. `target` is what they are applied to; its `seq` is the last one applied.
 */
export function createOrderedEntries(target: { readonly seq: number; apply(entry: Entry): void }) {
  const early = new Map<number, Entry>()
  const events: Event[] = []
  const milestones: Event[] = []

  function applyNext(entry: Entry): void {
    if (entry.event.seq !== target.seq + 1) return
    target.apply(entry)
    events.push(entry.event)
    if (entry.event.source.entity_type === 'pipeline') milestones.push(entry.event)
  }

  function applyEarly(): void {
    for (;;) {
      const next = early.get(target.seq + 1)
      if (next === undefined) break
      applyNext(next)
    }
    for (const seq of early.keys()) if (seq <= target.seq) early.delete(seq)
  }

  return {
    /** applied: with early ones that follow it · known: it was applied before · gap: an entry before it is missing. */
    receive(entry: Entry): 'applied' | 'known' | 'gap' {
      if (entry.event.seq <= target.seq) return 'known'
      if (entry.event.seq === target.seq + 1) {
        applyNext(entry)
        applyEarly()
        return 'applied'
      }
      if (early.size < EARLY_LIMIT) early.set(entry.event.seq, entry)
      return 'gap'
    },
    /** Applies a page of entries in order, one a step; known ones are skipped, and early ones follow at the end. */
    *applyPage(entries: readonly Entry[]): Generator<void, void> {
      for (const entry of entries) {
        applyNext(entry)
        yield
      }
      applyEarly()
    },
    /** Whether entries wait for one that is missing. */
    hasGap: (): boolean => early.size > 0,
    dropEarly: (): void => early.clear(),
    /** The events that were applied, oldest first: a new array at each call. */
    events: (): readonly Event[] => events.slice(),
    /** Those of them that are about the run itself and no node of it. */
    milestones: (): readonly Event[] => milestones.slice(),
  }
}
