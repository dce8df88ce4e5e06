import { playJobs, type Capacities, type Job, type Played, type Unit, type WhenReady } from './play-jobs'
import TinyQueue from 'tinyqueue'

/** When a node begins and ends, and how much later it may end without delaying the end of the run. Milliseconds. */
export type NodeSchedule = { readonly start: number; readonly finish: number; readonly slack: number }

export type Schedule = {
  /** From the start of the run to its last end. */
  readonly total: number
  readonly nodes: ReadonlyMap<string, NodeSchedule>
  /** In the order in which they begin. */
  readonly order: readonly string[]
  /** The nodes whose ends a node waited for: those that its gate names, and those that held its place before. */
  readonly causes: (id: string) => readonly string[]
  /** The last of these: the one that decided when its work could go on. Undefined: nothing did. */
  readonly decidedBy: (id: string) => string | undefined
  /** The same only where it lacked a place: who held that before. */
  readonly placeFrom: (id: string) => string | undefined
}

type Board = {
  readonly now: number
  readonly order: readonly string[]
  readonly predecessors: ReadonlyMap<string, readonly string[]>
  readonly capacities: Capacities
  readonly whenReady: WhenReady
}

/**
 * Forward and backward pass over a run (H-4): the jobs are played in their pools, then every stretch of work is followed back
 * from the end. A node has no slack when delaying it delays the end: because others wait for it, or because they wait for its place.
 */
export function scheduleOf(jobs: ReadonlyMap<string, Job>, board: Board): Schedule {
  const played = playJobs(jobs, board)
  const places = placesOf(played.units, board.capacities)
  let total = 0
  for (const { finish } of played.nodes.values()) total = Math.max(total, finish)
  const slack = slackOf(played, places, total)
  const nodes = new Map<string, NodeSchedule>()
  for (const [id, { start, finish }] of played.nodes)
    nodes.set(id, { start, finish, slack: slack.get(id) ?? total - finish })
  const last = new Map<string, Unit>()
  const holders = new Map<string, Set<string>>()
  for (const unit of played.units) {
    const { node, finish } = unit
    if (finish >= (last.get(node)?.finish ?? -Infinity)) last.set(node, unit)
    const own = holders.get(node) ?? new Set()
    for (const place of places.get(unit) ?? []) if (place.node !== node) own.add(place.node)
    holders.set(node, own)
  }
  /** Back over its own attempts to what held the place of the first that waited for one. */
  function placeFrom(id: string): string | undefined {
    let unit = last.get(id)
    while (unit !== undefined) {
      const before = latest(places.get(unit) ?? [])
      if (before === undefined || before.finish <= unit.ready) return undefined
      if (before.node !== id) return before.node
      unit = before
    }
    return undefined
  }
  return {
    total,
    nodes,
    order: [...holders.keys()],
    causes: (id) => [...(played.after.get(id) ?? []), ...(holders.get(id) ?? [])],
    decidedBy: (id) => placeFrom(id) ?? latestNode(played.after.get(id) ?? [], nodes),
    placeFrom,
  }
}

const latest = (units: readonly Unit[]): Unit | undefined =>
  units.reduce<Unit | undefined>(
    (best, unit) => (best === undefined || unit.finish > best.finish ? unit : best),
    undefined,
  )

const latestNode = (ids: readonly string[], nodes: ReadonlyMap<string, NodeSchedule>): string | undefined =>
  ids.reduce<string | undefined>(
    (best, id) => (best === undefined || nodes.get(id)!.finish > nodes.get(best)!.finish ? id : best),
    undefined,
  )

/** From the one that ends last back over what decided when each began. */
export function pathOf({ nodes, decidedBy, total }: Schedule, order: readonly string[]): readonly string[] {
  const path = new Set<string>()
  // Of several that end last the one deepest in the graph, so that a last node of weight 0 still ends the path.
  let at = order.findLast((id) => nodes.get(id)?.finish === total)
  while (at !== undefined && !path.has(at)) {
    path.add(at)
    at = decidedBy(at)
  }
  return [...path].reverse()
}

type Free = { readonly by: Unit | null; amount: number }

/**
 * Who had the place before that a stretch of work took. One that waited took what became free last; another what has been free
 * longest, so that nobody has less slack than there is.
 */
function placesOf(units: readonly Unit[], capacities: Capacities): ReadonlyMap<Unit, readonly Unit[]> {
  const places = new Map<Unit, Unit[]>()
  for (const [pool, capacity] of capacities) {
    const free: Free[] = [{ by: null, amount: capacity }]
    let oldest = 0
    const held = new TinyQueue<{ unit: Unit; amount: number }>([], (a, b) => a.unit.finish - b.unit.finish)
    for (const unit of units) {
      let needed = unit.demands.find((demand) => demand.pool === pool)?.amount ?? 0
      if (needed === 0) continue
      for (let next = held.peek(); next !== undefined && next.unit.finish <= unit.start; next = held.peek()) {
        free.push({ by: next.unit, amount: next.amount })
        held.pop()
      }
      held.push({ unit, amount: needed })
      const waited = (free.at(-1)?.by?.finish ?? -Infinity) > unit.ready
      while (needed > 0 && oldest < free.length) {
        const place = waited ? free.at(-1)! : free[oldest]!
        const taken = Math.min(needed, place.amount)
        if (place.by !== null) put(places, unit, place.by)
        needed -= taken
        place.amount -= taken
        if (place.amount > 0) break
        if (waited) free.pop()
        else oldest += 1
      }
    }
  }
  return places
}

function put(places: Map<Unit, Unit[]>, unit: Unit, before: Unit): void {
  const known = places.get(unit)
  if (known === undefined) places.set(unit, [before])
  else known.push(before)
}

/** More rounds are needed only where something ended after a node had begun that names it; each names fewer. */
const MOST_ROUNDS = 4

/** The backward pass, over stretches of work: each has to end before whoever waits for its node, or for its place, begins. */
function slackOf(
  { units, after, nodes }: Played,
  places: ReadonlyMap<Unit, readonly Unit[]>,
  total: number,
): ReadonlyMap<string, number> {
  const latestOfNode = new Map<string, number>()
  const latestOfUnit = new Map<Unit, number>()
  const slack = new Map<string, number>()
  let lowered = true
  const bound = <K>(known: Map<K, number>, key: K, at: number) => {
    if (at >= (known.get(key) ?? Infinity)) return
    known.set(key, at)
    lowered = true
  }
  for (let round = 0; lowered && round < MOST_ROUNDS; round += 1) {
    lowered = false
    for (let index = units.length - 1; index >= 0; index -= 1) {
      const unit = units[index]!
      const { node, start, finish } = unit
      const ofNode = latestOfNode.get(node) ?? total
      const finishLatest = Math.min(ofNode, latestOfUnit.get(unit) ?? total)
      const own = Math.max(0, Math.min(finishLatest - finish, ofNode - nodes.get(node)!.finish))
      slack.set(node, Math.min(slack.get(node) ?? Infinity, own))
      const startLatest = finishLatest - (finish - start)
      const held = places.get(unit) ?? []
      for (const before of held) bound(latestOfUnit, before, startLatest)
      // It lacked a place that nobody here is known to have had: it would have as long again.
      const lacked = unit.demands.length > 0 && !held.some((before) => before.finish > unit.ready)
      const ready = lacked ? startLatest - (start - unit.ready) : startLatest
      for (const other of after.get(node) ?? []) bound(latestOfNode, other, ready)
    }
  }
  return slack
}
