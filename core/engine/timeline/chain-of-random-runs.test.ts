import { describe, expect, it } from 'vitest'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { typedEvent, type TypedEvent } from '@/core/engine/typed-event'
import type { EngineRun } from '@/testing/engine-run'
import { randomRun } from '@/testing/random-run'
import { Random } from '@/testing/simulation/random'
import { parseDuration } from '@/core/pipeline/duration'
import { evaluateStartWhen, type Truth } from '@/core/pipeline/gate/evaluate'
import type { ConditionAtom } from '@/core/pipeline/gate/start-when'
import { criticalChain, type Segment } from './chain'
import type { Entry, Event } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { forecast } from './forecast'
import { parseInstant } from '@/core/engine/instant'
import { viewOf } from '@/core/engine/view/project'
import { emptyState, isTerminal, type ExecutionState, type NodeState } from '@/core/engine/state'
import { follow, newTimeline } from './timeline'

const KINDS = { queued: 'queue', retrying: 'wait', waiting: 'wait' } as const

/** What a node does, by the state of the engine. */
function kindOf(state: ExecutionState, id: string): Exclude<Segment['kind'], 'gap'> | 'none' | null {
  const node = state.nodes.get(id)!
  if (isTerminal(node.status) || node.status === 'pending') return null
  const timed = node.status === 'waiting' && node.approval === null
  if (node.status !== 'running' && !timed) return KINDS[node.status as keyof typeof KINDS]
  const own = [...state.inFlight.values()].filter((attempt) => attempt.node === id)
  const runs = own.filter(
    ({ item, child }) => child === null && state.timers.get('wait', id, item) === undefined,
  )
  if (runs.length > 0) return 'run'
  if (own.length > 0 || (node.items?.retries.size ?? 0) > 0) return 'wait'
  return node.items === null ? 'none' : 'queue'
}

/** Has the start timeout of the node expired? */
const expires = (typed: TypedEvent): boolean =>
  typed.level === 'node' &&
  typed.word === 'waiting' &&
  typed.payload.for === 'event' &&
  typed.payload.expired === true

/** The events that opened the gate of a node, where the event says that it queues or starts. */
function gateEventsOf(event: Event): readonly string[] {
  const typed = typedEvent(event)
  const isGated = typed.level === 'node' && (typed.word === 'queued' || typed.word === 'started')
  return isGated ? typed.payload.gate.events : []
}

