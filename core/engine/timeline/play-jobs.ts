import TinyQueue from 'tinyqueue'
import { sumOf, type Demand } from '@/core/pipeline/definition/demand'
import { Pools } from '@/core/scheduling/pools'

/**
 * What is known of the work of a node, done and to come. Instants and durations are milliseconds on one axis, zero being the start of
 * the run.
 */
export type Job = {
  readonly id: string
  /** When it really started; null: it has not. */
  readonly start: number | null
  /** When it really ended; null: it has not. */
  readonly finish: number | null
  /** It did nothing and never will: it stands where those before it have ended. */
  readonly isVoid: boolean
  /** Nothing but a place is missing to begin. */
  readonly isReady: boolean
  /** Attempts at work, each with its place: since when, and when it is expected to end. */
  readonly working: readonly { readonly since: number; readonly end: number }[]
  /** Attempts that have to begin yet: how many, how long each takes, and how many may be at work at once. */
  readonly left: number
  readonly duration: number
  readonly atOnce: number
  /** Of one that has started or is ready: the first of them asks for its place since then, or will. */
  readonly askedAt: number
  /** It does not end before, whatever its attempts do. */
  readonly notBefore: number
  /** What each attempt demands of the pools. */
  readonly demands: readonly Demand[]
  readonly priority: number
  /** Of jobs of the same priority the one with more gets its place first: how much of the run waits for it. */
  readonly weight: number
  /** Something from outside may have let it begin: that it began late does not say that it lacked a place. */
  readonly namesOutside: boolean
}

/** How much of each pool a run may have; of a pool that is not there, as much as it wants. */
export type Capacities = ReadonlyMap<string, number>

/** A stretch of work of a node that needed one place: an attempt, or all of a node that has ended. */
export type Unit = {
  readonly node: string
  /** From when on it could have begun, and when it did. */
  readonly ready: number
  readonly start: number
  readonly finish: number
  readonly demands: readonly Demand[]
}

/** What ends when, while jobs are played. */
export type Ends = {
  readonly has: (id: string) => boolean
  /** Calls back once, when the node ends; not for one that has ended. */
  readonly next: (id: string, then: () => void) => void
}

/**
 * Waits until a node may begin as far as others decide it, then says whose ends decided it; at once where they have ended.
 */
export type WhenReady = (id: string, ends: Ends, begin: (after: readonly string[]) => void) => void

export type Played = {
  /** In an order in which each comes after everything that it had to wait for. */
  readonly units: readonly Unit[]
  readonly nodes: ReadonlyMap<string, { readonly start: number; readonly finish: number }>
  /** Node → nodes whose ends let it begin. */
  readonly after: ReadonlyMap<string, readonly string[]>
}

type Board = {
  readonly now: number
  /** The nodes, each after its predecessors. */
  readonly order: readonly string[]
  readonly predecessors: ReadonlyMap<string, readonly string[]>
  readonly capacities: Capacities
  readonly whenReady: WhenReady
}

/**
 * Plays what is left of a run forward, from end to end: what has ended keeps its times, and what may begin asks for its places as the
 * engine does, in the same pools and the same order. So it ends where a rehearsal with these places ends, at the cost of a step for
 * each attempt.
 *
 * @param jobs in the order of the definition, which decides where nothing else does; a node that is never ready is left out
 */
export function playJobs(jobs: ReadonlyMap<string, Job>, board: Board): Played {
  const play = new Play(jobs, board)
  play.begin()
  play.run()
  return { units: [...play.begun, ...play.units], nodes: play.nodes, after: play.after }
}

type Happening = { readonly at: number; readonly order: number; readonly then: () => void }

type Progress = {
  start: number | null
  left: number
  working: number
  /** When those had ended that it waited for. */
  ready: number
  /** When its next attempt asked for a place; null: it does not ask. */
  asks: number | null
}

class Play {
  /** What has begun already, by when it did; then what begins. */
  readonly begun: Unit[] = []
  readonly units: Unit[] = []
  readonly nodes = new Map<string, { start: number; finish: number }>()
  readonly after = new Map<string, readonly string[]>()
  #at: number
  #order = 0
  readonly #agenda = new TinyQueue<Happening>([], (a, b) => a.at - b.at || a.order - b.order)
  readonly #pools = new Pools<string>()
  readonly #held = new Map<string, number>()
  readonly #listeners = new Map<string, (() => void)[]>()
  readonly #progress = new Map<string, Progress>()
  /** Nodes for which those have ended that they waited for. */
  readonly #ready: string[] = []
  /** Of the nodes in the definition. */
  readonly #places: ReadonlyMap<string, number>

