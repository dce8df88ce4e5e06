import type { Adjacency } from './graph'

/** The duration of a node that declares none and has no history: one second. */
export const defaultEstimateMs = 1_000

/** What is known of a node's time. All numbers are milliseconds, `start` and `finish` from the start of the run. */
export type NodeTiming = {
  /** Expected duration; 0 for a node that was skipped. */
  duration: number
  /** When it really started. */
  start?: number
  /** When it really ended. */
  finish?: number
}

export type NodeSchedule = {
  earliestStart: number
  earliestFinish: number
  latestStart: number
  latestFinish: number
  /** How much later it may finish without delaying the end. */
  slack: number
  critical: boolean
}

export type CriticalPath = {
  /** From the start of the run to its last end, in milliseconds. */
  total: number
  /** One longest chain of nodes, from a beginning to the end. */
  path: string[]
  nodes: ReadonlyMap<string, NodeSchedule>
  /** Whose ends decide when each begins. */
  waitsFor: ReadonlyMap<string, readonly string[]>
}

/** Of the predecessors of a node those whose ends decide when it begins, given when each of them ends. */
type Deciding = (id: string, finishOf: (id: string) => number) => readonly string[]

/**
 * Forward and backward pass over a graph without cycles (H-4). What happened counts as it happened; what runs ends at
 * its start plus its duration, but not before `now`; what has not started begins when its last predecessor ends, but not
 * before `now`. A node has no slack when delaying it delays the end; those are critical.
 *
 * `levels` are Kahn's, `now` is in milliseconds from the start of the run (0 before it). Where not every predecessor has to end before
 * a node begins, `deciding` says which do.
 */
export function criticalPath(
  levels: readonly (readonly string[])[],
  { predecessors }: Pick<Adjacency, 'predecessors'>,
  timings: ReadonlyMap<string, NodeTiming>,
  { now = 0, deciding = allOf(predecessors) }: { now?: number; deciding?: Deciding } = {},
): CriticalPath {
  const order = levels.flat()
  const { earliest, waitsFor } = earliestOf(order, deciding, timings, now)
  const total = endOf(earliest)
  const followers = new Map<string, string[]>(order.map((id) => [id, []]))
  for (const [id, before] of waitsFor) for (const other of before) followers.get(other)?.push(id)
  const latestFinish = new Map<string, number>()
  for (let at = order.length - 1; at >= 0; at--) {
    const id = order[at]!
    let latest = total
    for (const after of followers.get(id)!) {
      const plan = earliest.get(after)
      const length = plan === undefined ? 0 : plan.finish - plan.start
      latest = Math.min(latest, (latestFinish.get(after) ?? total) - length)
    }
    latestFinish.set(id, latest)
  }
  const nodes = new Map<string, NodeSchedule>()
  for (const id of order) {
    const { start, finish } = earliest.get(id) ?? { start: 0, finish: 0 }
    const latest = latestFinish.get(id) ?? total
    const slack = Math.max(0, latest - finish)
    nodes.set(id, {
      earliestStart: start,
      earliestFinish: finish,
      latestStart: latest - (finish - start),
      latestFinish: latest,
      slack,
      critical: slack === 0,
    })
  }
  return { total, path: longestChain(order, waitsFor, earliest, total), nodes, waitsFor }
}

const allOf =
  (predecessors: Adjacency['predecessors']): Deciding =>
  (id) =>
    predecessors.get(id) ?? []

type Plan = { readonly start: number; readonly finish: number }

/** Total and path of `criticalPath` before any run, the forward pass alone. */
export function longestPath(
  levels: readonly (readonly string[])[],
  { predecessors }: Adjacency,
  timings: ReadonlyMap<string, NodeTiming>,
): Pick<CriticalPath, 'total' | 'path'> {
  const order = levels.flat()
  const { earliest } = earliestOf(order, allOf(predecessors), timings, 0)
  const total = endOf(earliest)
  return { total, path: longestChain(order, predecessors, earliest, total) }
}

/** The forward pass. */
function earliestOf(
  order: readonly string[],
  deciding: Deciding,
  timings: ReadonlyMap<string, NodeTiming>,
  now: number,
): { readonly earliest: ReadonlyMap<string, Plan>; readonly waitsFor: CriticalPath['waitsFor'] } {
  const earliest = new Map<string, Plan>()
  const waitsFor = new Map<string, readonly string[]>()
  const finishOf = (id: string) => earliest.get(id)?.finish ?? 0
  for (const id of order) {
    const timing = timings.get(id)
    const duration = Math.max(0, timing?.duration ?? defaultEstimateMs)
    const before = deciding(id, finishOf)
    waitsFor.set(id, before)
    const ready = before.reduce((latest, other) => Math.max(latest, finishOf(other)), 0)
    // A node of weight 0 takes no time at all, so that a skipped branch does not move the end.
    const start = timing?.start ?? (duration === 0 ? ready : Math.max(ready, now))
    const planned = timing?.start === undefined ? start + duration : Math.max(start + duration, now)
    earliest.set(id, { start, finish: timing?.finish ?? planned })
  }
  return { earliest, waitsFor }
}

function endOf(earliest: ReadonlyMap<string, Plan>): number {
  let end = 0
  for (const { finish } of earliest.values()) end = Math.max(end, finish)
  return end
}

/** From the node that ends last, back over whichever predecessor ended last. */
function longestChain(
  order: readonly string[],
  predecessors: ReadonlyMap<string, readonly string[]>,
  earliest: ReadonlyMap<string, { finish: number }>,
  total: number,
): string[] {
  const finish = (id: string) => earliest.get(id)?.finish ?? 0
  const path: string[] = []
  // Of several that end last the one deepest in the graph, so that a last node of weight 0 still ends the path.
  let at = order.findLast((id) => finish(id) === total)
  while (at !== undefined) {
    path.push(at)
    const before: readonly string[] = predecessors.get(at) ?? []
    at = before.reduce<string | undefined>(
      (best, id) => (best === undefined || finish(id) > finish(best) ? id : best),
      undefined,
    )
  }
  return path.reverse()
}
