import type { ElkExtendedEdge } from 'elkjs/lib/elk-api.js'
import { startElk } from './elk'
import { joined, labelWidth } from './model/edge-label'
import { needsWrapping, quickLayout, sizeOf, type Direction, type Layout } from './model/layout'
import { orderOf } from './model/levels'
import type { Drawing } from './model/drawing'

/** Largest graph, in cards, for the layered layout: it takes a second or two in its worker, and its cost grows faster than the graph. */
const layeredLimit = 400

/**
 * Lays a graph out: in layers where it is small, else in columns by depth, of which a wide one is wrapped. Editor and run draw one pipeline
 * with other edges in another order; the layout depends on neither.
 */
export async function layOut(drawing: Drawing, direction: Direction): Promise<Layout> {
  const isLarge = drawing.nodes.length > layeredLimit
  if (isLarge || needsWrapping(drawing, direction)) return quickLayout(drawing, direction)
  return layeredLayout(drawing, direction)
}

/** Between two layers without labels. */
const GAP = { right: 64, down: 56 } as const

/** The size of a label for the layout, which keeps the gap of two layers on both of its sides: too much beside a label. */
const labelSize = (label: string) => ({
  width: Math.max(1, labelWidth(label) - 2 * GAP.right + 40),
  height: 18,
})

async function layeredLayout(drawing: Drawing, direction: Direction): Promise<Layout> {
  const elk = await startElk()
  const right = direction === 'right'
  const nodes = drawing.nodes.toSorted((a, b) => Number(a.kind === 'signal') - Number(b.kind === 'signal'))
  const graph = await elk.layout({
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': right ? 'RIGHT' : 'DOWN',
      'elk.layered.spacing.nodeNodeBetweenLayers': String(GAP[direction]),
      'elk.spacing.nodeNode': '32',
      'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.crossingMinimization.forceNodeModelOrder': 'false',
    },
    children: nodes.map((node) => ({ id: node.id, ...sizeOf(node) })),
    edges: edgesFor(drawing, nodes, right),
  })
  return new Map((graph.children ?? []).map((child) => [child.id, { x: child.x ?? 0, y: child.y ?? 0 }]))
}

/** One edge between two nodes, in the order of the nodes, with its label where it stands in the gap between two layers. */
function edgesFor(drawing: Drawing, nodes: Drawing['nodes'], right: boolean): ElkExtendedEdge[] {
  const index = new Map(nodes.map(({ id }, at) => [id, at]))
  const links = new Map<string, { from: string; to: string; said: (string | null)[] }>()
  for (const { from, to, label = null } of orderOf(drawing)) {
    const key = `${from}>${to}`
    const link = links.get(key) ?? { from, to, said: [] }
    link.said.push(label)
    links.set(key, link)
  }
  const place = (id: string) => index.get(id) ?? 0
  return [...links.values()]
    .toSorted((a, b) => place(a.to) - place(b.to) || place(a.from) - place(b.from))
    .map(({ from, to, said }) => {
      const label = joined(said)
      return {
        id: `${from}>${to}`,
        sources: [from],
        targets: [to],
        ...(right && label !== null ? { labels: [{ text: label, ...labelSize(label) }] } : {}),
      }
    })
}
