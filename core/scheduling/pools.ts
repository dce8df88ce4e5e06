import TinyQueue from 'tinyqueue'
import { sumOf, type Demand, type Shortage } from '@/core/pipeline/definition/demand'
import {
  entryAt,
  isSame,
  rebuild,
  sooner,
  soonerOfOwner,
  type Group,
  type GroupEntry,
  type Line,
  type LineEntry,
  type Owner,
  type Pool,
  type PoolRequest,
  type Waiting,
} from './line'

export type { PoolRequest } from './line'

/**
 * The one admission: every limit is a named pool with an amount, and requests wait here. Pure; the
 * caller says what owners hold (as their state says) and who waits.
 *
 * - A request is admitted when all of its demands fit at once; it holds nothing while it waits.
 * - Between owners the order is by priority, age and what each holds already (`turnOf`), within an owner by priority and weight.
 * - Within a pool nobody passes the first: what becomes free is thereby reserved for a large request, which does not starve behind
 *   small ones.
 * - One that needs several pools at once, and found one of them full too often, gets what it needs piece by piece: what is free of it is
 *   kept for it, for one request at a time, so that this ends.
 * - A request that waits for a full pool does not hold up requests for other pools; one that is larger than a pool holds up nobody.
 * - What an owner holds is set, never counted up or down: setting the same twice changes nothing, and nothing can leak.
 *
 * Cost of a decision: O(log n) for n requests that wait, and O(m) where m kinds of demand have to wait for another pool.
 */
