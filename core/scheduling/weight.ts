import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { defaultEstimateMs } from '@/core/pipeline/definition/critical-path'
import { CHILDREN, SLOTS } from '@/core/pipeline/definition/demand'
import { parseDuration } from '@/core/pipeline/duration'

/** What is known of a node from earlier runs. */
export type NodeHistory = {
  /** Median duration in milliseconds; null: it never completed. */
  readonly p50: number | null
  /** Part of its ends that were failures, 0 to 1. */
  readonly failureRate: number
}

/** How much of a run waits for a node. */
export type Weight = {
  /** Milliseconds from its start to the end of the run on the longest way through those after it, its own work included [H-4]. */
  readonly path: number
  /** 0 to 1 [H-3]. */
  readonly risk: number
  /** More is sooner. */
  readonly weight: number
}

type Around = {
  readonly historyOf?: (nodeId: string) => NodeHistory | undefined
  /** Capacities of pools, for how large a demand is; null: as much as is wanted. */
  readonly capacityOf?: (pool: string) => number | null
}

/** Of each node how much of the run waits for it: its remaining critical path, longer by its risk [H-3, H-4]. */
export function weightsOf(
  { nodes, levels, successors }: Pick<CompiledPipeline, 'nodes' | 'levels' | 'successors'>,
  { historyOf = () => undefined, capacityOf = () => null }: Around = {},
): ReadonlyMap<string, Weight> {
  const found = new Map<string, Weight>()
  for (let level = levels.length - 1; level >= 0; level -= 1)
    for (const id of levels[level]!) {
      const node = nodes.get(id)!
      const history = historyOf(id)
      let after = 0
      for (const next of successors.get(id) ?? []) after = Math.max(after, found.get(next)?.path ?? 0)
      const path = after + durationOf(node, history)
      const risk = riskOf(node, { failureRate: history?.failureRate ?? 0, demand: shareOf(node, capacityOf) })
      found.set(id, { path, risk, weight: path * (1 + risk) })
    }
  return found
}

/** The median of earlier runs, else what the author estimated, else a second. People are waited for by nobody who could hurry. */
function durationOf({ kind, forEach, estimateMs, definition }: CompiledNode, history?: NodeHistory): number {
  const written = definition.inputBindings?.['duration']
  if (kind === 'wait' && forEach === null && typeof written === 'string') {
    const exact = parseDuration(written)
    if (exact !== null) return exact
  }
  return history?.p50 ?? estimateMs ?? (kind === 'approval' ? 0 : defaultEstimateMs)
}

const clamped = (value: number): number => Math.min(1, Math.max(0, value))

/** H-3: 0.3 complexity + 0.4 failure rate + 0.2 resource demand + 0.1 impact, each and all of it within 0 and 1. */
export function riskOf(
  { definition }: Pick<CompiledNode, 'definition'>,
  { failureRate, demand }: { readonly failureRate: number; readonly demand: number },
): number {
  const { complexity = 0, impact = 0 } = definition.risk ?? {}
  return clamped(
    0.3 * clamped(complexity) + 0.4 * clamped(failureRate) + 0.2 * clamped(demand) + 0.1 * clamped(impact),
  )
}

/** The largest part of a pool that one attempt takes. Every attempt takes a slot: that says nothing of it. */
function shareOf({ demands }: CompiledNode, capacityOf: (pool: string) => number | null): number {
  let share = 0
  for (const { pool, amount } of demands) {
    if (pool === SLOTS || pool === CHILDREN) continue
    const capacity = capacityOf(pool)
    if (capacity !== null && capacity > 0) share = Math.max(share, amount / capacity)
  }
  return share
}
