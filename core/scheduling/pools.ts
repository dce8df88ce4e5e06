import TinyQueue from 'tinyqueue'
import { sumOf, type Demand, type Shortage } from '@/core/pipeline/definition/demand'

/** Somebody who waits until all of its demands fit at once. */
export type PoolRequest<T> = {
  /** Unique among those who wait. */
  readonly key: string
  readonly demands: readonly Demand[]
  /** Less is sooner; `wait` with another rank moves the request. */
  readonly rank: number
  readonly subject: T
}

type Waiting<T> = { readonly request: PoolRequest<T>; readonly order: number; readonly line: Line<T> }

/** All who demand the same: only the first of them is ever looked at. */
type Line<T> = {
  readonly id: string
  readonly demands: readonly Demand[]
  readonly heap: TinyQueue<Waiting<T>>
  size: number
  /** The pool for which the line waits; null: a pool is too small for it, and it waits until that grows. */
  at: Pool<T> | null
}

type Pool<T> = {
  readonly name: string
  capacity: number
  used: number
  readonly holders: Map<string, number>
  /** Lines that wait here. */
  readonly lines: Set<Line<T>>
  /** The same by the rank of their first; an entry whose line has moved or has another first is stale. */
  readonly heap: TinyQueue<Entry<T>>
  /** Requests, in any line, that demand something of this pool. */
  waiting: number
}

type Entry<T> = { readonly line: Line<T>; readonly first: Waiting<T> }

const sooner = <T>(a: Waiting<T>, b: Waiting<T>) => a.request.rank - b.request.rank || a.order - b.order

/**
 * The one admission: every limit is a named pool with an amount, and requests wait here. Pure; the
 * caller says what owners hold (as their state says) and who waits.
 *
 * - A request is admitted when all of its demands fit at once; it holds nothing while it waits.
 * - Within a pool the order is by rank, then arrival, and nobody passes the first: what becomes free is thereby reserved for a
 *   large request, which does not starve behind small ones.
 * - A request that waits for a full pool does not hold up requests for other pools; one that is larger than a pool holds up nobody.
 * - What an owner holds is set, never counted up or down: setting the same twice changes nothing, and nothing can leak.
 *
 * Cost of a decision: O(log n) for n requests that wait, and O(m) where m kinds of demand have to wait for another pool.
 */
export class Pools<T> {
  readonly #pools = new Map<string, Pool<T>>()
  readonly #lines = new Map<string, Line<T>>()
  readonly #waiting = new Map<string, Waiting<T>>()
  /** Pools in which something became free, or to which somebody came, since their lines were looked at. */
  readonly #changed = new Set<Pool<T>>()
  #order = 0

  /** @param capacityOf of a pool of which nobody has said it */
  constructor(readonly capacityOf: (name: string) => number = () => Infinity) {}

  /** Sets the capacity of a pool, also while it is in use; `null`: it has no limit. */
  setCapacity(name: string, capacity: number | null): void {
    const pool = this.#pool(name)
    const grows = (capacity ?? Infinity) > pool.capacity
    pool.capacity = capacity ?? Infinity
    this.#changed.add(pool)
    for (const line of this.#lines.values()) {
      if (!line.demands.some((demand) => demand.pool === name)) continue
      const small = this.#isTooLarge(line)
      if (small && line.at !== null) this.#park(line)
      else if (!small && grows && line.at === null) this.#queue(line, pool)
    }
    this.#forgetUnused(pool)
  }

  /** Says how much of a pool an owner holds from now on; 0: nothing. */
  hold(owner: string, name: string, amount: number): void {
    const pool = this.#pool(name)
    const before = pool.holders.get(owner) ?? 0
    if (amount === before) return
    if (amount === 0) pool.holders.delete(owner)
    else pool.holders.set(owner, amount)
    // A pool that nobody holds is exactly empty, whatever the fractions added up to.
    pool.used = pool.holders.size === 0 ? 0 : sumOf(pool.used, amount - before)
    if (amount < before) this.#changed.add(pool)
    this.#forgetUnused(pool)
  }

