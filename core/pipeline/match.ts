import { canonicalJson } from './canonical'
import { isRecord } from './json'

/** Whether two JSON values are equal. The order of keys says nothing; an undefined member is none; NaN, which YAML has, is itself. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((member, at) => sameJson(member, b[at]))
  }
  if (!isRecord(a) || !isRecord(b)) return false
  // Asked of whole definitions at every edit: no list of what is compared is made.
  let members = 0
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue
    members += 1
    if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) members -= 1
  return members === 0
}

/** `after`, in which every part that is equal in `before` is the same object: caches keyed by the objects stay valid. */
export function shareUnchanged(before: unknown, after: unknown): unknown {
  if (before === after) return before
  if (Array.isArray(before) && Array.isArray(after)) {
    // What came or went moves the rest: members are found again by their ids.
    const matching = before.length === after.length ? null : matchMembers(before, after)
    const kept = after.map((member: unknown, at) => shareUnchanged(before[matching?.[at] ?? at], member))
    return kept.length === before.length && kept.every((member, at) => member === before[at]) ? before : kept
  }
  if (!isRecord(before) || !isRecord(after)) return after
  const keys = Object.keys(after)
  const old = Object.keys(before)
  let same = keys.length === old.length
  const members = keys.map((key, at) => {
    const member = Object.hasOwn(before, key) ? shareUnchanged(before[key], after[key]) : after[key]
    same &&= key === old[at] && member === before[key]
    return [key, member] as const
  })
  return same ? before : Object.fromEntries(members)
}

/** The keys of an object that hold something. */
export function keysOf(value: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined)
}

/** For each member of `after` the index in `before` of the member that it was, or null for a new one. */
export type Matching = readonly (number | null)[]

/**
 * Matches the members of two lists: by their ids where all have one (nodes, triggers, notes), else by what the lists
 * have in common at their beginning and end, and in between by place.
 */
export function matchMembers(before: readonly unknown[], after: readonly unknown[]): Matching {
  const [old, now] = [idsOf(before), idsOf(after)]
  return old !== null && now !== null ? matchIds(before, old, after, now) : matchPlaces(before, after)
}

/** The ids of all members, or null when one has none or has that of another. */
function idsOf(list: readonly unknown[]): string[] | null {
  const ids = list.map((member) => (isRecord(member) && typeof member.id === 'string' ? member.id : null))
  if (ids.includes(null) || new Set(ids).size < ids.length) return null
  return ids as string[]
}

function matchIds(
  before: readonly unknown[],
  old: readonly string[],
  after: readonly unknown[],
  now: readonly string[],
): Matching {
  const places = new Map(old.map((id, at) => [id, at]))
  const matching = now.map((id) => places.get(id) ?? null)
  const kept = new Set(now)
  const gone = old.flatMap((id, at) => (kept.has(id) ? [] : [at]))
  const come = matching.flatMap((from, at) => (from === null ? [at] : []))
  // A new id for the same member: nothing but the id is new, or nothing else came or went, it stands where it stood and
  // most of it is the same.
  const contents = new Map(gone.map((at) => [contentOf(before[at]), at]))
  for (const at of come) {
    const content = contentOf(after[at])
    matching[at] = contents.get(content) ?? null
    contents.delete(content)
  }
  const [from, at] = [gone[0], come[0]]
  const alone = come.length === 1 && from !== undefined && from === at && before.length === after.length
  if (alone && mostlySame(before[from], after[at])) matching[at] = from
  return matching
}

function mostlySame(a: unknown, b: unknown): boolean {
  const [old, now] = [a as Record<string, unknown>, b as Record<string, unknown>]
  const fields = [...new Set([...keysOf(old), ...keysOf(now)])].filter((key) => key !== 'id')
  return fields.filter((key) => sameJson(old[key], now[key])).length * 2 > fields.length
}

/** What a member is but for its id. */
function contentOf(member: unknown): string {
  return canonicalJson({ ...(member as object), id: undefined })
}

function matchPlaces(before: readonly unknown[], after: readonly unknown[]): Matching {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && sameJson(before[start], after[start])) start++
  let end = 0
  while (end < shorter - start && sameJson(before.at(-1 - end), after.at(-1 - end))) end++
  return after.map((_, at) => {
    if (at >= after.length - end) return before.length - (after.length - at)
    return at < before.length - end ? at : null
  })
}
