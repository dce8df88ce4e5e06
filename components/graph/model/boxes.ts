/** Rectangles on the canvas. Pure. */

export type Point = { readonly x: number; readonly y: number }
export type Size = { readonly width: number; readonly height: number }
export type Box = Point & Size

/** The boxes of nodes as the canvas has them. */
export const nodeBoxes = (
  nodes: readonly { readonly position: Point; readonly width?: number; readonly height?: number }[],
): Box[] => nodes.map(({ position: { x, y }, width = 0, height = 0 }) => ({ x, y, width, height }))

/** The smallest box around all; null around nothing. */
export function around(boxes: Iterable<Box>): Box | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  return left === Infinity ? null : { x: left, y: top, width: right - left, height: bottom - top }
}

/** Room between cards. */
const GAP = 32

/** The first place at or below `wanted` where a box overlaps none of the others. */
export function freePlace(wanted: Box, others: Iterable<Box>): Point {
  const { x, width, height } = wanted
  const inTheWay = [...others]
    .filter((box) => box.x < x + width + GAP / 2 && box.x + box.width + GAP / 2 > x)
    .toSorted((a, b) => a.y - b.y)
  let y = wanted.y
  for (const box of inTheWay)
    if (box.y < y + height + GAP / 2 && box.y + box.height + GAP / 2 > y) y = box.y + box.height + GAP
  return { x, y }
}
