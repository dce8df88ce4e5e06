import { producerOf } from '@/core/pipeline/gate/event-type'

/**
 * An edge of the derived graph. `event`: the target's startWhen names an event of the source;
 * `variable`: the target reads a variable of the source.
 */
export type Edge = {
  from: string
  to: string
  kind: 'event' | 'variable'
  /** The event type or the variable's full name. */
  label: string
}

/** What a node's gate and bindings refer to. */
export type NodeReferences = {
  id: string
  /** Event types of its gate. */
  events: readonly string[]
  /** Variables that its gate, bindings and outputs read. */
  variables: readonly { root: string; name: string }[]
}

/**
 * The edges between nodes, in the order of the definition: one for every event atom and, where there is none from that
 * node already, one for every variable that is read. References to anything but the given nodes make no
 * edge, and neither does a node's reference to itself: validation reports those.
 */
export function deriveEdges(nodes: readonly NodeReferences[]): Edge[] {
  const ids = new Set(nodes.map(({ id }) => id))
  return nodes.flatMap((node) => edgesTo(node, ids))
}

/** The edges that end at one node, of those that come from the nodes named. */
export function edgesTo(node: NodeReferences, ids: ReadonlySet<string>): Edge[] {
  const edges: Edge[] = []
  const seen = new Set<string>()
  for (const type of node.events) {
    const from = producerOf(type)
    if (!ids.has(from) || from === node.id || seen.has(type)) continue
    seen.add(type)
    seen.add(from)
    edges.push({ from, to: node.id, kind: 'event', label: type })
  }
  for (const { root, name } of node.variables) {
    if (!ids.has(root) || root === node.id || seen.has(root)) continue
    seen.add(root)
    edges.push({ from: root, to: node.id, kind: 'variable', label: name })
  }
  return edges
}

export type Adjacency = {
  successors: ReadonlyMap<string, readonly string[]>
  predecessors: ReadonlyMap<string, readonly string[]>
}

/** Neighbours of every node, each once, in the order of the edges. */
export function adjacencyOf(ids: Iterable<string>, edges: readonly Edge[]): Adjacency {
  const successors = new Map<string, string[]>()
  const predecessors = new Map<string, string[]>()
  for (const id of ids) {
    successors.set(id, [])
    predecessors.set(id, [])
  }
  const wide = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    const before = predecessors.get(to)
    if (before === undefined || isAmong(before, from, to, wide)) continue
    before.push(from)
    wide.get(to)?.add(from)
    successors.get(from)?.push(to)
  }
  return { successors, predecessors }
}

/** Few nodes have many neighbours: of the others a look through the list costs less than a set. */
function isAmong(
  list: readonly string[],
  id: string,
  owner: string,
  wide: Map<string, Set<string>>,
): boolean {
  if (list.length < 16) return list.includes(id)
  let known = wide.get(owner)
  if (known === undefined) wide.set(owner, (known = new Set(list)))
  return known.has(id)
}

/**
 * Kahn's levels (H-2): nodes of level 0 wait for no other node, those of level k+1 for some node of level k. All nodes
 * that become free together stand in one level, in the order given. When there are cycles, each is listed by its nodes, in order of
 * its edges, and the levels hold what is not on or behind one.
 */
export function levelsOf(
  ids: readonly string[],
  { successors, predecessors }: Adjacency,
): { levels: string[][]; cycles: string[][] } {
  const position = new Map<string, number>()
  const open = new Int32Array(ids.length)
  for (const [at, id] of ids.entries()) {
    position.set(id, at)
    open[at] = predecessors.get(id)?.length ?? 0
  }
  const levels: string[][] = []
  let level = ids.filter((_, at) => open[at] === 0)
  let placed = 0
  while (level.length > 0) {
    levels.push(level)
    placed += level.length
    const free: number[] = []
    for (const id of level)
      for (const next of successors.get(id) ?? []) {
        const at = position.get(next)
        if (at !== undefined && --open[at]! === 0) free.push(at)
      }
    level = free.sort((a, b) => a - b).map((at) => ids[at]!)
  }
  if (placed === ids.length) return { levels, cycles: [] }
  const left = new Map(ids.map((id, at) => [id, open[at]!]))
  return { levels, cycles: findCycles(ids, left, predecessors) }
}

/** One cycle out of every knot: walking back from a stuck node must come round. */
function findCycles(
  ids: readonly string[],
  open: ReadonlyMap<string, number>,
  predecessors: ReadonlyMap<string, readonly string[]>,
): string[][] {
  const stuck = (id: string) => (open.get(id) ?? 0) > 0
  const visited = new Set<string>()
  const cycles: string[][] = []
  for (const start of ids.filter(stuck)) {
    const walk: string[] = []
    let at: string | undefined = start
    while (at !== undefined && !visited.has(at)) {
      visited.add(at)
      walk.push(at)
      at = predecessors.get(at)?.find(stuck)
    }
    const from = at === undefined ? -1 : walk.indexOf(at)
    if (from >= 0) cycles.push(walk.slice(from).reverse())
  }
  return cycles
}

/**
 * Answers for any two nodes whether the first waits for the second, directly or not. Made once in one pass over
 * the levels (one bit for a pair), because validation asks it for every variable that is read.
 */
export function ancestryOf(
  levels: readonly (readonly string[])[],
  { predecessors }: Adjacency,
): (id: string, ancestor: string) => boolean {
  const order = levels.flat()
  const position = new Map(order.map((id, index) => [id, index]))
  const words = Math.ceil(order.length / 32)
  const bits = order.map(() => new Uint32Array(words))
  order.forEach((id, index) => {
    const own = bits[index]
    for (const parent of predecessors.get(id) ?? []) {
      const at = position.get(parent)
      const inherited = at === undefined ? undefined : bits[at]
      if (own === undefined || at === undefined || inherited === undefined) continue
      for (let word = 0; word < words; word++) own[word] = (own[word] ?? 0) | (inherited[word] ?? 0)
      own[at >> 5] = (own[at >> 5] ?? 0) | (1 << (at & 31))
    }
  })
  return (id, ancestor) => {
    const own = bits[position.get(id) ?? -1]
    const at = position.get(ancestor)
    return own !== undefined && at !== undefined && ((own[at >> 5] ?? 0) & (1 << (at & 31))) !== 0
  }
}
