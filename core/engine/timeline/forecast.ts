import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import {
  criticalPath,
  defaultEstimateMs,
  type CriticalPath,
  type NodeTiming,
} from '@/core/pipeline/definition/critical-path'
import { parseDuration } from '@/core/pipeline/duration'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import type { StartWhen } from '@/core/pipeline/gate/start-when'
import { elapsedMs } from '@/core/engine/instant'
import type { ExecutionState, NodeState } from '@/core/engine/state'
import { attemptId, isTerminal, nodeOf } from '@/core/engine/state'
import { waitingFor } from '@/core/engine/view/waiting-for'

/** How long a node took in earlier runs, milliseconds. `p90` null: there were too few of them. */
export type Estimate = { readonly p50: number; readonly p90: number | null }
export type Estimates = ReadonlyMap<string, Estimate>

/** A wait that only people or the outside can end. `at`: when it is expected to begin; now, if it has. Milliseconds since the epoch. */
export type OutsideWait = { readonly node: string; readonly kind: 'people' | 'event'; readonly at: number }

/** What is still to come of a run. Instants are milliseconds since the epoch. */
export type Forecast = {
  /** With what has happened as it did, zero being the start of the run; for slack. */
  readonly schedule: CriticalPath
  /** The longest of what is left: first what goes on (or begins next), then what follows it. Empty: nothing is left. */
  readonly ahead: readonly string[]
  /** The expected end; if the run waits for the outside, as though that came now. */
  readonly end: number
  /** In nine of ten runs it ends before; null: too little is known of what is ahead. Not before `end`. */
  readonly end90: number | null
  /** The wait of now that has no estimate; of several the one with the longest path after it. */
  readonly waits: OutsideWait | null
  /** The next of that kind, where it is not now. */
  readonly next: OutsideWait | null
  /** Another one beside the first of these, or after it. */
  readonly then: OutsideWait | null
  /** Nothing that is left has to be waited for without knowing how long. */
  readonly known: boolean
}

type Expectation = NodeTiming & { readonly spread: number | null; readonly unknown: boolean }

/**
 * What is to come by estimates, where all goes well: of a node that waits for a time until then, of a next try from when it is due;
 * else the median of earlier runs, the estimate of the definition, or a second. Nodes that then would not start (a handler of a
 * failure that did not happen) take no time. A decision or an event from outside counts as though it came at once [H-4, R-29].
 *
 * P90: durations of nodes are taken as independent, so what each may take beyond its median adds up by squares:
 * P50 of the path + √Σ(P90 − P50)². At a join whichever branch is later by that sum decides.
 */
export function forecast(state: ExecutionState, now: number, estimates: Estimates = new Map()): Forecast {
  const zero = state.startedAt ?? now
  const at = Math.max(0, (state.finishedAt ?? now) - zero)
  const { levels, order, together } = groundOf(state.pipeline)
  const expected = expectedToStart(state)
  const due = dueOfItems(state)
  const timings = new Map<string, Expectation>()
  for (const id of order) {
    const own = expectationOf(state, id, { at, zero, estimate: estimates.get(id), due: due.get(id) })
    timings.set(id, expected.has(id) ? own : { ...own, duration: 0, spread: 0, unknown: false })
  }
  const schedule = criticalPath(levels, state.pipeline, timings, {
    now: at,
    deciding(id, finishOf) {
      const before = state.pipeline.predecessors.get(id) ?? []
      if (together.has(id) || nodeOf(state, id).status !== 'pending') return before
      const { gate } = state.pipeline.nodes.get(id)!
      // Nobody knows when an external event comes: it counts only where the gate cannot open without it.
      const resolved = (outside: boolean) =>
        resolution(state, gate, { as: true, outside, expected, finishOf })
      return (resolved(false) ?? resolved(true))?.after ?? before
    },
  })
  const finish = (id: string) => schedule.nodes.get(id)?.earliestFinish ?? 0
  const left = order.filter((id) => !isTerminal(nodeOf(state, id).status))
  const { waitsFor } = schedule
  const ahead = longestAhead(state, left, { finish, waitsFor, mayEnd: (id) => expected.has(id) })
  const outside = left
    .filter((id) => expected.has(id) && needsOutside(state, id))
    .map((id): OutsideWait & { slack: number; isNow: boolean } => {
      const plan = schedule.nodes.get(id)
      const kind =
        state.pipeline.nodes.get(id)?.kind === 'approval' && !awaitsEvent(state, id) ? 'people' : 'event'
      const isNow = kind === 'people' ? nodeOf(state, id).status === 'waiting' : isAwaiting(state, id)
      return {
        node: id,
        kind,
        at: isNow ? now : zero + (plan?.earliestStart ?? 0),
        slack: plan?.slack ?? 0,
        isNow,
      }
    })
  const here = outside.filter((each) => each.isNow).sort((a, b) => a.slack - b.slack)
  const later = outside.filter((each) => !each.isNow).sort((a, b) => a.at - b.at)
  const end = left.reduce((latest, id) => (expected.has(id) ? Math.max(latest, finish(id)) : latest), at)
  const sure = ahead.every((id) => timings.get(id)?.spread !== null)
  return {
    schedule,
    ahead,
    end: zero + end,
    end90: sure ? zero + Math.max(end, lateEnd(order, timings, { at, waitsFor })) : null,
    waits: here[0] ?? null,
    next: later[0] ?? null,
    then: [...here, ...later][1] ?? null,
    known: !left.some((id) => timings.get(id)?.unknown),
  }
}

