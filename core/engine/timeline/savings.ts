import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { sumOf } from '@/core/pipeline/definition/demand'
import { emptyState } from '@/core/engine/state'
import type { Estimate, Estimates } from './expectation'
import { forecast } from './forecast'
import type { Capacities } from './play-jobs'

/** What a run would gain if nodes took no time. Milliseconds. */
export type NodeSaving = {
  /** One node, or siblings that do the same, which only together decide anything. In the order of the definition. */
  readonly nodes: readonly string[]
  /** How much earlier the run would end if all of these took no time. */
  readonly saving: number
  /** How long they work, all together. */
  readonly work: number
  /** Of siblings: the one that takes longest, and what it would save alone. */
  readonly alone: { readonly node: string; readonly saving: number } | null
}

/** What a run would gain if a pool had more room. */
export type PlaceSaving = {
  readonly pool: string
  readonly amount: number
  readonly saving: number
  /** More than this makes it hardly any shorter. */
  readonly enough: number
  readonly enoughSaving: number
}

export type Savings = {
  /** How long a run takes by these durations and places, where all goes well. */
  readonly total: number
  /** What saves most comes first; what saves nothing is left out. */
  readonly nodes: readonly NodeSaving[]
  readonly places: readonly PlaceSaving[]
}

/** Nodes or groups of siblings that are tried: those that work longest. Of large pipelines fewer, so that the answer comes in a second or two. */
const MOST_TRIED = 40
const MOST_PLAYED = 20_000

/** Less than this part of the run is no saving. */
const LEAST_PART = 0.001

/**
 * What to optimise first: the run is played with the slots that there are, then again without the time of one node, or of one group of siblings,
 * and with more slots. The difference is what that saves, however long a node takes and whatever path it is on.
 *
 * A step is one run that is played: whoever asks does other things between two of them.
 */
export function* savingsOf(
  pipeline: CompiledPipeline,
  durations: Estimates,
  capacities: Capacities,
): Generator<undefined, Savings> {
  const state = emptyState('savings', pipeline)
  const lengthOf = (estimates: Estimates, places: Capacities) =>
    forecast(state, 0, { estimates, capacities: places }).end
  const total = lengthOf(durations, capacities)
  const least = total * LEAST_PART
  const without = (nodes: readonly string[]) =>
    total - lengthOf(new Map([...durations, ...nodes.map((id) => [id, NO_TIME] as const)]), capacities)

  const work = (id: string) => workOf(pipeline.nodes.get(id)!, durations.get(id))
  const sum = (nodes: readonly string[]) => nodes.reduce((all, id) => all + work(id), 0)
  const groups = siblingsOf(pipeline)
    .map((nodes) => ({ nodes, work: sum(nodes) }))
    .filter((group) => group.work > least)
    .sort((a, b) => b.work - a.work)
  const tried = Math.max(5, Math.min(MOST_TRIED, Math.floor(MOST_PLAYED / pipeline.nodes.size)))
  const nodes: NodeSaving[] = []
  for (const group of groups.slice(0, tried)) {
    yield
    const saving = without(group.nodes)
    if (saving <= least) continue
    if (group.nodes.length === 1) {
      nodes.push({ ...group, saving, alone: null })
      continue
    }
    yield
    const node = group.nodes.reduce((longest, id) => (work(id) > work(longest) ? id : longest))
    nodes.push({ ...group, saving, alone: { node, saving: Math.max(0, without([node])) } })
  }
  const places: PlaceSaving[] = []
  for (const [pool, amount] of capacities) {
    // What one attempt more takes: of memory no single byte.
    const unit = leastDemand(pipeline, pool)
    if (unit === null) continue
    const withMore = (more: number) => total - lengthOf(durations, new Map([...capacities, [pool, more]]))
    yield
    const most = withMore(Infinity)
    if (most <= least) continue
    // As many as are enough for nearly all of that; the saving grows with their number, but for accidents of the order.
    const wanted = Math.max(pipeline.nodes.size, ...listSizes(durations)) - Math.floor(amount / unit)
    const after = (more: number) => sumOf(amount, more * unit)
    let [low, high] = [0, Math.max(1, wanted)]
    while (high - low > 1) {
      yield
      const middle = (low + high) >> 1
      if (withMore(after(middle)) >= most - total * 0.01) high = middle
      else low = middle
    }
    yield
    places.push({
      pool,
      amount,
      saving: Math.max(0, withMore(amount * 2)),
      enough: after(high),
      enoughSaving: withMore(after(high)),
    })
  }
  return {
    total,
    nodes: nodes.sort((a, b) => b.saving - a.saving),
    places: places.sort((a, b) => b.saving - a.saving),
  }
}

/** The least that an attempt of any node demands of a pool; null: none demands any of it. */
function leastDemand({ nodes }: CompiledPipeline, pool: string): number | null {
  let least: number | null = null
  for (const { demands } of nodes.values())
    for (const demand of demands) if (demand.pool === pool) least = Math.min(least ?? Infinity, demand.amount)
  return least
}

const NO_TIME: Estimate = { p50: 0, p90: null }

const listSizes = (durations: Estimates): number[] =>
  [...durations.values()].map(({ items }) => items?.total ?? 0)

/** What could be made faster of a node: nobody optimises people or a time that is waited for. */
function workOf({ kind, estimateMs }: CompiledNode, estimate: Estimate | undefined): number {
  if (kind === 'approval' || kind === 'wait') return 0
  if (estimate === undefined) return estimateMs ?? 0
  return estimate.items ? Math.max(estimate.p50, estimate.items.total * estimate.items.each) : estimate.p50
}

/**
 * Nodes that do the same beside each other: of one level and one task, and named alike but for numbers, or with the same nodes before
 * and after them.
 */
function siblingsOf({ levels, nodes, predecessors, successors }: CompiledPipeline): readonly string[][] {
  const groups: string[][] = []
  for (const level of levels) {
    const named = groupsBy(level, (id) => `${whatOf(nodes.get(id)!)} ${id.replace(/\d+/g, '#')}`)
    const single = named.flatMap((ids) => (ids.length === 1 ? ids : []))
    const between = (id: string) => [whatOf(nodes.get(id)!), predecessors.get(id), successors.get(id)]
    groups.push(...named.filter((ids) => ids.length > 1))
    groups.push(...groupsBy(single, (id) => JSON.stringify(between(id))))
  }
  return groups
}

const whatOf = ({ task, child }: CompiledNode): string => child ?? task

function groupsBy(ids: readonly string[], keyOf: (id: string) => string): string[][] {
  const groups = new Map<string, string[]>()
  for (const id of ids) {
    const key = keyOf(id)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [id])
    else group.push(id)
  }
  return [...groups.values()]
}
