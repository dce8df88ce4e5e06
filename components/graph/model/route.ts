import type { Box, Point } from './boxes'
import type { Direction } from './layout'

/** The way of an edge around the cards between its ends. Pure. */

export type Route = {
  /** From one end to the other, every part level or upright. */
  readonly points: readonly Point[]
  /** Where its label stands. */
  readonly label: Point
}

/** Room between a line and a card. */
const CLEAR = 6

/** Room between a card and a line that goes around it. */
const AROUND = 20

/** How far a line goes out of its way: beyond, the eye loses it. */
const FARTHEST = 400

/** The most cards between two ends: with more of them the search takes too long, and no way is free. */
const MOST_BETWEEN = 60

/**
 * A way that runs under no card; null: the usual line does not, or there is none. Lines that lead backwards are left as they are.
 *
 * @param boxes all cards but the two at the ends
 */
export function routeAround(
  from: Point,
  to: Point,
  boxes: readonly Box[],
  direction: Direction,
): Route | null {
  if (direction === 'right') return routeRight(from, to, boxes)
  const route = routeRight(turned(from), turned(to), boxes.map(turnedBox))
  return route === null ? null : { points: route.points.map(turned), label: turned(route.label) }
}

/** The usual line as points; null: it leads backwards. */
export function usualRoute(from: Point, to: Point, direction: Direction): Route | null {
  if (direction === 'down') {
    const route = usualRoute(turned(from), turned(to), 'right')
    return route === null ? null : { points: route.points.map(turned), label: turned(route.label) }
  }
  if (to.x - from.x < 4 * CLEAR) return null
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2]
  return { points: bent(from, to, x), label: { x, y } }
}

/** A line with one step. */
const bent = (from: Point, to: Point, x: number): readonly Point[] => [
  from,
  { x, y: from.y },
  { x, y: to.y },
  to,
]

const turned = ({ x, y }: Point): Point => ({ x: y, y: x })
const turnedBox = ({ x, y, width, height }: Box): Box => ({ x: y, y: x, width: height, height: width })

function routeRight(from: Point, to: Point, boxes: readonly Box[]): Route | null {
  if (to.x - from.x < 4 * CLEAR) return null
  const between = boxes.filter(({ x, width }) => x < to.x && x + width > from.x)
  if (between.length === 0 || between.length > MOST_BETWEEN) return null
  const isFree = (points: readonly Point[]) => !between.some((box) => runsUnder(points, box))
  const middle = (from.x + to.x) / 2
  const bend = (x: number) => bent(from, to, x)
  if (isFree(bend(middle))) return null
  const [first, last] = [from.x + AROUND, to.x - AROUND]
  const bends = [first, last, ...between.flatMap(({ x, width }) => [x - AROUND, x + width + AROUND])]
  for (const x of nearest(bends, (each) => Math.abs(each - middle)))
    if (x > from.x && x < to.x && isFree(bend(x))) return routeOf(bend(x))
  const [top, low] = [Math.min(from.y, to.y) - FARTHEST, Math.max(from.y, to.y) + FARTHEST]
  const levels = between
    .flatMap(({ y, height }) => [y - AROUND, y + height + AROUND])
    .filter((y) => y > top && y < low)
  for (const y of nearest(levels, (each) => Math.abs(each - from.y) + Math.abs(each - to.y))) {
    const points = [from, { x: first, y: from.y }, { x: first, y }, { x: last, y }, { x: last, y: to.y }, to]
    if (isFree(points)) return routeOf(points)
  }
  return null
}

const nearest = (values: readonly number[], distance: (value: number) => number): number[] =>
  [...new Set(values)].sort((a, b) => distance(a) - distance(b))

/** Whether a part of a line comes too near to a card. */
const runsUnder = (points: readonly Point[], { x, y, width, height }: Box): boolean =>
  points.some((to, at) => {
    const from = points[at - 1]
    return (
      from !== undefined &&
      Math.max(from.x, to.x) > x - CLEAR &&
      Math.min(from.x, to.x) < x + width + CLEAR &&
      Math.max(from.y, to.y) > y - CLEAR &&
      Math.min(from.y, to.y) < y + height + CLEAR
    )
  })

/** The label stands in the middle of the longest level part. */
function routeOf(points: readonly Point[]): Route {
  let longest = { length: -1, label: points[0]! }
  for (const [at, to] of points.entries()) {
    const from = points[at - 1]
    if (from === undefined || from.y !== to.y) continue
    const length = Math.abs(to.x - from.x)
    if (length > longest.length) longest = { length, label: { x: (from.x + to.x) / 2, y: to.y } }
  }
  return { points, label: longest.label }
}

/** The path through points, with round corners. */
export function roundPath(points: readonly Point[], radius: number): string {
  return points
    .map((point, at) => {
      const [before, after] = [points[at - 1], points[at + 1]]
      if (before === undefined) return `M${point.x} ${point.y}`
      if (after === undefined) return `L${point.x} ${point.y}`
      const [start, end] = [toward(point, before, radius), toward(point, after, radius)]
      return `L${start.x} ${start.y}Q${point.x} ${point.y} ${end.x} ${end.y}`
    })
    .join('')
}

/** A point that is so far from another on the way to a third, but at most half of the way. */
function toward(from: Point, to: Point, far: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const share = length === 0 ? 0 : Math.min(far, length / 2) / length
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