  /**
   * What an owner lacks to take these demands, or null when they fit. `held`: what it holds now of a pool where that is more than
   * was said by `hold` (it is in the middle of a step). `chosen`: it was admitted by `next` and does not queue again.
   */
  shortage(
    owner: string,
    demands: readonly Demand[],
    options: { readonly held?: (pool: string) => number; readonly chosen?: boolean } = {},
  ): Shortage | null {
    for (const { pool: name, amount } of demands) {
      const pool = this.#pools.get(name) ?? this.#unused(name)
      if (pool.capacity === Infinity && pool.lines.size === 0) continue
      const more = options.held === undefined ? 0 : options.held(name) - (pool.holders.get(owner) ?? 0)
      const used = pool.used + more
      const tooLarge = amount > pool.capacity
      const full = sumOf(used, amount) > pool.capacity
      if (full || (options.chosen !== true && pool.lines.size > 0)) {
        const reason = tooLarge ? 'too_large' : full ? 'full' : 'behind_others'
        return { pool: name, reason, amount, used, capacity: pool.capacity }
      }
    }
    return null
  }

  /** The request waits from now on. One of the same key is replaced, and keeps its turn when rank and demands are the same. */
  wait(request: PoolRequest<T>): void {
    const { key, demands } = request
    const before = this.#waiting.get(key)
    const id = demands.map(({ pool, amount }) => `${pool}\n${amount}`).join('\n')
    if (before !== undefined) {
      if (before.line.id === id && before.request.rank === request.rank) return
      this.withdraw(key)
    }
    const line = this.#line(id, demands)
    const waiting: Waiting<T> = { request, order: before?.order ?? this.#order++, line }
    this.#waiting.set(key, waiting)
    line.size += 1
    line.heap.push(waiting)
    for (const { pool } of demands) this.#pool(pool).waiting += 1
    if (this.#isTooLarge(line)) this.#park(line)
    else if (line.heap.peek() === waiting) {
      const at = this.#fullPoolOf(line) ?? line.at ?? this.#pool(line.demands[0]!.pool)
      this.#queue(line, at)
    }
  }

  /** The request does not wait any more. */
  withdraw(key: string): void {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return
    this.#waiting.delete(key)
    const { line } = waiting
    line.size -= 1
    for (const { pool } of line.demands) this.#pool(pool).waiting -= 1
    if (line.size === 0) this.#end(line)
    else if (line.at !== null && line.heap.peek() === waiting) this.#queue(line, line.at)
    else if (line.heap.length > 2 * line.size + 64)
      rebuild(line.heap, (one) => this.#waiting.get(one.request.key) === one)
    for (const { pool } of line.demands) {
      // Those behind it may fit where it did not.
      this.#changed.add(this.#pool(pool))
      this.#forgetUnused(this.#pool(pool))
    }
  }

  /** The first request whose demands all fit, taken out of the queue; null: none does. The caller says by `hold` what it takes. */
  next(): PoolRequest<T> | null {
    for (const pool of this.#changed) {
      for (let entry = pool.heap.peek(); entry !== undefined; entry = pool.heap.peek()) {
        const { line } = entry
        if (this.#isStale(entry, pool)) {
          pool.heap.pop()
          continue
        }
        const full = this.#fullPoolOf(line)
        if (full === pool) break
        pool.heap.pop()
        if (full !== null) {
          this.#queue(line, full)
          continue
        }
        const { request } = entry.first
        this.withdraw(request.key)
        return request
      }
      this.#changed.delete(pool)
    }
    return null
  }

  /** Who waits, soonest first. For people: it sorts. */
  queue(): readonly PoolRequest<T>[] {
    return [...this.#waiting.values()].sort(sooner).map(({ request }) => request)
  }

  /** How much of a pool an owner was said to hold. */
  heldBy(owner: string, name: string): number {
    return this.#pools.get(name)?.holders.get(owner) ?? 0
  }

  isWaiting(key: string): boolean {
    return this.#waiting.has(key)
  }

  /** Pools that have a limit of their own, or of which something is held or waited for. */
  names(): string[] {
    return [...this.#pools.keys()]
  }

  /** How a pool stands; null: it has no limit and nobody holds any of it. */
  stateOf(name: string): {
    readonly capacity: number | null
    readonly used: number
    readonly waiting: number
    readonly holders: ReadonlyMap<string, number>
  } | null {
    const pool = this.#pools.get(name)
    if (pool === undefined) return null
    const { capacity, used, waiting, holders } = pool
    return { capacity: capacity === Infinity ? null : capacity, used, waiting, holders }
  }

  #pool(name: string): Pool<T> {
    const pool = this.#pools.get(name) ?? this.#unused(name)
    this.#pools.set(name, pool)
    return pool
  }

  #unused(name: string): Pool<T> {
    return {
      name,
      capacity: this.capacityOf(name),
      used: 0,
      holders: new Map(),
      lines: new Set(),
      heap: new TinyQueue<Entry<T>>([], (a, b) => sooner(a.first, b.first)),
      waiting: 0,
    }
  }

  #line(id: string, demands: readonly Demand[]): Line<T> {
    let line = this.#lines.get(id)
    if (line === undefined) {
      line = {
        id,
        demands,
        heap: new TinyQueue<Waiting<T>>([], sooner),
        size: 0,
        at: null,
      }
      this.#lines.set(id, line)
    }
    return line
  }

  /** The line waits at the pool with its present first. */
  #queue(line: Line<T>, pool: Pool<T>): void {
    const first = this.#firstOf(line)
    if (first === undefined) return
    line.at?.lines.delete(line)
    line.at = pool
    pool.lines.add(line)
    pool.heap.push({ line, first })
    if (pool.heap.length > 2 * pool.lines.size + 64)
      rebuild(pool.heap, (entry) => !this.#isStale(entry, pool))
    this.#changed.add(pool)
  }

  #end(line: Line<T>): void {
    this.#lines.delete(line.id)
    line.at?.lines.delete(line)
  }

  /** The line waits for no pool: one of them would have to grow first. Those behind it may go. */
  #park(line: Line<T>): void {
    if (line.at === null) return
    this.#changed.add(line.at)
    line.at.lines.delete(line)
    line.at = null
  }

