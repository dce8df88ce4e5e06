import type { Entry } from '@/core/engine/event'
import { evolve } from '@/core/engine/evolve'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { ValuesOfRuns } from './large-values'
import type { NodeDurations } from './node-durations'

/** Entries that are folded in one go before others get a turn. */
const FOLD_PAGE = 5_000

export type FoldPorts = {
  readonly journal: Journal
  readonly executions: ExecutionRegistry
  readonly compiled: CompiledPipelines
  readonly durations: NodeDurations
  readonly values: ValuesOfRuns
}

/**
 * Folds the journal of an execution; nothing in memory changes. `seen` is called with each entry. Null when there is no such
 * execution. @throws when its revision is gone, or an entry cannot follow
 */
export function createFold({ journal, executions, compiled, durations, values }: FoldPorts) {
  return async function fold(
    executionId: string,
    seen: (entry: Entry) => void = () => undefined,
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
    for (;;) {
      const page = await journal.read(executionId, { after: state.seq, limit: FOLD_PAGE })
      for (const entry of page) {
        evolve(state, entry)
        seen(entry)
      }
      if (page.length < FOLD_PAGE) return state
    }
  }
}

export type Fold = ReturnType<typeof createFold>
