import type { Demand } from '@/core/pipeline/definition/demand'
import { isRollingBack, type ExecutionState } from '@/core/engine/state'
import type { Effect } from '@/core/engine/wanted'
import type { ExecutionRow } from '@/server/ports/journal'
import type { AttemptHandle } from '@/server/ports/runner'

/** An attempt that a worker is at, and the token under which it was dispatched. */
export type InFlight = {
  readonly token: number
  readonly handle: AttemptHandle
  readonly demands: readonly Demand[]
  aborted: boolean
  /** Ends that it holds its demands although no state counts it any more; null: a state counts it. */
  vacate: (() => void) | null
}

/** An execution in memory: its folded state, its last row, and what is in flight for it. */
export type Live = {
  readonly state: ExecutionState
  row: ExecutionRow | null
  /** Workers by `node` or `node/item`. */
  readonly inFlight: Map<string, InFlight>
  /** What is in effect, by key: what was wanted when it was compared last. */
  readonly effects: Map<string, Effect>
  /** False after a boot until everything is in memory: nothing is started for it before. */
  takenUp: boolean
}

/** An execution that has just come into memory. */
export const newLive = (state: ExecutionState, row: ExecutionRow | null, takenUp: boolean): Live => ({
  state,
  row,
  inFlight: new Map(),
  effects: new Map(),
  takenUp,
})

/** Nothing moves it by itself and nobody works for it: it may leave memory and be folded again. */
export function isIdle(live: Live): boolean {
  const { state } = live
  return (
    live.inFlight.size === 0 &&
    state.inFlight.size === 0 &&
    state.active === 0 &&
    !isRollingBack(state) &&
    (state.closedAt !== null || state.open > 0)
  )
}

/**
 * The executions in memory. Busy ones stay; of the idle ones (parked or ended) only the most recently used stay.
 *
 * @param maxIdle how many idle executions stay in memory
 */
export class LiveExecutions {
  readonly #all = new Map<string, Live>()
  readonly #idle = new Map<string, Live>()

  constructor(private readonly maxIdle: number) {}

  get(executionId: string): Live | undefined {
    const live = this.#all.get(executionId)
    if (live !== undefined && this.#idle.delete(executionId)) this.#idle.set(executionId, live)
    return live
  }

  /** Puts it in memory, where it stays until `note` finds it idle: also while a commit of it is under way. */
  set(executionId: string, live: Live): void {
    this.#idle.delete(executionId)
    this.#all.set(executionId, live)
  }

  delete(executionId: string): void {
    this.#all.delete(executionId)
    this.#idle.delete(executionId)
  }

  /** Says that something happened to it: idle ones queue for leaving, the oldest of them leave. */
  note(live: Live): void {
    const id = live.state.executionId
    this.#idle.delete(id)
    if (!isIdle(live)) return
    this.#idle.set(id, live)
    for (const [oldest] of this.#idle) {
      if (this.#idle.size <= this.maxIdle) break
      this.delete(oldest)
    }
  }

  values(): IterableIterator<Live> {
    return this.#all.values()
  }

  get size(): number {
    return this.#all.size
  }
}