  #isTooLarge({ demands }: Line<T>): boolean {
    return demands.some(({ pool, amount }) => amount > this.#pool(pool).capacity)
  }

  #isStale({ line, first }: Entry<T>, pool: Pool<T>): boolean {
    return !pool.lines.has(line) || this.#firstOf(line) !== first
  }

  /** The first of a line that still waits. */
  #firstOf(line: Line<T>): Waiting<T> | undefined {
    let first = line.heap.peek()
    while (first !== undefined && this.#waiting.get(first.request.key) !== first) {
      line.heap.pop()
      first = line.heap.peek()
    }
    return first
  }

  #fullPoolOf(line: Line<T>): Pool<T> | null {
    for (const { pool: name, amount } of line.demands) {
      const pool = this.#pool(name)
      if (sumOf(pool.used, amount) > pool.capacity) return pool
    }
    return null
  }

  #forgetUnused(pool: Pool<T>): void {
    if (pool.capacity !== this.capacityOf(pool.name) || pool.holders.size > 0 || pool.waiting > 0) return
    this.#pools.delete(pool.name)
    this.#changed.delete(pool)
  }
}

/** Drops the stale entries from the middle of a heap. */
function rebuild<T>(heap: TinyQueue<T>, isLive: (item: T) => boolean): void {
  const live = heap.data.filter(isLive)
  heap.data = []
  heap.length = 0
  for (const item of live) heap.push(item)
}
