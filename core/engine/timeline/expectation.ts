import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { defaultEstimateMs } from '@/core/pipeline/definition/critical-path'
import type { Demand } from '@/core/pipeline/definition/demand'
import { parseDuration } from '@/core/pipeline/duration'
import { MOST_AT_ONCE } from '@/core/engine/decide/demand'
import type { AttemptState, ExecutionState, NodeState } from '@/core/engine/state'
import { nodeOf } from '@/core/engine/state'
import type { Capacities, Job } from './play-jobs'
import { groundOf } from './gate-wait'

/** How long a node took in earlier runs, milliseconds. `p90` null: there were too few of them. */
export type Estimate = {
  readonly p50: number
  readonly p90: number | null
  /** Of a list, where it is known: how many items it has, and how long one of them takes. */
  readonly items?: { readonly total: number; readonly each: number } | null
}
export type Estimates = ReadonlyMap<string, Estimate>

/** The work of a node, and what is known of its length. */
export type Expectation = Job & {
  /** How much longer than expected what is left may well take; null: nobody knows. */
  readonly spread: number | null
  /** Nobody knows how long it is waited for. */
  readonly unknown: boolean
}

type Around = {
  /** Now and the start of the run, milliseconds since the epoch. */
  readonly now: number
  readonly zero: number
  readonly estimates: Estimates
  readonly capacities: Capacities
  /** How much of the run waits for each node. */
  readonly weights: ReadonlyMap<string, { readonly weight: number }>
  /** Nodes that have started, or would if all that is left went well. */
  readonly expected: ReadonlySet<string>
  /** It cannot start before something comes from outside. */
  readonly awaitsEvent: (id: string) => boolean
}

/** Items that are counted one by one; of a longer list several make one. */
const MOST_ITEMS = 200

/**
 * The work of every node that is no finally node, in the order of the definition: of a node that waits for a time until then, of a next try from when it is
 * due; else the median of earlier runs, the estimate of the definition (of one item, where it is a list), or a second.
 */
export function expectationsOf(state: ExecutionState, around: Around): ReadonlyMap<string, Expectation> {
  const items = itemsOf(state)
  const found = new Map<string, Expectation>()
  for (const [id, { finally: isLast }] of state.pipeline.nodes)
    if (!isLast) found.set(id, new Reading(state, id, around).expectation(items.get(id) ?? NO_ITEMS))
  return found
}

type Items = { readonly attempts: AttemptState[]; due: number; retry: number }
const NO_ITEMS: Items = { attempts: [], due: -Infinity, retry: -Infinity }

/** Of each list: the items at work, and the latest instants that one of them waits for, or is tried again at. */
function itemsOf(state: ExecutionState): ReadonlyMap<string, Items> {
  const found = new Map<string, Items>()
  const of = (node: string): Items => {
    const known = found.get(node) ?? { attempts: [], due: -Infinity, retry: -Infinity }
    found.set(node, known)
    return known
  }
  for (const attempt of state.inFlight.values()) of(attempt.node).attempts.push(attempt)
  for (const { node, item, kind, dueAt } of state.timers.all()) {
    if (item === null) continue
    const own = of(node)
    if (kind === 'wait') own.due = Math.max(own.due, dueAt)
    else if (kind === 'retry') own.retry = Math.max(own.retry, dueAt)
  }
  return found
}

class Reading {
  readonly #node: NodeState
  readonly #compiled: CompiledNode
  /** Of one attempt, or of all of a list that has a history. */
  readonly #duration: number
  readonly #spread: number | null
  readonly #at: number