export class Pools<T> {
  readonly #pools = new Map<string, Pool<T>>()
  readonly #lines = new Map<string, Line<T>>()
  readonly #owners = new Map<string, Owner<T>>()
  readonly #waiting = new Map<string, Waiting<T>>()
  /** Pools in which something became free, or to which somebody came, since their lines were looked at. */
  readonly #changed = new Set<Pool<T>>()
  /** For whom pieces are kept, and of which pools they are there. */
  #reserved: { readonly waiting: Waiting<T>; readonly pools: Set<string> } | null = null
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
    for (const owner of pool.holders.keys()) this.#reckon(this.#owners.get(owner)!)
    this.#forgetUnused(pool)
  }

  /** Says how much of a pool an owner holds from now on; 0: nothing. */
  hold(owner: string, name: string, amount: number): void {
    const pool = this.#pool(name)
    const before = pool.holders.get(owner) ?? 0
    if (amount === before) return
    const own = this.#owner(owner)
    if (amount === 0) {
      pool.holders.delete(owner)
      own.held.delete(name)
    } else {
      pool.holders.set(owner, amount)
      own.held.set(name, amount)
    }
    // A pool that nobody holds is exactly empty, whatever the fractions added up to.
    pool.used = pool.holders.size === 0 ? 0 : sumOf(pool.used, amount - before)
    if (amount < before) this.#changed.add(pool)
    this.#reckon(own)
    this.#forgetUnused(pool)
    this.#forgetOwner(own)
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

  /** The request waits from now on. One of the same key is replaced, and stays in its turn where nothing of it is another. */
  wait(request: PoolRequest<T>): void {
    const { key, demands } = request
    const before = this.#waiting.get(key)
    const id = demands.map(({ pool, amount }) => `${pool}\n${amount}`).join('\n')
    if (before !== undefined) {
      if (isSame(before, request, id)) return
      this.withdraw(key)
    }
    const line = this.#line(id, demands)
    const group = this.#group(line, request)
    const waiting: Waiting<T> = { request, order: before?.order ?? this.#order++, group, turnedAway: 0 }
    this.#waiting.set(key, waiting)
    group.size += 1
    group.heap.push(waiting)
    for (const { pool } of demands) this.#pool(pool).waiting += 1
    if (group.heap.peek() === waiting) this.#enter(group)
    if (this.#isTooLarge(line)) this.#park(line)
    else if (line.at === null) this.#queue(line, this.#fullPoolOf(line) ?? this.#pool(demands[0]!.pool))
  }

  /** The request does not wait any more. */
  withdraw(key: string): void {
    const waiting = this.#waiting.get(key)
    if (waiting === undefined) return
    this.#waiting.delete(key)
    if (this.#reserved?.waiting === waiting) this.#giveBack()
    const { group } = waiting
    const { line, owner } = group
    group.size -= 1
    for (const { pool } of line.demands) this.#pool(pool).waiting -= 1
    if (group.size === 0) this.#endGroup(group)
    else if (group.entry?.head === waiting) this.#enter(group)
    else if (group.heap.length > 2 * group.size + 64)
      rebuild(group.heap, (one) => this.#waiting.get(one.request.key) === one)
    for (const { pool } of line.demands) {
      // Those behind it may fit where it did not.
      this.#changed.add(this.#pool(pool))
      this.#forgetUnused(this.#pool(pool))
    }
    this.#forgetOwner(owner)
  }

  /**
   * The first request whose demands all fit, taken out of the queue; null: none does. The caller says by `hold` what it takes.
   *
   * @param now milliseconds; who got something last waits since then
   */
  next(now: number): PoolRequest<T> | null {
    const complete = this.#reserve()
    if (complete !== null) return this.#take(complete, now)
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
          const { head } = entry.first
          head.turnedAway += 1
          if (head.turnedAway >= MOST_TURNED_AWAY) this.#reserved ??= { waiting: head, pools: new Set() }
          this.#queue(line, full)
          continue
        }
        return this.#take(entry.first.head, now)
      }
      this.#changed.delete(pool)
    }
    return null
  }

  #take({ request, group }: Waiting<T>, now: number): PoolRequest<T> {
    group.owner.served = now
    this.withdraw(request.key)
    return request
  }

  /** Keeps what is free for the one that was turned away too often; answers with it once all of it is there. */
  #reserve(): Waiting<T> | null {
    if (this.#reserved === null) return null
    const { waiting, pools } = this.#reserved
    const { line } = waiting.group
    if (this.#isTooLarge(line)) {
      this.#giveBack()
      return null
    }
    const { key } = waiting.request
    for (const { pool: name, amount } of line.demands) {
      const pool = this.#pool(name)
      if (pools.has(name) || sumOf(pool.used, amount) > pool.capacity) continue
      pools.add(name)
      this.hold(reservationOf(key), name, amount)
    }
    return pools.size === line.demands.length ? waiting : null
  }

  #giveBack(): void {
    if (this.#reserved === null) return
    const { waiting, pools } = this.#reserved
    this.#reserved = null
    for (const name of pools) this.hold(reservationOf(waiting.request.key), name, 0)
  }

  /** Who waits, soonest first. For people: it sorts. */
  queue(): readonly PoolRequest<T>[] {
    const entryOf = (waiting: Waiting<T>): GroupEntry<T> => entryAt(waiting.group, waiting)
    return [...this.#waiting.values()]
      .map((waiting) => ({ waiting, entry: entryOf(waiting) }))
      .sort((a, b) =>
        a.waiting.group.owner === b.waiting.group.owner
          ? soonerOfOwner(a.waiting, b.waiting)
          : sooner(a.entry, b.entry),
      )
      .map(({ waiting }) => waiting.request)
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
      heap: new TinyQueue<LineEntry<T>>([], (a, b) => sooner(a.first, b.first)),
      waiting: 0,
    }
  }

  #owner(name: string): Owner<T> {
    let owner = this.#owners.get(name)
    if (owner === undefined) {
      owner = { name, held: new Map(), share: 0, served: -Infinity, groups: new Set() }
      this.#owners.set(name, owner)
    }
    return owner
  }

  #line(id: string, demands: readonly Demand[]): Line<T> {
    let line = this.#lines.get(id)
    if (line === undefined) {
      line = { id, demands, groups: new Map(), heap: new TinyQueue<GroupEntry<T>>([], sooner), at: null }
      this.#lines.set(id, line)
    }
    return line
  }

  #group(line: Line<T>, { owner: name, since }: PoolRequest<T>): Group<T> {
    let group = line.groups.get(name)
    if (group === undefined) {
      const owner = this.#owner(name)
      const heap = new TinyQueue<Waiting<T>>([], soonerOfOwner)
      group = { owner, line, heap, size: 0, since, entry: null }
      line.groups.set(name, group)
      owner.groups.add(group)
    }
    return group
  }

  #endGroup(group: Group<T>): void {
    const { line, owner } = group
    const wasFirst = line.heap.peek() === group.entry
    group.entry = null
    line.groups.delete(owner.name)
    owner.groups.delete(group)
    if (line.groups.size === 0) {
      this.#lines.delete(line.id)
      line.at?.lines.delete(line)
    } else if (wasFirst && line.at !== null) this.#queue(line, line.at)
  }

  /** The group stands in its line with its present head and turn. */
  #enter(group: Group<T>): void {
    const { line, heap, entry: before } = group
    let head = heap.peek()!
    while (this.#waiting.get(head.request.key) !== head) {
      heap.pop()
      head = heap.peek()!
    }
    const entry = entryAt(group, head)
    if (before !== null && before.head === head && before.turn === entry.turn) return
    const first = this.#firstOf(line)
    group.entry = entry
    line.heap.push(entry)
    if (line.heap.length > 2 * line.groups.size + 64) rebuild(line.heap, (one) => one.group.entry === one)
    if (line.at !== null && this.#firstOf(line) !== first) this.#queue(line, line.at)
  }

  /** What an owner holds has changed, and with it its turn wherever it waits. */
  #reckon(owner: Owner<T>): void {
    let share = 0
    for (const [name, amount] of owner.held) {
      const { capacity } = this.#pools.get(name)!
      if (capacity !== Infinity) share = Math.max(share, capacity === 0 ? 1 : amount / capacity)
    }
    owner.share = Math.min(1, share)
    for (const group of owner.groups) this.#enter(group)
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

  #isStale({ line, first }: LineEntry<T>, pool: Pool<T>): boolean {
    return !pool.lines.has(line) || this.#firstOf(line) !== first
  }

  /** The first of a line that still waits. */
  #firstOf({ heap }: Line<T>): GroupEntry<T> | undefined {
    let first = heap.peek()
    while (first !== undefined && first.group.entry !== first) {
      heap.pop()
      first = heap.peek()
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

  #forgetOwner(owner: Owner<T>): void {
    if (owner.held.size === 0 && owner.groups.size === 0) this.#owners.delete(owner.name)
  }
}

/** Enough for most to be lucky; then luck has no part in it. */
const MOST_TURNED_AWAY = 10

/** Owners that begin with # are no runs; the rest of it is for people. */
const reservationOf = (key: string): string => `#0 reserved for ${key}`