/** What of a forecast no run changes. */
type Ground = {
  /** Without finally nodes. */
  readonly levels: readonly (readonly string[])[]
  readonly order: readonly string[]
  /** Nodes whose gates name an event from outside. */
  readonly outside: ReadonlySet<string>
  /** Nodes that begin when all that they name has ended well: most do. */
  readonly together: ReadonlySet<string>
}

const grounds = new WeakMap<CompiledPipeline, Ground>()

function groundOf(pipeline: CompiledPipeline): Ground {
  let ground = grounds.get(pipeline)
  if (ground !== undefined) return ground
  const levels = pipeline.levels.map((level) => level.filter((id) => !pipeline.nodes.get(id)?.finally))
  const outside = new Set<string>()
  const together = new Set<string>()
  for (const { id, gate, gateEvents } of pipeline.nodes.values()) {
    if (gateEvents.some(isExternal)) outside.add(id)
    if (isTogether(gate)) together.add(id)
  }
  ground = { levels, order: levels.flat(), outside, together }
  grounds.set(pipeline, ground)
  return ground
}

/** From the one that ends last, back over whichever of what has not ended ends last, to what goes on already. */
function longestAhead(
  state: ExecutionState,
  left: readonly string[],
  {
    finish,
    waitsFor,
    mayEnd,
  }: Pick<CriticalPath, 'waitsFor'> & {
    finish: (id: string) => number
    mayEnd: (id: string) => boolean
  },
): readonly string[] {
  const open = new Set(left)
  const path: string[] = []
  const latest = (ids: readonly string[]) =>
    ids.reduce<string | undefined>(
      (best, id) => (best === undefined || finish(id) > finish(best) ? id : best),
      undefined,
    )
  // Of several that end last the one deepest in the graph.
  let at = latest(left.filter(mayEnd).reverse()) ?? left.at(-1)
  while (at !== undefined) {
    path.push(at)
    if (nodeOf(state, at).status !== 'pending') break
    const before = waitsFor.get(at) ?? []
    at = latest(before.filter((id) => open.has(id)))
  }
  return path.reverse()
}

/** The latest end by medians and spreads, milliseconds from the start of the run. */
function lateEnd(
  order: readonly string[],
  timings: ReadonlyMap<string, Expectation>,
  { at, waitsFor }: Pick<CriticalPath, 'waitsFor'> & { at: number },
): number {
  const found = new Map<string, { readonly mean: number; readonly squares: number }>()
  const late = ({ mean, squares }: { mean: number; squares: number }) => mean + Math.sqrt(squares)
  let end = at
  for (const id of order) {
    const { start, finish, duration, spread } = timings.get(id)!
    let from = { mean: start ?? at, squares: 0 }
    if (start === undefined)
      for (const before of waitsFor.get(id) ?? []) {
        const other = found.get(before)
        if (other !== undefined && late(other) > late(from)) from = other
      }
    const mean = finish ?? (start === undefined ? from.mean + duration : Math.max(start + duration, at))
    const own = { mean, squares: finish === undefined ? from.squares + (spread ?? 0) ** 2 : 0 }
    found.set(id, own)
    end = Math.max(end, late(own))
  }
  return end
}

type Around = {
  /** Milliseconds from the start of the run to now, and its start. */
  readonly at: number
  readonly zero: number
  readonly estimate: Estimate | undefined
  /** The latest instant that an item of it waits for. */
  readonly due: number | undefined
}

