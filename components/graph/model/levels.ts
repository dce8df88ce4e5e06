import type { Drawing, DrawnEdge, DrawnNode } from './drawing'

/** What comes after what in a drawing. Pure. */

/** The edges that a layout follows: those of the drawing, and one from every last node to each finally node without an edge. */
export function orderOf(
  drawing: Drawing,
): readonly (Pick<DrawnEdge, 'from' | 'to'> & { readonly label?: string | null })[] {
  const sources = new Set(drawing.edges.map((edge) => edge.from))
  const targets = new Set(drawing.edges.map((edge) => edge.to))
  const ends = drawing.nodes.filter(
    (node) => node.kind !== 'signal' && !node.finally && !sources.has(node.id),
  )
  const after = drawing.nodes.filter((node) => node.finally && !targets.has(node.id))
  return [...drawing.edges, ...after.flatMap((to) => ends.map((from) => ({ from: from.id, to: to.id })))]
}

/** The nodes of each level, from the first. Cycles, which a definition may have while it is edited, are cut where they close. */
export function levelsOf(drawing: Drawing): readonly (readonly DrawnNode[])[] {
  const incoming = new Map<string, string[]>()
  for (const { from, to } of orderOf(drawing)) {
    const list = incoming.get(to)
    if (list === undefined) incoming.set(to, [from])
    else list.push(from)
  }
  const depth = depthsOf(
    drawing.nodes.map(({ id }) => id),
    incoming,
  )
  const levels: DrawnNode[][] = []
  for (const node of drawing.nodes) (levels[depth.get(node.id) ?? 0] ??= []).push(node)
  return Array.from(levels, (level) => level ?? [])
}

/** The longest path to each node, as a number of edges. Edges that close a cycle are ignored. Iterative: a chain may have thousands of nodes. */
export function depthsOf(
  ids: readonly string[],
  incoming: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const depth = new Map<string, number>()
  const onPath = new Set<string>()
  for (const root of ids) {
    const open = [root]
    for (let id = open.at(-1); id !== undefined; id = open.at(-1)) {
      const before = incoming.get(id) ?? []
      const waits = depth.has(id)
        ? []
        : before.filter((from) => !depth.has(from) && !onPath.has(from) && from !== id)
      if (waits.length > 0) {
        onPath.add(id)
        open.push(...waits)
        continue
      }
      open.pop()
      onPath.delete(id)
      if (!depth.has(id)) depth.set(id, Math.max(0, ...before.map((from) => (depth.get(from) ?? -1) + 1)))
    }
  }
  return depth
}
