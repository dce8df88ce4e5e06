import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Entry } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState, type ExecutionState, type NodeState } from '@/core/engine/state'
import { copyOfTimeline, follow, newTimeline, type Timeline } from '@/core/engine/timeline/timeline'

/** A run as it was after one of its entries. */
export type Folded = { readonly state: ExecutionState; readonly timeline: Timeline }

/** Entries between two copies, at first; the distance doubles whenever there would be more copies than that. */
const FIRST_INTERVAL = 256
const MOST_COPIES = 16

/**
 * A run at any of its instants. It copies the fold at intervals, so that going to an instant folds no more than what lies
 * between two of them: of a run of n entries at most the larger of 256 and n / 8, and stepping forward folds one.
 */
export class Rewind {
  readonly #copies = new Map<number, Folded>()
  #interval = FIRST_INTERVAL
  #now: Folded

  /** `entries` in order, from seq 1 without holes; the list may grow. */
  constructor(
    readonly executionId: string,
    readonly pipeline: CompiledPipeline,
    readonly entries: readonly Entry[],
  ) {
    this.#now = this.#begin()
  }

  /** The run after the entry of that seq (0: before the first), or after the last. Belongs to this object, and is valid until the next call. */
  at(seq: number): Folded {
    const target = Math.max(0, Math.min(seq, this.entries.length))
    const before = Math.floor(target / this.#interval) * this.#interval
    const nearest = this.#nearest(before)
    if (this.#now.state.seq > target || this.#now.state.seq < (nearest?.state.seq ?? 0))
      this.#now = nearest === null ? this.#begin() : copyOf(nearest)
    const { state, timeline } = this.#now
    while (state.seq < target) {
      const entry = this.entries[state.seq]!
      evolve(state, entry)
      follow(timeline, entry)
      // Work lists for the engine; nothing acts on a past state.
      state.dirty.clear()
      state.touched.clear()
      this.#keep()
    }
    return this.#now
  }

  #begin(): Folded {
    return { state: emptyState(this.executionId, this.pipeline), timeline: newTimeline(this.pipeline) }
  }

  #nearest(before: number): Folded | null {
    for (let seq = before; seq > 0; seq -= this.#interval) {
      const copy = this.#copies.get(seq)
      if (copy !== undefined) return copy
    }
    return null
  }

  #keep(): void {
    const { seq } = this.#now.state
    if (seq % this.#interval !== 0 || this.#copies.has(seq)) return
    this.#copies.set(seq, copyOf(this.#now))
    if (this.#copies.size <= MOST_COPIES) return
    this.#interval *= 2
    for (const copied of this.#copies.keys()) if (copied % this.#interval !== 0) this.#copies.delete(copied)
  }
}

function copyOf({ state, timeline }: Folded): Folded {
  return { state: copyOfState(state), timeline: copyOfTimeline(timeline) }
}

/** What a fold changes in place is copied; what it replaces is shared. */
function copyOfState(state: ExecutionState): ExecutionState {
  return {
    ...state,
    nodes: new Map([...state.nodes].map(([id, node]) => [id, copyOfNode(node)])),
    events: new Map(state.events),
    variables: new Map(state.variables),
    handlers: new Map([...state.handlers].map(([id, own]) => [id, [...own]])),
    handledBelow: new Set(state.handledBelow),
    byHandBelow: new Map(state.byHandBelow),
    warnings: [...state.warnings],
    writes: new Map([...state.writes].map(([id, own]) => [id, [...own]])),
    inFlight: new Map(state.inFlight),
    held: new Map(state.held),
    timers: state.timers.copy(),
    dirty: new Set(state.dirty),
    touched: new Set(state.touched),
    awaitingSlot: new Set(state.awaitingSlot),
    itemLists: new Map(state.itemLists),
    wideWaits: new Map(),
  }
}

function copyOfNode(node: NodeState): NodeState {
  const { items } = node
  if (items === null) return node
  return { ...node, items: { ...items, retries: new Map(items.retries), errors: [...items.errors] } }
}
