import type { Drawing } from './drawing'
import type { Direction, Layout } from './layout'

/**
 * The layouts that were computed lately. A drawing whose nodes, edges and labels are those of an earlier one is laid out as that one was,
 * whatever the state of its nodes.
 */

type Arranged = { readonly shape: Drawing; readonly direction: Direction; readonly layout: Layout }

/** Few: the graph on the page and what it was before some edits. */
const MOST = 4

let recent: readonly Arranged[] = []

/** Whether two drawings are laid out alike. */
export function hasSameShape(a: Drawing, b: Drawing): boolean {
  return (
    isSame(a.nodes, b.nodes, (one, other) => one.id === other.id && one.finally === other.finally) &&
    isSame(a.edges, b.edges, (one, other) => one.id === other.id && one.label === other.label)
  )
}

const isSame = <T>(a: readonly T[], b: readonly T[], isEqual: (one: T, other: T) => boolean): boolean =>
  a === b || (a.length === b.length && a.every((one, at) => one === b[at] || isEqual(one, b[at]!)))

/** The layout that was computed for a drawing of this shape; null: none was. */
export function arrangedLayout(drawing: Drawing, direction: Direction): Layout | null {
  const found = recent.find((one) => one.direction === direction && hasSameShape(one.shape, drawing))
  return found?.layout ?? null
}

const NOTHING: Layout = new Map()

/** The layout that was computed last, of whatever drawing. */
export const latestLayout = (direction: Direction): Layout =>
  recent.find((one) => one.direction === direction)?.layout ?? NOTHING

/** Remembers the layout of a drawing. */
export function rememberLayout(shape: Drawing, direction: Direction, layout: Layout): void {
  recent = [{ shape, direction, layout }, ...recent].slice(0, MOST)
}