type Instant = {
  readonly entry: Entry
  readonly at: number
  readonly kinds: ReadonlyMap<string, ReturnType<typeof kindOf>>
  readonly idle: ReadonlySet<string>
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** The run as the engine's own state saw it after each event, and which nodes wait for the outside alone. */
function instantsOf(run: EngineRun): Instant[] {
  const { pipeline } = run.state
  const state = emptyState('x1', pipeline)
  const awaiting = new Set<string>()
  const expired = new Set<string>()
  return run.entries.map((entry) => {
    evolve(state, entry)
    const { type, source } = entry.event
    const typed = typedEvent(entry.event)
    const isReset = typed.level === 'node' && typed.word === 'reset'
    if (isReset) awaiting.delete(source.entity_id)
    for (const [id, { gateEvents }] of pipeline.nodes) {
      const all = pipeline.predecessors
        .get(id)!
        .every((before) => isTerminal(state.nodes.get(before)!.status))
      const can = all && gateEvents.some(isExternal) && state.startedAt !== null
      const looks =
        type === 'pipeline.started' || type === 'pipeline.resumed' || source.entity_type === 'node'
      if (state.nodes.get(id)!.status !== 'pending') awaiting.delete(id)
      else if (can && looks && !state.paused && !isReset && source.entity_id !== id) awaiting.add(id)
    }
    if (state.nodes.get(source.entity_id)?.status !== 'pending') expired.delete(source.entity_id)
    else if (expires(typed)) expired.add(source.entity_id)
    if (typed.level === 'node' && typed.word === 'waiting' && typed.payload.for === 'event')
      awaiting[expires(typed) ? 'delete' : 'add'](source.entity_id)
    const kinds = [...pipeline.nodes.keys()].map(
      (id) => [id, awaiting.has(id) ? 'wait' : expired.has(id) ? 'none' : kindOf(state, id)] as const,
    )
    const idle = new Set(
      [...state.nodes].flatMap(([id, node]) =>
        (node.status === 'waiting' && node.approval !== null) || awaiting.has(id) ? [id] : [],
      ),
    )
    const { startedAt, finishedAt } = state
    return {
      entry,
      at: parseInstant(entry.event.timestamp),
      kinds: new Map(kinds),
      idle,
      startedAt,
      finishedAt,
    }
  })
}

/** The same chain by looking through everything that happened, again and again. */
class Naive {
  readonly segments: Segment[] = []
  /** The nodes that it goes through, the latest first. */
  readonly nodes = new Set<string>()
  at: number

  constructor(
    readonly run: EngineRun,
    readonly instants: readonly Instant[],
    readonly now: number,
    ahead: readonly string[] = [],
  ) {
    const last = instants.at(-1)!
    this.at = last.finishedAt ?? now
    if (last.startedAt === null) return
    const k = instants.length - 1
    const { finallyNodes } = run.state.pipeline
    const nodes = [...last.kinds.keys()].filter((id) => !finallyNodes.includes(id))
    const open = nodes
      .filter((id) => this.kind(id, k) !== null)
      .toSorted((a, b) => this.opening(a, k + 1) - this.opening(b, k + 1))
    const active = open.filter((id) => this.kind(id, k) !== 'none' && !last.idle.has(id))
    const onTheWay = ahead.findLast((id) => this.kind(id, k) !== null)
    const first = last.finishedAt === null ? (onTheWay ?? active[0] ?? open[0]) : undefined
    if (last.finishedAt === null && onTheWay === undefined && ahead[0] !== undefined) {
      const best = this.latestBefore(ahead[0], k, [])
      if (best.e >= 0) this.explain(best.before, best.e)
    } else if (first !== undefined) this.explain(first, k + 1)
    else {
      const over = instants.findLastIndex(
        ({ entry }, i) => entry.event.type === 'pipeline.restarted' && instants[i - 1]!.finishedAt !== null,
      )
      const ends = nodes.map((id) => ({ id, e: this.ending(id, k, true) })).filter(({ e }) => e > over)
      const latest = ends.toSorted((a, b) => b.e - a.e)[0]
      if (latest !== undefined) this.explain(latest.id, latest.e)
    }
    this.back('gap', null, last.startedAt)
    this.segments.reverse()
  }

  kind = (id: string, i: number) => this.instants[i]?.kinds.get(id) ?? null

  /** Index of the event with which what the node did before event `i` began. */
  opening(id: string, i: number): number {
    let o = i
    while (this.kind(id, o - 1) !== null) o -= 1
    return o
  }

  /** Index of the event that ended the node last, up to `i`; -1: none did. */
  ending(id: string, i: number, began = false): number {
    for (let e = i; e >= 0; e -= 1) {
      const { event } = this.instants[e]!.entry
      const word =
        event.source.entity_id === id && event.item === undefined ? event.type.slice(id.length + 1) : ''
      const was = this.kind(id, e - 1) !== null
      if (/^(completed|failed|cancelled)$/.test(word)) return e
      if ((word === 'skipped' && (was || !began)) || (word === 'reset' && was)) return e
    }
    return -1
  }

  back(kind: Segment['kind'], node: string | null, to: number): void {
    const from = Math.max(to, this.instants.at(-1)!.startedAt!)
    if (from >= this.at) return
    const after = this.segments.at(-1)
    if (after?.kind === kind && after.node === node) this.segments.splice(-1, 1, { ...after, from })
    else this.segments.push({ kind, node, from, to: this.at })
    this.at = from
  }

  /** Everything up to event `i` that ends with what the node did before it. */
  explain(id: string, i: number): void {
    if (i >= this.instants.length || this.instants[i]!.at >= this.instants.at(-1)!.startedAt!)
      this.nodes.add(id)
    if (i < this.instants.length) this.back('gap', null, this.instants[i]!.at)
    const o = this.opening(id, i)
    for (let slot = i - 1; slot >= o; slot -= 1) {
      const kind = this.kind(id, slot)!
      if (kind === 'none') this.back('gap', null, this.instants[slot]!.at)
      else this.back(kind, id, this.instants[slot]!.at)
    }
    const { event } = this.instants[o]!.entry
    const isOwn = event.source.entity_id === id && event.source.entity_type === 'node'
    const limit = isOwn ? o - 1 : o
    const gates = isOwn ? gateEventsOf(event) : []
    const best = this.latestBefore(id, limit, gates)
    const came = Math.max(-1, ...gates.filter(isExternal).map((type) => this.latest(type, limit)))
    const since = best.e < 0 ? this.instants.at(-1)!.startedAt! : this.instants[best.e]!.at
    if (came > best.e) this.back('wait', id, since)
    if (best.e >= 0) this.explain(best.before, best.e)
  }

  latest = (type: string, limit: number) =>
    this.instants.findLastIndex(({ entry }, e) => e <= limit && entry.event.type === type)

  /** What ended (or, of what its gate names, happened) last before event `limit`. */
  latestBefore(id: string, limit: number, gates: readonly string[]) {
    const candidates = [id, ...this.run.state.pipeline.predecessors.get(id)!].map((before) => ({
      before,
      e:
        this.kind(before, limit) === null
          ? this.ending(before, limit)
          : Math.max(
              -1,
              ...gates
                .filter((type) => type.startsWith(`${before}.`))
                .map((type) => this.latest(type, limit)),
            ),
    }))
    return candidates.toSorted((a, b) => b.e - a.e)[0]!
  }
}

/** When every node that is left would end, by asking again and again; and which are left that would start if all went well. */
function naiveEnds(state: ExecutionState, now: number, medians: ReadonlyMap<string, number>) {
  const { pipeline } = state
  const left = [...pipeline.nodes.values()].filter(
    ({ id, finally: last }) => !last && !isTerminal(state.nodes.get(id)!.status),
  )
  const goesOn = (id: string): boolean => {
    const compiled = pipeline.nodes.get(id)!
    if (state.nodes.get(id)!.status !== 'pending') return true
    const event = (type: string): Truth => {
      const { level, node: source, word } = eventTypeOf(type)
      if (state.events.has(type) || level === 'external') return 'true'
      const node = state.nodes.get(source)
      if (node === undefined || level !== 'node') return 'dead'
      if (isTerminal(node.status)) return 'dead'
      const well = goesOn(source) ? ['completed', 'approved', 'started'] : ['skipped']
      return well.includes(word) ? 'true' : 'dead'
    }
    return evaluateStartWhen(compiled.gate, { event, condition: () => ({ truth: 'true' }) }).truth === 'true'
  }
  const takes = (id: string): number => {
    const { kind, forEach, definition } = pipeline.nodes.get(id)!
    if (!goesOn(id)) return 0
    const written = forEach === null && kind === 'wait' ? definition.inputBindings?.['duration'] : undefined
    const items = forEach === null ? 1 : (definition.forEach!.items as readonly unknown[]).length
    const rounds = Math.ceil(items / (forEach?.concurrency ?? Infinity) || (items > 0 ? 1 : 0))
    return (
      parseDuration(String(written)) ??
      medians.get(id) ??
      (kind === 'approval' ? 0 : 1_000 * (forEach === null ? 1 : Math.max(rounds, Math.min(1, items))))
    )
  }
  /** Without a history: what is at work ends a second after it began, then one more begins, as many at once as may. */
  const itemsEnd = (id: string, items: NonNullable<NodeState['items']>): number => {
    const busy = [...state.inFlight.values()]
      .filter((attempt) => attempt.node === id)
      .map(({ startedAt }) => Math.max(now, startedAt + 1_000))
    const atOnce = pipeline.nodes.get(id)!.forEach?.concurrency ?? Infinity
    let end = Math.max(now, ...busy)
    for (let left = items.total - items.next + items.queued.length; left > 0; left -= 1) {
      const from = busy.length < atOnce ? now : busy.splice(busy.indexOf(Math.min(...busy)), 1)[0]!
      busy.push(from + 1_000)
      end = Math.max(end, from + 1_000)
    }
    return end
  }
  /** The first instant at which the evaluator lets it start, with what has ended by then; with nothing from outside, if it can. */
  const begins = (id: string): number => {
    const ends = pipeline.predecessors.get(id)!.map(end)
    const instants = [now, ...ends.filter((at) => at > now).toSorted((a, b) => a - b)]
    for (const outside of ['pending', 'true'] as const)
      for (const at of instants) {
        const event = (type: string): Truth => {
          const { level, node: source, word } = eventTypeOf(type)
          if (state.events.has(type)) return 'true'
          if (level === 'external') return outside
          if (level !== 'node' || isTerminal(state.nodes.get(source)!.status)) return 'dead'
          if (end(source) > at) return 'pending'
          const well = goesOn(source) ? ['completed', 'approved', 'started'] : ['skipped']
          return well.includes(word) ? 'true' : 'dead'
        }
        const condition = ({ expression }: ConditionAtom): { truth: Truth } => ({
          truth: expression.reads.every(({ root }) => !state.nodes.has(root) || end(root) <= at)
            ? 'true'
            : 'pending',
        })
        if (evaluateStartWhen(pipeline.nodes.get(id)!.gate, { event, condition }).truth === 'true') return at
      }
    return Math.max(now, ...ends)
  }
  const known = new Map<string, number>()
  const end = (id: string): number => {
    const at = known.get(id) ?? endOf(id)
    known.set(id, at)
    return at
  }
  const endOf = (id: string): number => {
    const node = state.nodes.get(id)!
    if ('finishedAt' in node) return node.finishedAt
    if (node.status === 'pending') return begins(id) + takes(id)
    const timed = [...state.timers.all()].filter(
      (timer) => timer.node === id && (timer.kind === 'wait' || timer.kind === 'retry'),
    )
    const due = Math.max(now, ...timed.map(({ dueAt }) => dueAt))
    const own = timed.find(({ item }) => item === null)
    if (node.status === 'queued') return Math.max(due, now + takes(id))
    if (node.status === 'waiting') return due
    if (own?.kind === 'wait') return due
    if (node.status === 'retrying') return Math.max(now, own?.dueAt ?? now) + takes(id)
    if (node.status === 'running' && node.items !== null && !medians.has(id)) {
      const again = timed.filter(({ kind }) => kind === 'retry').map(({ dueAt }) => dueAt + 1_000)
      return Math.max(due, itemsEnd(id, node.items), ...again)
    }
    const since = state.inFlight.get(id)?.startedAt ?? node.startedAt
    return Math.max(due, since + takes(id))
  }
  return { left: left.map(({ id }) => id).filter(goesOn), end, takes }
}

describe('the critical path of random runs', () => {
  const runs = new Map<number, EngineRun>()
  const runOf = (seed: number) => {
    const run = runs.get(seed) ?? randomRun(seed)
    runs.set(seed, run)
    return run
  }

  it.each(Array.from({ length: 120 }, (_, index) => index + 1))(
    '[H-4] seed %i: at every event its segments follow each other, sum to the duration, and are those of a computation that looks through everything',
    (seed) => {
      const run = runOf(seed)
      const instants = instantsOf(run)
      const timeline = newTimeline(run.state.pipeline)
      for (const [index, { entry, at, startedAt, finishedAt }] of instants.entries()) {
        follow(timeline, entry)
        for (const now of [at, at + 13]) {
          const chain = criticalChain(timeline, now)
          const end = finishedAt ?? now
          const sum = chain.reduce((total, { from, to }) => total + to - from, 0)
          expect(sum).toBe(startedAt === null ? 0 : end - startedAt)
          expect(
            chain.every(({ from, to }, i) => from < to && from === (chain[i - 1]?.to ?? startedAt)),
          ).toBe(true)
          const naive = new Naive(run, instants.slice(0, index + 1), now)
          expect(chain, `${seed}@${entry.event.seq} ${entry.event.type} +${now - at}`).toEqual(naive.segments)
        }
      }
    },
  )

  it.each(Array.from({ length: 120 }, (_, index) => index + 1))(
    '[H-4] seed %i: at every event the path of the graph is what happened on the way to what goes on, then the longest that is left',
    (seed) => {
      const run = runOf(seed)
      const { pipeline } = run.state
      const random = new Random(seed + 7_000)
      const medians = new Map([...pipeline.nodes.keys()].map((id) => [id, random.whole(1, 5_000)] as const))
      for (const id of medians.keys()) if (random.chance(0.3)) medians.delete(id)
      const estimates = new Map([...medians].map(([id, p50]) => [id, { p50, p90: p50 * 2 }] as const))
      const instants = instantsOf(run)
      const timeline = newTimeline(pipeline)
      const state = emptyState('x1', pipeline)
      for (const [index, { entry, at, startedAt, finishedAt }] of instants.entries()) {
        evolve(state, entry)
        follow(timeline, entry)
        if (startedAt === null) continue
        const where = `${seed}@${entry.event.seq} ${entry.event.type}`
        const view = viewOf(state, at + 13, { estimates, timeline })
        const { ahead, end, end90 } = forecast(state, at + 13, { estimates })
        const chain = criticalChain(timeline, at + 13, ahead)
        const naive = new Naive(run, instants.slice(0, index + 1), at + 13, ahead)
        expect(chain, where).toEqual(naive.segments)
        expect(
          chain.reduce((total, { from, to }) => total + to - from, 0),
          where,
        ).toBe((finishedAt ?? at + 13) - startedAt)
        const before = [...naive.nodes].reverse().filter((id) => !ahead.includes(id))
        expect(view.critical_path, where).toEqual([...before, ...ahead])
        // What is left is a way through the graph, as long as the longest.
        const { left, end: endOf, takes } = naiveEnds(state, at + 13, medians)
        const latest = finishedAt ?? Math.max(at + 13, ...left.map(endOf))
        expect(end, where).toBe(latest)
        if (end90 !== null) expect(end90).toBeGreaterThanOrEqual(end)
        if (left.length === 0) continue
        const [first, ...rest] = ahead
        expect(
          rest.every((id, i) => pipeline.predecessors.get(id)!.includes(ahead[i]!)),
          where,
        ).toBe(true)
        const sum = rest.reduce((total, id) => Math.max(total, at + 13) + takes(id), endOf(first!))
        expect(sum, where).toBe(latest)
      }
    },
  )

  it('are worth something: every kind of segment is there, and runs end in every way', () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= 120; seed += 1) {
      const run = runOf(seed)
      const timeline = newTimeline(run.state.pipeline)
      for (const entry of run.entries) follow(timeline, entry)
      for (const { kind } of criticalChain(timeline, run.now)) seen.add(kind)
      seen.add(run.state.lifecycle)
    }
    expect([...seen].sort()).toEqual([
      'CANCELLED',
      'COMMIT',
      'EXECUTING',
      'FAILED',
      'gap',
      'queue',
      'run',
      'wait',
    ])
  })
})
