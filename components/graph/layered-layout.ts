import { startElk } from './elk'
import { roomForLabels } from './model/edge-label'
import { orderOf, quickLayout, sizeOf, type Direction, type Layout } from './model/layout'
import type { Drawing } from './model/drawing'

/** Largest graph, in nodes, for the layered layout: it takes a second or two in its worker, and its cost grows faster than the graph. */
const layeredLimit = 400

/** Lays a graph out: in layers up to 400 nodes, in columns by depth above. */
export async function layOut(drawing: Drawing, direction: Direction, run: boolean): Promise<Layout> {
  if (drawing.nodes.length > layeredLimit) return quickLayout(drawing, direction, run)
  return layeredLayout(drawing, direction, run)
}

async function layeredLayout(drawing: Drawing, direction: Direction, run: boolean): Promise<Layout> {
  const elk = await startElk()
  const graph = await elk.layout({
    id: 'root',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': direction === 'right' ? 'RIGHT' : 'DOWN',
      'elk.layered.spacing.nodeNodeBetweenLayers': String(
        direction === 'right'
          ? roomForLabels(
              drawing.edges.map(({ label }) => label),
              64,
              144,
            )
          : 56,
      ),
      'elk.spacing.nodeNode': '32',
      'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
      'elk.layered.crossingMinimization.forceNodeModelOrder': 'false',
    },
    children: drawing.nodes.map((node) => ({ id: node.id, ...sizeOf(node, run) })),
    edges: orderOf(drawing).map((edge) => ({
      id: `${edge.from}>${edge.to}`,
      sources: [edge.from],
      targets: [edge.to],
    })),
  })
  return new Map((graph.children ?? []).map((child) => [child.id, { x: child.x ?? 0, y: child.y ?? 0 }]))
}