function expectationOf(state: ExecutionState, id: string, around: Around): Expectation {
  const { at, zero, estimate, due = 0 } = around
  const node = nodeOf(state, id)
  const compiled = state.pipeline.nodes.get(id)!
  const duration = durationOf(compiled, estimate)
  const spread = spreadOf(compiled, estimate, duration)
  const neverAsked = compiled.kind === 'approval' && estimate === undefined && compiled.estimateMs === null
  const unknown = neverAsked || awaitsEvent(state, id)
  /** It goes on since `start` and ends at `finish`, but not before now. */
  const open = (start: number, finish: number, spread: number | null): Expectation => {
    const end = Math.max(finish, at, due - zero)
    return { start, duration: end - start, spread, unknown: false }
  }
  const timer = (kind: 'wait' | 'retry') => (state.timers.get(kind, id)?.dueAt ?? zero + at) - zero
  switch (node.status) {
    case 'pending':
      return { duration, spread, unknown }
    case 'queued':
      return node.startedAt === null
        ? open(at, at + duration, spread)
        : open(node.startedAt - zero, at + duration, spread)
    case 'running': {
      const since = state.inFlight.get(attemptId(id, null))?.startedAt ?? node.startedAt
      const begun = since - zero
      const timed = state.timers.get('wait', id)
      if (timed !== undefined) return open(node.startedAt - zero, timed.dueAt - zero, 0)
      const late =
        spread === null ? null : Math.max(0, begun + duration + spread - Math.max(begun + duration, at))
      return open(node.startedAt - zero, begun + duration, late)
    }
    case 'retrying':
      return open(node.startedAt - zero, Math.max(at, timer('retry')) + duration, spread)
    case 'waiting':
      return node.approval === null
        ? open(node.startedAt - zero, timer('wait'), 0)
        : { ...open(node.startedAt - zero, at, 0), unknown: true }
    default:
      return ended(node, zero, state.finishedAt !== null)
  }
}

function ended(
  node: NodeState & { status: 'completed' | 'failed' | 'cancelled' | 'skipped' },
  zero: number,
  isOver: boolean,
): Expectation {
  const startedAt = 'startedAt' in node ? node.startedAt : null
  // What never started stands, in a run that is over, where it would have.
  if (startedAt === null && isOver) return { duration: 0, spread: 0, unknown: false }
  const start = startedAt ?? node.finishedAt
  const duration = elapsedMs(start, node.finishedAt)
  return { start: start - zero, finish: node.finishedAt - zero, duration, spread: 0, unknown: false }
}

/** The time that a `wait` of a fixed duration takes, or null. */
function exactWait({ kind, forEach, definition }: CompiledNode): number | null {
  const written = definition.inputBindings?.['duration']
  if (kind !== 'wait' || forEach !== null || typeof written !== 'string') return null
  return parseDuration(written)
}

function durationOf(compiled: CompiledNode, estimate: Estimate | undefined): number {
  const usual = compiled.kind === 'approval' ? 0 : defaultEstimateMs
  return exactWait(compiled) ?? estimate?.p50 ?? compiled.estimateMs ?? usual
}

/** How much longer than expected it may well take; null: nobody knows. */
function spreadOf(compiled: CompiledNode, estimate: Estimate | undefined, duration: number): number | null {
  if (exactWait(compiled) !== null) return 0
  return estimate?.p90 == null ? null : Math.max(0, estimate.p90 - duration)
}

/** Only people or external events can end it; also where earlier runs show how long that took. */
function needsOutside(state: ExecutionState, id: string): boolean {
  const { status } = nodeOf(state, id)
  if (status !== 'pending') return status === 'waiting' && state.pipeline.nodes.get(id)?.kind === 'approval'
  return state.pipeline.nodes.get(id)?.kind === 'approval' || awaitsEvent(state, id)
}

/** It cannot start before something comes from outside. */
function awaitsEvent(state: ExecutionState, id: string): boolean {
  if (!groundOf(state.pipeline).outside.has(id) || nodeOf(state, id).status !== 'pending') return false
  return gateNeedsEvent(state, state.pipeline.nodes.get(id)!.gate) || isAwaiting(state, id)
}

/** Nothing but that is missing. */
function isAwaiting(state: ExecutionState, id: string): boolean {
  if (nodeOf(state, id).status !== 'pending' || state.paused || state.startedAt === null) return false
  if (!groundOf(state.pipeline).outside.has(id)) return false
  return waitingFor(state, id)?.kind === 'event'
}

