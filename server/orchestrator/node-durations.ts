import type { NodeEvent } from '@/core/engine/typed-event'
import type { Estimate, Estimates } from '@/core/engine/timeline/expectation'
import type { NodeHistory } from '@/core/scheduling/weight'
import type { NodeStatistics } from '@/server/ports/journal'
import type { StatisticsStore } from '@/server/ports/registry'

/** Durations that are stored per node: enough for a median and a P90, small enough to rewrite with every commit. */
const KEPT = 50
/** Durations that are enough for a spread; with fewer there is none. */
const FOR_P90 = 5

/** How a node ended that did work. */
type EndOfWork = Extract<NodeEvent, { word: 'completed' | 'failed' }>

/** Durations and outcomes per node of a pipeline, recorded for estimates: in memory, written with the commit that changed them. */
export function createNodeDurations(store: StatisticsStore) {
  const known = new Map<string, Promise<Map<string, NodeStatistics>>>()
  const loaded = new Map<string, Map<string, NodeStatistics>>()
  const changed = new Map<string, NodeStatistics>()

  function load(pipelineId: string): Promise<Map<string, NodeStatistics>> {
    let pending = known.get(pipelineId)
    if (pending === undefined) {
      pending = store.ofPipeline(pipelineId).then((rows) => {
        const nodes = new Map(rows.map((row) => [row.nodeId, row]))
        loaded.set(pipelineId, nodes)
        return nodes
      })
      pending.catch(() => known.delete(pipelineId))
      known.set(pipelineId, pending)
    }
    return pending
  }

  return {
    /** Has to be awaited before durations of the pipeline can be noted. */
    load,

    /** Notes how a node ended. Only ends of work count: `{node}.completed` and `{node}.failed` with a duration. */
    note(pipelineId: string, typed: EndOfWork): void {
      const nodes = loaded.get(pipelineId)
      if (nodes === undefined) throw new Error(`invariant: statistics of '${pipelineId}' are not loaded`)
      const { node: nodeId } = typed
      const before = nodes.get(nodeId)
      const completed = typed.word === 'completed'
      const next: NodeStatistics = {
        pipelineId,
        nodeId,
        completed: (before?.completed ?? 0) + (completed ? 1 : 0),
        failed: (before?.failed ?? 0) + (completed ? 0 : 1),
        durations:
          typed.word === 'completed'
            ? [...(before?.durations ?? []).slice(1 - KEPT), typed.payload.duration_ms]
            : (before?.durations ?? []),
      }
      nodes.set(nodeId, next)
      changed.set(`${pipelineId}/${nodeId}`, next)
    },

    /** What earlier runs say of the nodes of a pipeline, as far as that is in memory. */
    history(pipelineId: string): ((nodeId: string) => NodeHistory | undefined) | undefined {
      const nodes = loaded.get(pipelineId)
      if (nodes === undefined) return undefined
      return (nodeId) => {
        const known = nodes.get(nodeId)
        return known === undefined ? undefined : historyOf(known)
      }
    },

    /** What changed since the last call, for the commit. */
    take(): NodeStatistics[] {
      const rows = [...changed.values()]
      changed.clear()
      return rows
    },

    /** How long the nodes took in their latest runs: the median, and by nearest rank the P90 where there are enough. */
    async estimates(pipelineId: string): Promise<Estimates> {
      const found = new Map<string, Estimate>()
      for (const [nodeId, { durations }] of await load(pipelineId)) {
        if (durations.length === 0) continue
        const sorted = durations.toSorted((a, b) => a - b)
        const p90 = sorted.length < FOR_P90 ? null : sorted[Math.ceil(sorted.length * 0.9) - 1]!
        found.set(nodeId, { p50: sorted[(sorted.length - 1) >> 1]!, p90 })
      }
      return found
    },
  }
}

/** What earlier runs say of a node, for the order of those that wait. */
function historyOf({ durations, completed, failed }: NodeStatistics): NodeHistory {
  const ended = completed + failed
  return { p50: medianOf(durations), failureRate: ended === 0 ? 0 : failed / ended }
}

function medianOf(durations: readonly number[]): number | null {
  if (durations.length === 0) return null
  return durations.toSorted((a, b) => a - b)[(durations.length - 1) >> 1]!
}

export type NodeDurations = ReturnType<typeof createNodeDurations>
