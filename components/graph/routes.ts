import { getSmoothStepPath, Position, type EdgeProps } from '@xyflow/react'
import type { CardNode } from './card'
import { endsOf } from './distant-edges'
import { nodeBoxes, type Box, type Point } from './model/boxes'
import type { DrawnEdge } from './model/drawing'
import { cutLabel, cutTo, labelLift, LONGEST } from './model/edge-label'
import { placeLabels, type Label } from './model/label-places'
import type { Layout } from './model/layout'
import { roundPath, routeAround, usualRoute, type Route } from './model/route'

/** The most cards whose edges are led around each other. */
const MOST = 150

/** The way of an edge, and where its label has room. */
export type Way = {
  /** Null: the usual line. */
  readonly route: Route | null
  /** From one end to the other. */
  readonly points: readonly Point[]
  readonly label: Label | null
}

/** Finds the way of an edge around the cards; null: the usual line, with its label where it would stand alone. */
export type Router = (edge: DrawnEdge) => Way | null

const plain: Router = () => null
const routers = new WeakMap<Layout, Router>()

/** The ways of the edges of a layout, found once. */
export function routerOf(layout: Layout, nodes: readonly CardNode[], edges: readonly DrawnEdge[]): Router {
  const known = routers.get(layout)
  if (known !== undefined) return known
  const router = nodes.length > MOST ? plain : createRouter(nodes, edges)
  routers.set(layout, router)
  return router
}

function createRouter(nodes: readonly CardNode[], edges: readonly DrawnEdge[]): Router {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const frames = nodeBoxes(nodes.filter(({ data }) => data.drawn.group?.open === true))
  const cards = nodes.flatMap((node) => {
    const [box] = nodeBoxes([node])
    // What is in the frame of a group is not in the way of edges between others.
    return box === undefined || frames.some((frame) => isWithin(box, frame)) ? [] : [{ id: node.id, box }]
  })
  const boxes = cards.map(({ box }) => box)
  const lineOf = ({ id, from, to, port, label }: DrawnEdge) => {
    const [source, target] = [byId.get(from), byId.get(to)]
    const ends =
      source === undefined || target === undefined ? null : endsOf(source, target, { sourceHandle: port })
    if (ends === null || target === undefined) return null
    const { direction } = target.data
    const others = cards.flatMap((card) => (card.id === from || card.id === to ? [] : [card.box]))
    const route = routeAround(ends.start, ends.end, others, direction)
    const usual = route ?? usualRoute(ends.start, ends.end, direction)
    return usual === null
      ? null
      : { id, route, points: usual.points, whole: label, label: alone(label, ends, usual.label) }
  }
  const lines = edges.flatMap((edge) => lineOf(edge) ?? [])
  const labels = placeLabels(lines, boxes)
  const ways = new Map<string, Way | null>(
    lines.map(({ id, route, points }) => [id, { route, points, label: labels.get(id) ?? null }]),
  )
  return (edge) => {
    const known = ways.get(edge.id)
    if (known !== undefined) return known
    // It is drawn only as long as its node is selected.
    const way = lineOf(edge)
    ways.set(edge.id, way)
    return way
  }
}

const isWithin = (inner: Box, outer: Box): boolean =>
  inner !== outer &&
  inner.width < outer.width &&
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height

type Ends = Pick<
  EdgeProps,
  'sourceX' | 'sourceY' | 'targetX' | 'targetY' | 'sourcePosition' | 'targetPosition'
>

/** What an edge says and where, as if there were no other. */
function alone(
  whole: string | null,
  { start, end }: NonNullable<ReturnType<typeof endsOf>>,
  { x, y }: Point,
): Label | null {
  if (whole === null) return null
  const ends = { sourceX: start.x, sourceY: start.y, targetX: end.x, targetY: end.y }
  const text = start.position === Position.Bottom ? cutTo(whole, LONGEST) : cutLabel(whole, ends)
  return { text, at: { x, y: y - labelLift(text, ends) } }
}

/** The path of an edge, its middle, and its label. A card that is dragged takes its edges away from their ways. */
export function pathOf(
  ends: Ends,
  way: Way | null | undefined,
  whole: string | null,
): { readonly path: string; readonly middle: Point; readonly label: Label | null } {
  const [start, end] = [way?.points[0], way?.points.at(-1)]
  const isNear = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) < 8
  const isInPlace =
    isNear(ends.sourceX, start?.x) &&
    isNear(ends.sourceY, start?.y) &&
    isNear(ends.targetX, end?.x) &&
    isNear(ends.targetY, end?.y)
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 8 })
  const route = isInPlace ? way?.route : null
  const middle = route?.label ?? { x, y }
  const label =
    (isInPlace ? way?.label : null) ??
    alone(
      whole,
      {
        start: { x: ends.sourceX, y: ends.sourceY, position: ends.sourcePosition },
        end: { x: ends.targetX, y: ends.targetY, position: ends.targetPosition },
      },
      middle,
    )
  return { path: route == null ? path : roundPath(route.points, 8), middle, label }
}
