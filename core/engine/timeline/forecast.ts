import { isExternal } from '@/core/pipeline/gate/event-type'
import type { StartWhen } from '@/core/pipeline/gate/start-when'
import type { ExecutionState } from '@/core/engine/state'
import { isTerminal, nodeOf } from '@/core/engine/state'
import { waitingFor } from '@/core/engine/view/waiting-for'
import { weightsOf } from '@/core/scheduling/weight'
import { expectationsOf, type Estimates, type Expectation } from './expectation'
import { expectedToStart, groundOf, whenReady } from './gate-wait'
import type { Capacities } from './play-jobs'
import { pathOf, scheduleOf, type Schedule } from './schedule'

/** A wait that only people or the outside can end. `at`: when it is expected to begin; now, if it has. Milliseconds since the epoch. */
export type OutsideWait = { readonly node: string; readonly kind: 'people' | 'event'; readonly at: number }

/** What is still to come of a run. Instants are milliseconds since the epoch. */
export type Forecast = {
  /** With what has happened as it did, zero being the start of the run. */
  readonly schedule: Schedule
  /** The longest way through the whole of it. */
  readonly path: readonly string[]
  /** The longest of what is left: first what goes on (or begins next), then what waits for it or for its place. Empty: nothing is left. */
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

/** What is known besides the run itself. */
export type Known = {
  /** Of nodes that ran before. */
  readonly estimates?: Estimates
  /** How many places the run may have; without it nothing ever waits for one. */
  readonly capacities?: Capacities
}

/**
 * What is to come by estimates, where all goes well. What may begin begins as soon as there is a place for it, in the order of the
 * queue; nodes that then would not start (a handler of a failure that did not happen) take no time. A decision or an event from outside
 * counts as though it came at once [H-4, R-29].
 *
 * P90: durations of nodes are taken as independent, so what each may take beyond its median adds up by squares:
 * P50 of the path + √Σ(P90 − P50)². At a join whichever branch is later by that sum decides.
 */
export function forecast(
  state: ExecutionState,
  now: number,
  { estimates = new Map(), capacities = new Map() }: Known = {},
): Forecast {
  const zero = state.startedAt ?? now
  const at = Math.max(0, (state.finishedAt ?? now) - zero)
  const { order } = groundOf(state.pipeline)
  const expected = expectedToStart(state)
  const jobs = expectationsOf(state, {
    now: zero + at,
    zero,
    estimates,
    capacities,
    weights: weightsIn(state, { estimates, capacities }),
    expected,
    awaitsEvent: (id) => awaitsEvent(state, id),
  })
  const schedule = scheduleOf(jobs, {
    now: at,
    order,
    predecessors: state.pipeline.predecessors,
    capacities,
    whenReady: (id, ends, begin) => whenReady(state, id, { expected, ends }, begin),
  })
  const finish = (id: string) => schedule.nodes.get(id)?.finish ?? 0
  const left = order.filter((id) => !isTerminal(nodeOf(state, id).status))
  const ahead = longestAhead(state, left, { schedule, mayEnd: (id) => expected.has(id) })
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
        at: isNow ? now : zero + (plan?.start ?? 0),
        slack: plan?.slack ?? 0,
        isNow,
      }
    })
  const here = outside.filter((each) => each.isNow).sort((a, b) => a.slack - b.slack)
  const later = outside.filter((each) => !each.isNow).sort((a, b) => a.at - b.at)
  const end = left.reduce((latest, id) => (expected.has(id) ? Math.max(latest, finish(id)) : latest), at)
  const sure = ahead.every((id) => jobs.get(id)?.spread !== null)
  return {
    schedule,
    path: pathOf(schedule, order),
    ahead,
    end: zero + end,
    end90: sure ? zero + Math.max(end, lateEnd(jobs, schedule, at)) : null,
    waits: here[0] ?? null,
    next: later[0] ?? null,
    then: [...here, ...later][1] ?? null,
    known: !left.some((id) => jobs.get(id)?.unknown),
  }
}

/** Where nothing is limited nobody waits, and the order says nothing. */
function weightsIn(
  { pipeline }: ExecutionState,
  { estimates, capacities }: Required<Known>,
): ReadonlyMap<string, { readonly weight: number }> {
  if (capacities.size === 0) return new Map()
  return weightsOf(pipeline, {
    historyOf: (id) => {
      const p50 = estimates.get(id)?.p50
      return p50 === undefined ? undefined : { p50, failureRate: 0 }
    },
    capacityOf: (pool) => capacities.get(pool) ?? null,
  })
}

/** From the one that ends last, back over what decides when each begins, to what goes on already. */
function longestAhead(
  state: ExecutionState,
  left: readonly string[],
  { schedule, mayEnd }: { readonly schedule: Schedule; readonly mayEnd: (id: string) => boolean },
): readonly string[] {
  const open = new Set(left)
  const path: string[] = []
  // Of several that end last the one deepest in the graph.
  let at: string | undefined = left
    .filter(mayEnd)
    .reduce<string | undefined>(
      (last, id) => (last === undefined || finishOf(schedule, id) >= finishOf(schedule, last) ? id : last),
      undefined,
    )
  at ??= left.at(-1)
  while (at !== undefined && open.delete(at)) {
    path.push(at)
    const { status } = nodeOf(state, at)
    at = status === 'pending' || status === 'queued' ? schedule.decidedBy(at) : undefined
  }
  return path.reverse()
}

const finishOf = ({ nodes }: Schedule, id: string): number => nodes.get(id)?.finish ?? 0

/** The latest end by medians and spreads, milliseconds from the start of the run. */
function lateEnd(
  jobs: ReadonlyMap<string, Expectation>,
  { order, nodes, causes }: Schedule,
  at: number,
): number {
  const found = new Map<string, { readonly mean: number; readonly squares: number }>()
  const late = ({ mean, squares }: { mean: number; squares: number }) => mean + Math.sqrt(squares)
  let end = at
  for (const id of order) {
    const { start: started, finish: ended, spread } = jobs.get(id)!
    const { start, finish } = nodes.get(id)!
    let from = { mean: started ?? at, squares: 0 }
    if (started === null)
      for (const before of causes(id)) {
        const other = found.get(before)
        if (other !== undefined && late(other) > late(from)) from = other
      }
    const own = {
      mean: started === null ? from.mean + finish - start : finish,
      squares: ended === null ? from.squares + (spread ?? 0) ** 2 : 0,
    }
    found.set(id, own)
    end = Math.max(end, late(own))
  }
  return end
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
