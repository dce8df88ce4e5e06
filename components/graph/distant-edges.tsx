'use client'

import { getSmoothStepPath, type Edge, type Node, type NodeHandle } from '@xyflow/react'
import { useMemo, useState } from 'react'
import { cn } from '@/components/ui/class-names'
import { APART, inBlocks, strokesOf, type Stroke } from './blocks'
import { ViewportLayer } from './viewport-layer'

export type Ends = Pick<Node, 'id' | 'position' | 'handles'>
export type Line = Pick<Edge, 'id' | 'source' | 'target' | 'sourceHandle' | 'className'>

const NOTHING: ReadonlySet<string> = new Set()

/**
 * The edges of a graph that is zoomed out: lines without labels and arrows that cannot be selected. Many share one path, so that
 * thousands cost little to draw and to pan.
 */
export function DistantEdges({
  nodes,
  edges,
  dragged = NOTHING,
}: {
  nodes: readonly Ends[]
  edges: readonly Line[]
  /**
   * Nodes that the drag layer moves. It draws their edges itself: into the path with `data-dragged-edges`, and those between two such
   * nodes into the path with `data-dragged-within`.
   */
  dragged?: ReadonlySet<string>
}) {
  const [trace] = useState(createTrace)
  const [draw] = useState(() => inBlocks(strokesOf))
  const blocks = useMemo(() => draw(trace(nodes, edges, dragged)), [draw, trace, nodes, edges, dragged])
  return (
    <ViewportLayer>
      <div className={cn(APART, 'pointer-events-none -z-1')}>
        <svg aria-hidden className="distant-edges absolute top-0 left-0 overflow-visible">
          {/* The critical path last: the others must not cover it. */}
          {[false, true].map((isCritical) =>
            blocks.map((strokes, at) =>
              strokes
                .filter(({ look }) => look.includes('critical') === isCritical)
                .map(({ look, path }) => (
                  <g key={`${at} ${look}`} className={`react-flow__edge ${look}`}>
                    <path d={path} className="react-flow__edge-path" />
                  </g>
                )),
            ),
          )}
          <g className="react-flow__edge">
            <path data-dragged-edges className="react-flow__edge-path" />
            <path data-dragged-within className="react-flow__edge-path" />
          </g>
        </svg>
      </div>
    </ViewportLayer>
  )
}

type Traced = { readonly from: Ends; readonly to: Ends; readonly stroke: Stroke }

const NO_STROKE: Stroke = { look: '', path: '' }

/** Traces edges between nodes. The stroke of an edge is memoized until the edge changes or one of its nodes moves. */
export function createTrace(): (
  nodes: readonly Ends[],
  edges: readonly Line[],
  dragged?: ReadonlySet<string>,
) => readonly Stroke[] {
  const known = new WeakMap<Line, Traced>()
  let stood: readonly Ends[] = []
  let places: ReadonlyMap<string, Ends> = new Map()
  let before: { readonly edges: readonly Line[]; readonly strokes: readonly Stroke[] } | null = null
  return (nodes, edges, dragged = NOTHING) => {
    const still =
      nodes.length === stood.length &&
      nodes.every(
        (node, at) => node === stood[at] || (node.id === stood[at]!.id && isInPlace(node, stood[at]!)),
      )
    if (!still) places = new Map(nodes.map((node) => [node.id, node]))
    stood = nodes
    const last = still && dragged.size === 0 ? before : null
    const strokes = edges.map((edge, at) => {
      if (last !== null && last.edges[at] === edge) return last.strokes[at]!
      const [from, to] = [places.get(edge.source), places.get(edge.target)]
      if (from === undefined || to === undefined) return NO_STROKE
      const old = last?.edges[at]
      if (old !== undefined && hasSameEnds(old, edge))
        return { look: edge.className ?? '', path: last!.strokes[at]!.path }
      let traced = known.get(edge)
      if (traced === undefined || !isInPlace(traced.from, from) || !isInPlace(traced.to, to)) {
        traced = { from, to, stroke: strokeOf(from, to, edge) }
        known.set(edge, traced)
      }
      const isDragged = dragged.size > 0 && (dragged.has(edge.source) || dragged.has(edge.target))
      return isDragged ? NO_STROKE : traced.stroke
    })
    before = dragged.size === 0 ? { edges, strokes } : null
    return strokes
  }
}

/** Whether a line of the same nodes goes the same way. */
const hasSameEnds = (a: Line, b: Line): boolean =>
  a.source === b.source && a.target === b.target && a.sourceHandle === b.sourceHandle

/** Whether a node has the same position and handles, whatever else changed. */
const isInPlace = (a: Ends, b: Ends): boolean =>
  a === b || (a.position === b.position && a.handles === b.handles)

/** The line of an edge between two nodes. */
export function strokeOf(from: Ends, to: Ends, line: Line): Stroke {
  const { className = '' } = line
  const ends = endsOf(from, to, line)
  if (ends === null) return { look: className, path: '' }
  const { start, end } = ends
  const [path] = getSmoothStepPath({
    sourceX: start.x,
    sourceY: start.y,
    sourcePosition: start.position,
    targetX: end.x,
    targetY: end.y,
    targetPosition: end.position,
    borderRadius: 8,
  })
  return { look: className, path }
}

/** The handles at which an edge begins and ends; null: one of them is not there. */
export function endsOf(from: Ends, to: Ends, { sourceHandle }: Pick<Line, 'sourceHandle'>) {
  const start = handle(from, (one) => one.type === 'source' && one.id === sourceHandle)
  const end = handle(to, (one) => one.type === 'target')
  return start === null || end === null ? null : { start, end }
}

/** The centre of one of the handles of a node. */
function handle({ position, handles = [] }: Ends, isMeant: (handle: NodeHandle) => boolean) {
  const found = handles.find(isMeant)
  if (found === undefined) return null
  return {
    x: position.x + found.x + (found.width ?? 0) / 2,
    y: position.y + found.y + (found.height ?? 0) / 2,
    position: found.position,
  }
}
