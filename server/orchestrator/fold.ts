import type { Entry } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { faultOfEntry } from '@/core/engine/stored-entry'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { ValuesOfRuns } from './large-values'
import type { NodeDurations } from './node-durations'

/** Entries that are folded in one go before others get a turn. */
const FOLD_PAGE = 5_000

export type FoldPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly executions: ExecutionRegistry
  readonly compiled: CompiledPipelines
  readonly durations: NodeDurations
  readonly values: ValuesOfRuns
}

/** Folds what the journal has after the state's seq, up to `upTo` (all, when absent), in place. @throws when an entry cannot follow */
export async function foldJournal(
  journal: Pick<Journal, 'read'>,
  state: ExecutionState,
  { upTo = Infinity, seen }: { upTo?: number; seen?: (entry: Entry) => void } = {},
): Promise<void> {
  for (;;) {
    const limit = Math.min(FOLD_PAGE, upTo - state.seq)
    if (limit <= 0) return
    const page = await journal.read(state.executionId, { after: state.seq, limit })
    for (const entry of page) {
      follow(state, entry)
      seen?.(entry)
    }
    if (page.length < limit) return
  }
}

/**
 * Checks an entry that was read from a journal and folds it. Every fold of stored rows goes through here, once: entries that the
 * engine makes are typed and go straight to `evolve`. Where it cannot go on the error says which row it was.
 */
function follow(state: ExecutionState, entry: Entry): void {
  const { seq } = state
  try {
    const fault = faultOfEntry(entry)
    if (fault !== null) throw new Error(fault)
    evolve(state, entry)
  } catch (cause) {
    const { event } = entry
    const why = cause instanceof Error ? cause.message : String(cause)
    const what = `${state.executionId}: event ${event.seq} (${event.type}) cannot follow event ${seq}: ${why}`
    throw new Error(what, { cause })
  }
}

/**
 * Folds the journal of an execution; nothing in memory changes. `seen` is called with each entry. Null when there is no such
 * execution. @throws when its revision is gone, or an entry cannot follow
 */
export function createFold({ journal, executions, compiled, durations, values }: FoldPorts) {
  return async function fold(
    executionId: string,
    seen?: (entry: Entry) => void,
  ): Promise<ExecutionState | null> {
    const row = await executions.get(executionId)
    if (row === null) return null
    const pipeline = await compiled.get(row.pipelineId, row.revision)
    if (pipeline === null) {
      throw new Error(
        `invariant: ${executionId} runs revision ${row.revision} of '${row.pipelineId}', which is gone`,
      )
    }
    await durations.load(row.pipelineId)
    const state = emptyState(executionId, pipeline, values.of(executionId))
    await foldJournal(journal, state, seen === undefined ? {} : { seen })
    return state
  }
}

export type Fold = ReturnType<typeof createFold>
