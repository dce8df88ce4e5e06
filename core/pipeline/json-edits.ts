/** Edits of a JSON value at a path. Pure; everything beside the path stays the same object. */

export type Path = readonly (string | number)[]

type Members = { readonly [key: string]: unknown }

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The value with another one at a path; what leads there is made where it is missing. `undefined` takes the member away, and with
 * it every object and list on the way that has become empty.
 */
export function changedAt(whole: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(whole) && typeof key === 'number') {
    const next = changedAt(whole[key], rest, value)
    if (next === undefined) return nonEmpty(whole.toSpliced(key, 1))
    return key < whole.length ? whole.with(key, next) : [...(whole as unknown[]), next]
  }
  const members = isMembers(whole) ? whole : {}
  const name = String(key)
  const has = Object.hasOwn(members, name)
  const next = changedAt(has ? members[name] : typeof rest[0] === 'number' ? [] : undefined, rest, value)
  const entries = Object.entries(members)
  // Defined one by one: any word is a name like any other.
  if (next === undefined) return nonEmpty(Object.fromEntries(entries.filter(([each]) => each !== name)))
  return Object.fromEntries(
    has ? entries.map(([each, old]) => [each, each === name ? next : old]) : [...entries, [name, next]],
  )
}

function nonEmpty(value: object): unknown {
  return Object.keys(value).length === 0 ? undefined : value
}

/** The list with two of its members in each other's place. */
export const swapped = <T>(list: readonly T[], one: number, other: number): readonly T[] =>
  list.with(one, list[other]!).with(other, list[one]!)

/** The members in the same order with one of them under another name; the same where the new name is taken or the old one unknown. */
export function renamedMember(members: Members, from: string, to: string): Members {
  if (from === to || !Object.hasOwn(members, from) || Object.hasOwn(members, to)) return members
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name === from ? to : name, value]),
  )
}

/** A name that no member has yet. */
export function freshName(members: Members, wanted: string): string {
  let name = wanted
  for (let number = 2; Object.hasOwn(members, name); number += 1) name = `${wanted}_${number}`
  return name
}
