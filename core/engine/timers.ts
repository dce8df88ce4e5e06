import TinyQueue from 'tinyqueue'

/** What the engine itself looks at again, and when. At most one timer of a kind per node and item. */
export type TimerKind =
  'begin' | 'attempt_timeout' | 'wait' | 'approval' | 'start' | 'retry' | 'run' | 'restart'

export type Timer = {
  readonly kind: TimerKind
  readonly node: string
  readonly item: number | null
  /** Milliseconds since the epoch. */
  readonly dueAt: number
}

const keyOf = (kind: TimerKind, node: string, item: number | null) => `${kind}/${node}/${item ?? ''}`

/**
 * The armed timers of one execution: a map for the truth and a heap for "which is next". Disarming leaves a dead entry
 * in the heap that is dropped when it comes up, so that every operation is O(log n) and nothing scans all timers.
 */
export class Timers {
  readonly #armed = new Map<string, Timer>()
  readonly #heap = new TinyQueue<Timer>([], (a, b) => a.dueAt - b.dueAt)

  get size(): number {
    return this.#armed.size
  }

  /** All armed timers, in no particular order. */
  all(): IterableIterator<Timer> {
    return this.#armed.values()
  }

  get(kind: TimerKind, node: string, item: number | null = null): Timer | undefined {
    return this.#armed.get(keyOf(kind, node, item))
  }

  copy(): Timers {
    const copy = new Timers()
    for (const timer of this.#armed.values()) copy.arm(timer)
    return copy
  }

  arm(timer: Timer): void {
    this.#armed.set(keyOf(timer.kind, timer.node, timer.item), timer)
    this.#heap.push(timer)
  }

  disarm(kind: TimerKind, node: string, item: number | null = null): void {
    this.#armed.delete(keyOf(kind, node, item))
  }

  /** The timer that is due first, or undefined. */
  next(): Timer | undefined {
    for (;;) {
      const first = this.#heap.peek()
      if (first === undefined) return undefined
      if (this.#armed.get(keyOf(first.kind, first.node, first.item)) === first) return first
      this.#heap.pop()
    }
  }
}
