import TinyQueue from 'tinyqueue'

/**
 * Admission across runs: ready nodes of all executions compete for slots. Pure: the orchestrator tells it what began,
 * ended and waits, with times in milliseconds since the epoch.
 *
 * Order: priority, then age. One step of priority is worth a minute of waiting, so that a low priority is late but
 * never starves (ageing), and a candidate's rank never changes while it waits: the queue is a heap, nothing is sorted.
 */
export type Candidate = {
  readonly executionId: string
  readonly nodeId: string
  /** Priority of the run plus that of the node; more is sooner. */
  readonly priority: number
  readonly queuedAt: number
}

export const AGEING_MS = 60_000

/** Less is sooner. */
export function rankOf(candidate: Pick<Candidate, 'priority' | 'queuedAt'>): number {
  return candidate.queuedAt - candidate.priority * AGEING_MS
}

export class Admission {
  #inUse = 0
  readonly #heap = new TinyQueue<{ rank: number; order: number; candidate: Candidate }>(
    [],
    (a, b) => a.rank - b.rank || a.order - b.order,
  )
  readonly #waiting = new Map<string, Candidate>()
  #order = 0

  /** @param slots how many attempts may run at once, over all executions */
  constructor(readonly slots: number) {}

  get inUse(): number {
    return this.#inUse
  }

  /** May an execution that held `before` slots and now holds `held` start one more? Never past those who wait already. */
  admits(before: number, held: number): boolean {
    return this.#waiting.size === 0 && this.hasRoom(before, held)
  }

  /** Is there a slot for one that was chosen, whoever else waits? */
  hasRoom(before: number, held: number): boolean {
    return this.#inUse - before + held < this.slots
  }

  /** An execution went from holding `before` slots to `after`. */
  settle(before: number, after: number): void {
    this.#inUse += after - before
  }

  /** The node waits for a slot; it keeps its place when it waits already. */
  wait(candidate: Candidate): void {
    const key = `${candidate.executionId}/${candidate.nodeId}`
    if (this.#waiting.has(key)) return
    this.#waiting.set(key, candidate)
    this.#heap.push({ rank: rankOf(candidate), order: this.#order++, candidate })
  }

  /** The node waits no more (it started, was skipped or its run is gone). */
  leave(executionId: string, nodeId: string): void {
    this.#waiting.delete(`${executionId}/${nodeId}`)
  }

  /** The next candidate to admit while a slot is free, taken out of the queue; null when none can be. */
  next(): Candidate | null {
    if (this.#inUse >= this.slots) return null
    for (;;) {
      const first = this.#heap.pop()?.candidate
      if (first === undefined) return null
      const key = `${first.executionId}/${first.nodeId}`
      if (this.#waiting.get(key) !== first) continue
      this.#waiting.delete(key)
      return first
    }
  }

  /** Who waits, soonest first. For people: it sorts. */
  queue(): Candidate[] {
    return [...this.#waiting.values()].sort((a, b) => rankOf(a) - rankOf(b))
  }
}