  constructor(
    readonly jobs: ReadonlyMap<string, Job>,
    readonly board: Board,
  ) {
    this.#at = board.now
    this.#places = new Map([...jobs.keys()].map((id, index) => [id, index]))
    for (const [pool, amount] of board.capacities) this.#pools.setCapacity(pool, amount)
  }

  /** Takes everything up as it is now. */
  begin(): void {
    const { jobs, board } = this
    this.#past()
    const open = [...jobs.values()].filter(({ id }) => !this.nodes.has(id))
    for (const job of open) this.#takeUp(job)
    this.begun.sort((a, b) => a.start - b.start || a.finish - b.finish)
    const asking = open.filter(({ start, isReady }) => start !== null || isReady)
    // A list that got a place asks for the next one after all others that ask at that instant.
    const isNext = ({ start, askedAt }: Job) => Number(start !== null && askedAt > start)
    asking.sort((a, b) => a.askedAt - b.askedAt || isNext(a) - isNext(b))
    for (const { id, askedAt } of asking)
      if (askedAt > this.#at) this.#plan(askedAt, () => this.#goOn(id))
      else this.#goOn(id)
    for (const { id, start, isReady } of open)
      if (start === null && !isReady)
        board.whenReady(id, this.#ends, (after) => {
          this.after.set(id, after)
          this.#progress.get(id)!.ready = this.#lastEnd(after)
          this.#ready.push(id)
        })
    this.#admit()
  }

  run(): void {
    for (let next = this.#agenda.pop(); next !== undefined; next = this.#agenda.pop()) {
      this.#at = Math.max(this.#at, next.at)
      next.then()
      this.#admit()
    }
  }

  /** What has ended, each as one stretch; and whom each that has begun, or could, came after. */
  #past(): void {
    const { jobs, board } = this
    for (const id of board.order) {
      const job = jobs.get(id)
      if (job === undefined || (job.start === null && job.finish === null && !job.isReady && !job.isVoid))
        continue
      const earlier = (board.predecessors.get(id) ?? []).filter((other) => this.nodes.has(other))
      this.after.set(id, earlier)
      const finish = job.isVoid ? this.#lastEnd(earlier) : job.finish
      if (finish === null) continue
      const node = { start: job.isVoid ? finish : (job.start ?? finish), finish }
      this.nodes.set(id, node)
      this.begun.push({ node: id, ready: this.#readyAt(id), ...node, demands: job.demands })
    }
  }

  /** From when on one that has begun could have, but for a place. */
  #readyAt(id: string): number {
    const { namesOutside, start, finish } = this.jobs.get(id)!
    const began = start ?? finish ?? this.#at
    if (namesOutside) return began
    return this.#lastEnd(this.after.get(id)!.filter((other) => this.nodes.get(other)!.finish <= began))
  }

