import type { Drawing } from './drawing'

/** A list of so many, each being what stood there before where that says the same; the list before where all do. */
export function renewed<T>(
  before: readonly T[] | undefined,
  length: number,
  make: (at: number, old: T | undefined) => T,
): T[] {
  let list: T[] | null = before?.length === length ? null : []
  for (let at = 0; at < length; at++) {
    const old = before?.[at]
    const made = make(at, old)
    const kept = made !== old && isSame(made, old) ? old! : made
    if (list === null && kept !== old) list = before!.slice(0, at)
    list?.push(kept)
  }
  return list ?? (before as T[])
}

/** Maps a list again and again. What it made of a member that stands where it stood stays the same object. */
export function createMapping<T, R>(make: (member: T) => R): (list: readonly T[]) => R[] {
  let from: readonly T[] = []
  let made: R[] | undefined
  return (list) => {
    const before = from
    made = renewed(made, list.length, (at, old) =>
      old !== undefined && list[at] === before[at] ? old : make(list[at]!),
    )
    from = list
    return made
  }
}

/** The new drawing with every node and edge of another one that says the same as the object that it was. */
export function keepIdentity(next: Drawing, previous: Drawing | null): Drawing {
  if (previous === null) return next
  return { nodes: keep(next.nodes, previous.nodes), edges: keep(next.edges, previous.edges) }
}

function keep<T extends { readonly id: string }>(next: readonly T[], previous: readonly T[]): readonly T[] {
  // Of the same pipeline each stands where it stood.
  const aligned = next.length === previous.length && next.every(({ id }, at) => previous[at]?.id === id)
  if (aligned) return renewed(previous, next.length, (at) => next[at]!)
  const before = new Map(previous.map((item) => [item.id, item]))
  return next.map((item) => {
    const old = before.get(item.id)
    return old !== undefined && isSame(old, item) ? old : item
  })
}

/** Whether two plain values say the same. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => isSame(a[key as keyof typeof a], b[key as keyof typeof b]))
  )
}
