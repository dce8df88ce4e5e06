import type { Box } from './notes'

/** When the canvas shows the whole graph by itself. Pure. */

/** The smallest zoom at which cards are easy to read. */
export const READABLE = 0.58

/** The part of the canvas that the graph fills at most. */
const FILLED = 0.84

type Size = { readonly width: number; readonly height: number }

/** The new ids where several came at once, which a person did not put there one by one: a text was pasted, say. */
export function cameAtOnce(before: ReadonlySet<string>, ids: Iterable<string>): readonly string[] {
  const came = [...ids].filter((id) => !before.has(id))
  return came.length < 2 ? [] : came
}

/** The zoom at which all boxes are seen, at most 1. */
export function zoomOfAll(boxes: Iterable<Box>, frame: Size): number {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + width)
    bottom = Math.max(bottom, y + height)
  }
  if (left > right) return 1
  return Math.min(1, (frame.width * FILLED) / (right - left), (frame.height * FILLED) / (bottom - top))
}