  constructor(
    readonly state: ExecutionState,
    readonly id: string,
    readonly around: Around,
  ) {
    this.#node = nodeOf(state, id)
    this.#compiled = state.pipeline.nodes.get(id)!
    const estimate = around.estimates.get(id)
    const usual = this.#compiled.kind === 'approval' ? 0 : defaultEstimateMs
    const exact = exactWait(this.#compiled)
    this.#duration = exact ?? estimate?.p50 ?? this.#compiled.estimateMs ?? usual
    const late = estimate?.p90 == null ? null : Math.max(0, estimate.p90 - this.#duration)
    this.#spread = exact === null ? late : 0
    this.#at = around.now - around.zero
  }

  expectation(items: Items): Expectation {
    const node = this.#node
    switch (node.status) {
      case 'pending':
        return this.#pending()
      case 'queued':
        return this.#job({
          start: this.#since(node.startedAt),
          isReady: true,
          askedAt: this.#since(node.since),
          left: 1,
        })
      case 'retrying': {
        const due = this.#since(this.state.timers.get('retry', this.id)?.dueAt ?? this.around.now)
        return this.#job({ start: this.#since(node.startedAt), askedAt: Math.max(due, this.#at), left: 1 })
      }
      case 'running':
        return node.items === null
          ? this.#running(node.startedAt, items.attempts[0])
          : this.#runningItems(node, items)
      case 'waiting': {
        const start = this.#since(node.startedAt)
        const due = this.#since(this.state.timers.get('wait', this.id)?.dueAt ?? this.around.now)
        return this.#job({
          start,
          notBefore: node.approval === null ? Math.max(due, this.#at) : this.#at,
          spread: 0,
          unknown: node.approval !== null,
        })
      }
      default:
        return this.#ended(node)
    }
  }

  #since(instant: number): number
  #since(instant: number | null): number | null
  #since(instant: number | null): number | null {
    return instant === null ? null : instant - this.around.zero
  }

  #job(known: Partial<Expectation>): Expectation {
    const { state, id } = this
    return {
      id,
      start: null,
      finish: null,
      isVoid: false,
      isReady: false,
      working: [],
      left: 0,
      duration: this.#duration,
      atOnce: 1,
      askedAt: this.#at,
      notBefore: -Infinity,
      demands: this.#demands(),
      priority: state.priority + this.#compiled.priority,
      weight: this.around.weights.get(id)?.weight ?? 0,
      namesOutside: groundOf(state.pipeline).outside.has(id),
      spread: this.#spread,
      unknown: false,
      ...known,
    }
  }

  /** What of its demands is limited at all. */
  #demands(): readonly Demand[] {
    const { capacities } = this.around
    if (capacities.size === 0 || this.state.mocks[this.id] !== undefined) return NOTHING
    return this.#compiled.demands.filter(({ pool }) => capacities.has(pool))
  }

  #pending(): Expectation {
    const { id } = this
    const { expected, estimates, awaitsEvent } = this.around
    if (!expected.has(id)) return this.#job({ duration: 0, spread: 0, askedAt: 0 })
    const { kind, estimateMs, forEach, definition } = this.#compiled
    const neverAsked = kind === 'approval' && !estimates.has(id) && estimateMs === null
    const unknown = neverAsked || awaitsEvent(id)
    const history = estimates.get(id)
    const list: unknown = definition.forEach?.items
    if (forEach !== null && history?.items)
      return this.#job({ ...this.#list(history.items.total, history.items.each), unknown, askedAt: 0 })
    if (forEach === null || history !== undefined || !Array.isArray(list))
      return this.#job({ left: 1, unknown, askedAt: 0 })
    return this.#job({ ...this.#list(list.length), unknown, askedAt: 0 })
  }

  #list(items: number, each = this.#duration): Pick<Job, 'left' | 'duration' | 'atOnce'> {
    const together = Math.max(1, Math.ceil(items / MOST_ITEMS))
    return {
      left: Math.ceil(items / together),
      duration: each * together,
      atOnce: this.#compiled.forEach?.concurrency ?? MOST_AT_ONCE,
    }
  }

  #running(startedAt: number, attempt: AttemptState | undefined): Expectation {
    const since = this.#since(attempt?.startedAt ?? startedAt)
    const start = this.#since(startedAt)
    const timed = this.state.timers.get('wait', this.id)
    if (timed !== undefined) return this.#job({ start, notBefore: this.#since(timed.dueAt), spread: 0 })
    const usual = since + this.#duration
    const end = Math.max(usual, this.#at)
    const spread = this.#spread === null ? null : Math.max(0, usual + this.#spread - end)
    return this.#job({ start, working: [{ since, end }], spread })
  }

  #runningItems(
    { startedAt, items }: Extract<NodeState, { status: 'running' }>,
    { attempts, due, retry }: Items,
  ): Expectation {
    const { total, next, queued } = items!
    const start = this.#since(startedAt)
    const history = this.around.estimates.has(this.id)
    const each = this.#duration
    const atWork = attempts.map((attempt) => {
      const since = this.#since(attempt.startedAt)
      return { since, end: history ? start + each : since + each }
    })
    // How its items shared the time of earlier runs is not known.
    const ends = history ? start + each : -Infinity
    const notBefore = Math.max(ends, this.#since(due), this.#since(retry) + (history ? 0 : each))
    const list = history ? { left: 0, atOnce: 1 } : this.#list(total - next + queued.length)
    // The one after the last that got a place asked for its own then.
    const askedAt =
      atWork.length < list.atOnce ? Math.max(start, ...atWork.map(({ since }) => since)) : this.#at
    return this.#job({ start, working: atWork, notBefore, askedAt, ...list, spread: this.#spread })
  }

  #ended(node: Extract<NodeState, { finishedAt: number }>): Expectation {
    const { finishedAt } = this.state
    const startedAt = 'startedAt' in node ? node.startedAt : null
    // What never started stands, in a run that is over, where it would have.
    if (startedAt === null && finishedAt !== null)
      return this.#job({ isVoid: true, duration: 0, spread: 0, demands: NOTHING })
    const demands = startedAt === null ? NOTHING : this.#demands()
    const finish = this.#since(node.finishedAt)
    return this.#job({ start: this.#since(startedAt) ?? finish, finish, duration: 0, spread: 0, demands })
  }
}

const NOTHING: readonly Demand[] = []

/** The time that a `wait` of a fixed duration takes, or null. */
function exactWait({ kind, forEach, definition }: CompiledNode): number | null {
  const written = definition.inputBindings?.['duration']
  if (kind !== 'wait' || forEach !== null || typeof written !== 'string') return null
  return parseDuration(written)
}
