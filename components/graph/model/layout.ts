import type { Drawing, DrawnNode } from './drawing'

/** The upper left corner of each node, in canvas units. */
export type Layout = ReadonlyMap<string, { readonly x: number; readonly y: number }>
export type Direction = 'right' | 'down'

const CARD = { width: 224, height: 80 } as const
const PLAIN_CARD = { width: 224, height: 60 } as const
const SIGNAL = { width: 164, height: 36 } as const

/** The size of a card: a run's card has a line more, for its status. */
export function sizeOf(
  node: Pick<DrawnNode, 'kind'>,
  run: boolean,
): { readonly width: number; readonly height: number } {
  if (node.kind === 'signal') return SIGNAL
  return run ? CARD : PLAIN_CARD
}

type Positions = { readonly [id: string]: { readonly x: number; readonly y: number } }

/** The largest coordinate that is drawn, in canvas units. */
const FARTHEST = 1_000_000

const isNear = (value: unknown): value is number => typeof value === 'number' && Math.abs(value) <= FARTHEST

/** Whether these are coordinates at which a card can be drawn. A definition may hold anything here. */
export const isPosition = ({ x, y }: { readonly x?: unknown; readonly y?: unknown }): boolean =>
  isNear(x) && isNear(y)

/**
 * The positions of the definition, or null when a node has none that can be drawn. Signals have no stored positions: they are
 * stacked above the gap before their first listener, where no edge of the row runs.
 */
export function storedLayout(
  drawing: Drawing,
  positions: Positions | undefined,
  run: boolean,
): Layout | null {
  if (positions === undefined) return null
  const layout = new Map<string, { x: number; y: number }>()
  for (const node of drawing.nodes) {
    if (node.kind !== 'task') continue
    const at = Object.hasOwn(positions, node.id) ? positions[node.id] : undefined
    if (at === undefined || !isPosition(at)) return null
    layout.set(node.id, { x: at.x, y: at.y })
  }
  const above = new Map<string, number>()
  for (const node of drawing.nodes) {
    if (node.kind !== 'signal') continue
    const listener = drawing.edges.find((edge) => edge.from === node.id)?.to ?? ''
    const at = layout.get(listener)
    const { width, height } = sizeOf(node, run)
    const storey = above.get(listener) ?? 0
    above.set(listener, storey + 1)
    layout.set(
      node.id,
      at === undefined ? { x: 0, y: 0 } : { x: at.x - width - 40, y: at.y - (storey + 1) * (height + 24) },
    )
  }
  return layout
}

/** The edges that a layout follows: those of the drawing, and one from every last node to each finally node without an edge. */
export function orderOf(drawing: Drawing): readonly { readonly from: string; readonly to: string }[] {
  const sources = new Set(drawing.edges.map((edge) => edge.from))
  const targets = new Set(drawing.edges.map((edge) => edge.to))
  const ends = drawing.nodes.filter((node) => node.kind === 'task' && !node.finally && !sources.has(node.id))
  const after = drawing.nodes.filter((node) => node.finally && !targets.has(node.id))
  return [...drawing.edges, ...after.flatMap((to) => ends.map((from) => ({ from: from.id, to: to.id })))]
}

/**
 * Columns by depth, computed at once. It is drawn when the layered layout fails or the graph is too large for it.
 * Cycles, which a definition may have while it is edited, are cut where they close.
 */
export function quickLayout(drawing: Drawing, direction: Direction, run: boolean): Layout {
  const incoming = new Map<string, string[]>()
  for (const edge of orderOf(drawing)) incoming.set(edge.to, [...(incoming.get(edge.to) ?? []), edge.from])
  const depth = depthsOf(
    drawing.nodes.map(({ id }) => id),
    incoming,
  )
  const filled = new Map<number, number>()
  const layout = new Map<string, { x: number; y: number }>()
  for (const node of drawing.nodes) {
    const column = depth.get(node.id) ?? 0
    const row = filled.get(column) ?? 0
    filled.set(column, row + 1)
    const { width, height } = sizeOf(node, run)
    layout.set(
      node.id,
      direction === 'right'
        ? { x: column * 288, y: row * 112 + (80 - height) / 2 }
        : { x: row * 256 + (224 - width) / 2, y: column * 128 },
    )
  }
  return layout
}

/** The longest path to each node. Edges that close a cycle are ignored. Iterative: a chain may have thousands of nodes. */
function depthsOf(
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
