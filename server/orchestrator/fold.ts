import { evolve } from '@/core/engine/evolve'
import type { ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'

/** Entries that are folded in one go before others get a turn. */
const FOLD_PAGE = 5_000

/** Folds what the journal has of an execution after the state's seq, up to `upTo` (all, when absent), in place. */
export async function foldJournal(
  journal: Pick<Journal, 'read'>,
  state: ExecutionState,
  upTo = Infinity,
): Promise<void> {
  for (;;) {
    const limit = Math.min(FOLD_PAGE, upTo - state.seq)
    if (limit <= 0) return
    const entries = await journal.read(state.executionId, { after: state.seq, limit })
    for (const entry of entries) evolve(state, entry)
    if (entries.length < limit) return
  }
}
