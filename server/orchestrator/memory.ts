import { isTerminal, type ExecutionState } from '@/core/engine/state'
import type { Admission } from '@/core/scheduling/admission'
import type { ExecutionRegistry } from '@/server/ports/registry'
import { keyOf } from './attempt-key'
import { relationOf, type Children } from './children'
import type { SubmittedInput } from './contract'
import type { Fold } from './fold'
import type { ValuesOfRuns } from './large-values'
import { isIdle, newLive, type Live, type LiveExecutions } from './live-execution'
import type { PhaseOf } from './phase'
import type { RunLimits } from './run-limits'
import { rowOf } from './registry-row'

export type MemoryPorts = {
  readonly phase: PhaseOf
  readonly lives: LiveExecutions
  readonly executions: ExecutionRegistry
  readonly fold: Fold
  readonly limits: RunLimits
  readonly admission: Admission
  readonly values: ValuesOfRuns
  readonly report: (executionId: string, input: SubmittedInput) => Promise<boolean>
  readonly reconcile: (live: Live) => void
  readonly align: Children['align']
  /** Why nothing is done for an execution, or null. */
  readonly apart: (executionId: string) => string | null
  /** Its journal cannot be folded. */
  readonly setApart: (executionId: string, error: unknown) => void
}

/** Brings executions into memory for the engine, takes them up, and puts them out again. */
export function createMemory(ports: MemoryPorts) {
  const { lives, admission, phase } = ports
  const loading = new Map<string, Promise<Live | null>>()

  async function foldFromJournal(executionId: string): Promise<Live | null> {
    const reason = ports.apart(executionId)
    if (reason !== null) throw new Error(reason)
    const row = await ports.executions.get(executionId)
    if (row === null) return null
    let state: ExecutionState | null
    try {
      state = await ports.fold(executionId)
    } catch (error) {
      if (phase.now !== 'stopped') ports.setApart(executionId, error)
      throw error
    }
    if (state === null) return null
    await ports.limits.limited(row.pipelineId)
    // It may have come back by itself meanwhile, with an input that had fetched it before: then it has gone on from there.
    const there = lives.get(executionId)
    if (there !== undefined) return there
    const live = newLive(state, rowOf(state, row), false)
    lives.set(executionId, live)
    count(live)
    // While everything is loaded nothing moves: it is taken up with all others.
    if (phase.now !== 'loading') takeUp(live)
    lives.note(live)
    return live
  }

  /** What the execution holds and waits for counts from now on. */
  function count({ state }: Live): void {
    admission.update(state, [], state.updatedAt)
    // Whoever waits for a slot, or has a next item, says so again at the next look.
    for (const [nodeId, node] of state.nodes) if (!isTerminal(node.status)) state.dirty.add(nodeId)
  }

  /**
   * Takes up what was in flight when the state was left: work that may have had effects is lost, and what the server
   * does by itself in an instant (it died with the server) is simply done again.
   */
  function takeUp(live: Live): void {
    const { state } = live
    live.takenUp = true
    state.touched.clear()
    for (const [id, attempt] of state.inFlight) {
      const reason = 'the server that ran it ended'
      if (attempt.demands.length > 0)
        void ports.report(state.executionId, { type: 'lose_attempt', key: keyOf(attempt), reason })
      else state.touched.add(id)
    }
    ports.reconcile(live)
    if (state.parent !== null && state.finishedAt === null)
      ports.align(relationOf(state.parent, state.executionId))
    if (!isIdle(live)) void ports.report(state.executionId, { type: 'tick' })
  }

  return {
    takeUp,

    /** Folds an execution into memory, once however many ask, and takes it up. Null when there is none. */
    load(executionId: string): Promise<Live | null> {
      const there = lives.get(executionId)
      if (there !== undefined) return Promise.resolve(there)
      let pending = loading.get(executionId)
      if (pending === undefined) {
        pending = foldFromJournal(executionId).finally(() => loading.delete(executionId))
        loading.set(executionId, pending)
      }
      return pending
    },

    /** Resolves when no fold of the execution is under way. */
    loaded: async (executionId: string): Promise<void> =>
      void (await loading.get(executionId)?.catch(() => null)),

    /** Out of memory, with what is in flight for it: its state is not what the journal holds, or it is gone. */
    evict(live: Live): void {
      const { state } = live
      // One that exists stays a run of its pipeline, or waits to be one, until it is folded again.
      admission.leave(state, live.row === null)
      for (const running of live.inFlight.values()) {
        running.aborted = true
        running.vacate ??= admission.occupyUntilDead(running.demands, state.executionId)
        running.handle.abort('shutdown')
      }
      lives.delete(state.executionId)
      ports.values.drop(state.executionId)
    },
  }
}

export type Memory = ReturnType<typeof createMemory>