function gateNeedsEvent(state: ExecutionState, gate: StartWhen): boolean {
  switch (gate.kind) {
    case 'event':
      return isExternal(gate.type) && !state.events.has(gate.type)
    case 'and':
      return gate.terms.some((term) => gateNeedsEvent(state, term))
    case 'or':
      return gate.terms.every((term) => gateNeedsEvent(state, term))
    default:
      return false
  }
}

/** Of the items of each list the latest instant that one waits for. */
function dueOfItems(state: ExecutionState): ReadonlyMap<string, number> {
  const due = new Map<string, number>()
  for (const { node, item, kind, dueAt } of state.timers.all())
    if (item !== null && (kind === 'wait' || kind === 'retry'))
      due.set(node, Math.max(due.get(node) ?? 0, dueAt))
  return due
}

/** Nodes that have started, or would if all that is left went well and every condition held. */
function expectedToStart(state: ExecutionState): ReadonlySet<string> {
  const { order, together } = groundOf(state.pipeline)
  const expected = new Set<string>()
  const finishOf = () => 0
  const starts = (id: string): boolean => {
    const { gate, gateEvents } = state.pipeline.nodes.get(id)!
    if (together.has(id))
      return gateEvents.every((type) => state.events.has(type) || happens(state, type, expected))
    return resolution(state, gate, { as: true, outside: true, expected, finishOf }) !== null
  }
  for (const id of order) if (nodeOf(state, id).status !== 'pending' || starts(id)) expected.add(id)
  return expected
}

function isTogether(gate: StartWhen): boolean {
  switch (gate.kind) {
    case 'condition':
      return true
    case 'event':
      return /\.(?:completed|approved)$/.test(gate.type)
    case 'and':
      return gate.terms.every(isTogether)
    default:
      return false
  }
}

/** A gate, or a term of it, has the asked truth as soon as the nodes `after` have ended: at `at`, milliseconds from the start of the run. */
type Resolution = { readonly at: number; readonly after: readonly string[] }

type Asked = {
  /** Whether it comes to be true, or to be dead. */
  readonly as: boolean
  /** Whether what has to come from outside comes, at once. */
  readonly outside: boolean
  readonly expected: ReadonlySet<string>
  readonly finishOf: (id: string) => number
}

/**
 * When a gate is decided if all goes well and every condition holds, as the evaluator has it: of an `&&` the last term decides
 * that it is true and the first that it is dead, of an `||` the other way round. Null: it does not come to that.
 */
function resolution(state: ExecutionState, gate: StartWhen, asked: Asked): Resolution | null {
  const { as, outside, expected, finishOf } = asked
  switch (gate.kind) {
    case 'condition': {
      if (!as) return null
      const after = gate.expression.reads.map(({ root }) => root).filter((id) => state.nodes.has(id))
      return { at: after.reduce((latest, id) => Math.max(latest, finishOf(id)), 0), after }
    }
    case 'not':
      return resolution(state, gate.term, { ...asked, as: !as })
    case 'event': {
      const happened = state.events.has(gate.type)
      if (happened ? !as : happens(state, gate.type, expected) !== as) return null
      const { level, node: source } = eventTypeOf(gate.type)
      const node = level === 'external' ? undefined : state.nodes.get(source)
      if (level === 'external' && !happened && !outside) return null
      if (node === undefined || (happened && !isTerminal(node.status))) return { at: 0, after: [] }
      return { at: finishOf(source), after: [source] }
    }
    case 'and':
    case 'or': {
      const all = (gate.kind === 'and') === as
      let first: Resolution | null = null
      let at = 0
      const after: string[] = []
      for (const term of gate.terms) {
        const own = resolution(state, term, asked)
        if (own === null && all) return null
        if (own === null) continue
        if (first === null || own.at < first.at) first = own
        at = Math.max(at, own.at)
        after.push(...own.after)
      }
      return all ? { at, after } : first
    }
  }
}

/** Whether something that has not happened would, if all that is left went well. */
function happens(state: ExecutionState, type: string, expected: ReadonlySet<string>): boolean {
  const { level, node: source, word } = eventTypeOf(type)
  if (level === 'external') return true
  const node = state.nodes.get(source)
  if (node === undefined) return false
  if (isTerminal(node.status)) return false
  if (level !== 'node') return false
  return expected.has(source)
    ? word === 'completed' || word === 'approved' || word === 'started'
    : word === 'skipped'
}
