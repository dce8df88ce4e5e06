import { defaultEstimateMs, longestPath } from './critical-path'
import { adjacencyOf, ancestryOf, edgesTo, levelsOf, type Adjacency, type Edge } from './graph'
import { error, type Issue } from '@/core/pipeline/issue'
import type { ReadNode } from './read-node'

/** The graph of a definition, before any run: durations are estimates. */
export type DefinitionGraph = {
  nodes: string[]
  edges: Edge[]
  levels: string[][]
  /** Nodes of the critical path, in order. */
  criticalPath: string[]
  durationMs: number
}

/** What follows from what the nodes name, and from nothing else of them. */
export type ReadGraph = {
  graph: DefinitionGraph
  adjacency: Adjacency
  cycles: readonly (readonly string[])[]
  /** By events and gate conditions alone: a gate waits for those, while reading a variable waits for nobody. */
  waitsFor: (id: string, ancestor: string) => boolean
}

type Derived = {
  readonly nodes: readonly ReadNode[]
  readonly ids: ReadonlySet<string>
  /** By the places of the nodes. */
  readonly edges: readonly (readonly Edge[])[]
  readonly graph: ReadGraph
}

/**
 * Derives the graph of a list of nodes; the one of before where they name what they named, in the same order. Of nodes that are those of
 * before by their ids, only the ones that changed are asked where their edges come from.
 */
export function createGrapher(): (byId: ReadonlyMap<string, ReadNode>) => ReadGraph {
  let last: Derived | null = null
  return (byId) => {
    const nodes = [...byId.values()]
    const before = last?.nodes.length === nodes.length ? last : null
    const kept = nodes.map((node, at) => before !== null && namesTheSame(node, before.nodes[at]!))
    if (before !== null && !kept.includes(false)) {
      last = { ...before, nodes }
      return before.graph
    }
    const sameIds = before !== null && nodes.every(({ id }, at) => id === before.nodes[at]?.id)
    const ids = sameIds ? before.ids : new Set(byId.keys())
    const edges = [...byId].map(([id, { parts }], at) =>
      sameIds && kept[at] === true
        ? before.edges[at]!
        : edgesTo({ id, events: parts.gateEvents, variables: parts.reads }, ids),
    )
    const graph = graphOf(byId, edges.flat())
    last = { nodes, ids, edges, graph }
    return graph
  }
}

function namesTheSame(a: ReadNode, b: ReadNode): boolean {
  if (a.parts === b.parts) return true
  const [now, then] = [a.parts, b.parts]
  return (
    a.id === b.id &&
    now.estimateMs === then.estimateMs &&
    now.conditions.length === then.conditions.length &&
    sameTexts(now.gateEvents, then.gateEvents) &&
    sameTexts(
      now.reads.map(({ name }) => name),
      then.reads.map(({ name }) => name),
    )
  )
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at])
}

function graphOf(byId: ReadonlyMap<string, ReadNode>, edges: Edge[]): ReadGraph {
  const ids = [...byId.keys()]
  const adjacency = adjacencyOf(ids, edges)
  const { levels, cycles } = levelsOf(ids, adjacency)
  const durations = new Map(ids.map((id) => [id, byId.get(id)?.parts.estimateMs ?? defaultEstimateMs]))
  const { path, total } = longestPath(levels, adjacency, durations)
  const graph = { nodes: ids, edges, levels, criticalPath: path, durationMs: total }
  return { graph, adjacency, cycles, waitsFor: waitingBetween(graph, byId) }
}

function waitingBetween(
  { nodes, edges }: DefinitionGraph,
  byId: ReadonlyMap<string, ReadNode>,
): ReadGraph['waitsFor'] {
  // Most nodes read only what they wait for themselves, and the others cost a square of the nodes.
  let ancestry: ReturnType<typeof ancestryOf> | undefined
  const ancestryOfGates = () => {
    const waits = edges.filter(
      ({ kind, from, to }) =>
        kind === 'event' ||
        byId.get(to)?.parts.conditions.some(({ reads }) => reads.some(({ root }) => root === from)),
    )
    const adjacency = adjacencyOf(nodes, waits)
    return ancestryOf(levelsOf(nodes, adjacency).levels, adjacency)
  }
  return (id, ancestor) => {
    if (byId.get(id)?.parts.gateSources.has(ancestor)) return true
    ancestry ??= ancestryOfGates()
    return ancestry(id, ancestor)
  }
}

/** Nodes that wait for each other, one issue for each cycle. */
export function cycleIssue(cycle: readonly string[], byId: ReadonlyMap<string, ReadNode>): Issue {
  const indexOf = (id: string) => byId.get(id)?.index ?? 0
  const first = Math.min(...cycle.map(indexOf))
  const from = cycle.findIndex((id) => indexOf(id) === first)
  const round = [...cycle.slice(from), ...cycle.slice(0, from + 1)]
  const hint = 'no node may wait for itself, directly or through others; reading a variable waits too'
  const message = `nodes wait for each other: ${round.join(' → ')}`
  return { ...error(['nodes', first, 'startWhen'], 'cycle', message, hint), nodes: round.slice(0, -1) }
}