  #lastEnd(nodes: readonly string[]): number {
    return nodes.reduce((latest, id) => Math.max(latest, this.nodes.get(id)!.finish), 0)
  }

  readonly #ends: Ends = {
    has: (id) => this.nodes.has(id),
    next: (id, then) => {
      const listeners = this.#listeners.get(id)
      if (listeners === undefined) this.#listeners.set(id, [then])
      else listeners.push(then)
    },
  }

  #plan(at: number, then: () => void): void {
    this.#agenda.push({ at, order: this.#order++, then })
  }

  /** What is at work holds its places. */
  #takeUp({ id, start, left, working, isReady, askedAt, demands }: Job): void {
    const asks = start !== null || isReady ? askedAt : null
    this.#progress.set(id, { start, left, working: working.length, ready: askedAt, asks })
    for (const { since, end } of working) {
      const ready = since === start ? this.#readyAt(id) : since
      const unit = { node: id, ready, start: since, finish: Math.max(end, this.#at), demands }
      this.begun.push(unit)
      this.#goesOn(unit)
    }
  }

  /** Begins as many attempts as there are places for, and waits for more; or ends. */
  #goOn(id: string): void {
    const job = this.jobs.get(id)!
    const progress = this.#progress.get(id)!
    while (progress.left > 0 && progress.working < job.atOnce) {
      if (job.demands.length > 0 && this.#pools.shortage(OWNER, job.demands) !== null)
        return this.#wait(job, progress)
      this.#start(job, progress)
    }
    if (progress.left > 0 || progress.working > 0) return
    // What takes no time at all does not move to now where it could have ended before.
    const isNothing = progress.start === null && job.left === 0
    const at = isNothing ? Math.min(this.#at, progress.ready) : this.#at
    progress.start ??= at
    if (job.notBefore > at) this.#plan(job.notBefore, () => this.#end(job, progress, this.#at))
    else this.#end(job, progress, at)
  }

  #wait({ id, demands, priority, weight }: Job, progress: Progress): void {
    if (this.#pools.isWaiting(id)) return
    progress.asks = Math.min(progress.asks ?? this.#at, this.#at)
    this.#pools.wait({ key: id, owner: OWNER, demands, priority, since: progress.asks, weight, subject: id })
  }

  #start({ id, duration, demands }: Job, progress: Progress): void {
    const at = this.#at
    const ready = Math.min(progress.asks ?? at, at)
    progress.asks = null
    progress.left -= 1
    progress.working += 1
    progress.start ??= at
    const unit = { node: id, ready, start: at, finish: at + duration, demands }
    this.units.push(unit)
    this.#goesOn(unit)
  }

  #goesOn(unit: Unit): void {
    this.#hold(unit.demands, 1)
    this.#plan(unit.finish, () => {
      this.#hold(unit.demands, -1)
      this.#progress.get(unit.node)!.working -= 1
      this.#goOn(unit.node)
    })
  }

  #end({ id, working, left }: Job, progress: Progress, at: number): void {
    if (this.nodes.has(id)) return
    const start = progress.start ?? at
    this.nodes.set(id, { start, finish: at })
    // Without work it is a stretch all the same, for those after it.
    if (working.length === 0 && left === 0)
      this.units.push({ node: id, ready: start, start, finish: at, demands: [] })
    const listeners = this.#listeners.get(id) ?? []
    this.#listeners.delete(id)
    const before = this.#ready.length
    for (const then of listeners) then()
    const together = this.#ready.splice(before)
    this.#ready.push(...together.sort((a, b) => this.#places.get(a)! - this.#places.get(b)!))
  }

  #hold(demands: readonly Demand[], sign: 1 | -1): void {
    for (const { pool, amount } of demands) {
      const held = sumOf(this.#held.get(pool) ?? 0, sign * amount)
      this.#held.set(pool, held)
      this.#pools.hold(OWNER, pool, held)
    }
  }

  #fitTogether(jobs: readonly Job[]): boolean {
    const sums = new Map<string, number>()
    for (const { demands } of jobs)
      for (const { pool, amount } of demands) sums.set(pool, sumOf(sums.get(pool) ?? 0, amount))
    const all = [...sums].map(([pool, amount]) => ({ pool, amount }))
    return this.#pools.shortage(OWNER, all, { chosen: true }) === null
  }

  /** Where more may begin than there is room for, those come first for which most waits: as the engine does it. */
  #arrange(): void {
    const jobs = this.#ready.map((id) => this.jobs.get(id)!)
    const demanding = jobs.filter(({ demands }) => demands.length > 0)
    if (demanding.length < 2) return
    // A list takes as many as there are, or ends at once.
    if (demanding.every(({ left }) => left === 1) && this.#fitTogether(demanding)) return
    const others = jobs.filter((job) => !demanding.includes(job))
    demanding.sort((a, b) => b.priority - a.priority || b.weight - a.weight)
    this.#ready.splice(0, this.#ready.length, ...[...others, ...demanding].map(({ id }) => id))
  }

  /** Those that may begin ask for their places, then whoever waited longest gets what is left. */
  #admit(): void {
    for (let arranged = 0; this.#ready.length > 0; arranged -= 1) {
      // What took no time has made others ready, which are compared with those that are left.
      if (this.#ready.length !== arranged) this.#arrange()
      arranged = this.#ready.length
      this.#goOn(this.#ready.shift()!)
    }
    for (let next = this.#pools.next(this.#at); next !== null; next = this.#pools.next(this.#at)) {
      const id = next.subject
      this.#start(this.jobs.get(id)!, this.#progress.get(id)!)
      this.#goOn(id)
    }
  }
}

const OWNER = 'run'
