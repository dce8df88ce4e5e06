import { getSmoothStepPath, type EdgeProps } from '@xyflow/react'
import type { CardNode } from './card'
import { endsOf, type Line } from './distant-edges'
import { nodeBoxes, type Box } from './model/boxes'
import type { Layout } from './model/layout'
import { roundPath, routeAround, type Route } from './model/route'

/** The most cards whose edges are led around each other. */
const MOST = 150

/** Finds the way of an edge around the cards; null: the usual line. */
export type Router = (line: Line) => Route | null

const plain: Router = () => null
const routers = new WeakMap<Layout, Router>()

/** The ways of the edges of a layout. Each is looked for once. */
export function routerOf(layout: Layout, nodes: readonly CardNode[]): Router {
  const known = routers.get(layout)
  if (known !== undefined) return known
  const router = nodes.length > MOST ? plain : createRouter(nodes)
  routers.set(layout, router)
  return router
}

function createRouter(nodes: readonly CardNode[]): Router {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const frames = nodeBoxes(nodes.filter(({ data }) => data.drawn.group?.open === true))
  const cards = nodes.flatMap((node) => {
    const [box] = nodeBoxes([node])
    // What is in the frame of a group is not in the way of edges between others.
    return box === undefined || frames.some((frame) => isWithin(box, frame)) ? [] : [{ id: node.id, box }]
  })
  const found = new Map<string, Route | null>()
  return (line) => {
    const known = found.get(line.id)
    if (known !== undefined) return known
    const [from, to] = [byId.get(line.source), byId.get(line.target)]
    const ends = from === undefined || to === undefined ? null : endsOf(from, to, line)
    const others = cards.flatMap(({ id, box }) => (id === line.source || id === line.target ? [] : [box]))
    const route =
      ends === null ? null : routeAround(ends.start, ends.end, others, to?.data.direction ?? 'right')
    found.set(line.id, route)
    return route
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

/** The path of an edge and the place of its label. A card that is dragged takes its edges away from their ways. */
export function pathOf(
  ends: Ends,
  route: Route | null | undefined,
): readonly [path: string, x: number, y: number] {
  const [start, end] = [route?.points[0], route?.points.at(-1)]
  const isNear = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) < 8
  if (
    route != null &&
    isNear(ends.sourceX, start?.x) &&
    isNear(ends.sourceY, start?.y) &&
    isNear(ends.targetX, end?.x) &&
    isNear(ends.targetY, end?.y)
  )
    return [roundPath(route.points, 8), route.label.x, route.label.y]
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 8 })
  return [path, x, y]
}
