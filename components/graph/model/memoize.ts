/**
 * Lists that keep the identity of their members: a member that is equal to the one before it at its index is the same object, and
 * the list itself is the same object when all members are. React and the canvas skip what is identical.
 */

/** Builds a list of `length` members and reuses the members, or the whole list, of `before` where they are equal. */
export function reuseList<T>(
  before: readonly T[] | undefined,
  length: number,
  make: (at: number, old: T | undefined) => T,
): T[] {
  let list: T[] | null = before?.length === length ? null : []
  for (let at = 0; at < length; at++) {
    const old = before?.[at]
    const made = make(at, old)
    const member = made !== old && isSame(made, old) ? old! : made
    if (list === null && member !== old) list = before!.slice(0, at)
    list?.push(member)
  }
  return list ?? (before as T[])
}

/** Memoizes a map over lists by index: a member that is the same object as in the call before is not mapped again. */
export function memoizeMap<T, R>(make: (member: T) => R): (list: readonly T[]) => R[] {
  let from: readonly T[] = []
  let made: R[] | undefined
  return (list) => {
    const before = from
    made = reuseList(made, list.length, (at, old) =>
      old !== undefined && list[at] === before[at] ? old : make(list[at]!),
    )
    from = list
    return made
  }
}

type Identified = { readonly id: string }
type Graph<N, E> = { readonly nodes: readonly N[]; readonly edges: readonly E[] }

/** The new drawing, with the objects of the previous one for every node and edge that is equal. */
export function reuseDrawing<N extends Identified, E extends Identified>(
  next: Graph<N, E>,
  previous: Graph<N, E> | null,
): Graph<N, E> {
  if (previous === null) return next
  return { nodes: reuseById(next.nodes, previous.nodes), edges: reuseById(next.edges, previous.edges) }
}

function reuseById<T extends Identified>(next: readonly T[], previous: readonly T[]): readonly T[] {
  // Drawings of the same pipeline have the same ids at the same indexes.
  const aligned = next.length === previous.length && next.every(({ id }, at) => previous[at]?.id === id)
  if (aligned) return reuseList(previous, next.length, (at) => next[at]!)
  const before = new Map(previous.map((item) => [item.id, item]))
  return next.map((item) => {
    const old = before.get(item.id)
    return old !== undefined && isSame(old, item) ? old : item
  })
}

/** Deep equality of plain values. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSame(a[key as keyof typeof a], b[key as keyof typeof b]))
  )
}
