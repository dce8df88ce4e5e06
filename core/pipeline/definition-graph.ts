import { criticalPath, defaultEstimateMs } from './critical-path'
import { adjacencyOf, ancestryOf, deriveEdges, levelsOf, type Adjacency, type Edge } from './graph'
import { error, type Issue } from './issue'
import type { ReadNode } from './validation-context'

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

/** Derives the graph of a list of nodes; the one of before where they name what they named, in the same order. */
export function createGrapher(): (byId: ReadonlyMap<string, ReadNode>) => ReadGraph {
  let last: { nodes: readonly ReadNode[]; graph: ReadGraph } | null = null
  return (byId) => {
    const nodes = [...byId.values()]
    const before = last
    const same =
      before !== null &&
      before.nodes.length === nodes.length &&
      nodes.every((node, at) => namesTheSame(node, before.nodes[at]!))
    const graph = same ? before.graph : graphOf(byId)
    last = { nodes, graph }
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

function graphOf(byId: ReadonlyMap<string, ReadNode>): ReadGraph {
  const ids = [...byId.keys()]
  const edges = deriveEdges(
    [...byId].map(([id, { parts }]) => ({ id, events: parts.gateEvents, variables: parts.reads })),
  )
  const adjacency = adjacencyOf(ids, edges)
  const { levels, cycles } = levelsOf(ids, adjacency)
  const timings = new Map(
    ids.map((id) => [id, { duration: byId.get(id)?.parts.estimateMs ?? defaultEstimateMs }]),
  )
  const { path, total } = criticalPath(levels, adjacency, timings)
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
    const parts = byId.get(id)?.parts
    if (parts?.gateEvents.some((type) => type.startsWith(`${ancestor}.`))) return true
    if (parts?.conditions.some(({ reads }) => reads.some(({ root }) => root === ancestor))) return true
    ancestry ??= ancestryOfGates()
    return ancestry(id, ancestor)
  }
}

/** Nodes that wait for each other, told once for each round. */
export function cycleIssue(cycle: readonly string[], byId: ReadonlyMap<string, ReadNode>): Issue {
  const indexOf = (id: string) => byId.get(id)?.index ?? 0
  const first = Math.min(...cycle.map(indexOf))
  const from = cycle.findIndex((id) => indexOf(id) === first)
  const round = [...cycle.slice(from), ...cycle.slice(0, from + 1)]
  const hint = 'no node may wait for itself, directly or through others; reading a variable waits too'
  const message = `nodes wait for each other: ${round.join(' → ')}`
  return { ...error(['nodes', first, 'startWhen'], 'cycle', message, hint), nodes: round.slice(0, -1) }
}
