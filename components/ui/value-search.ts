/** A member of a value whose key or text matches a search. */
export type Match = { readonly path: string; readonly value: unknown }

/** The search visits no more members than this: a value may have millions. */
const MOST_VISITED = 50_000

const isKeyPlain = /^[A-Za-z_$][\w$]*$/

/** The path of a member, appended to that of its parent: `rows[3].name`, `["two words"]`. */
const step = (path: string, key: string, inList: boolean): string =>
  inList
    ? `${path}[${key}]`
    : !isKeyPlain.test(key)
      ? `${path}[${JSON.stringify(key)}]`
      : path === ''
        ? key
        : `${path}.${key}`

/**
 * Members of a JSON value, at any depth, whose key or scalar text contains `query`, ignoring case,
 * in order, at most `most`. `more`: there may be others. An empty query finds nothing.
 */
export function findInValue(
  value: unknown,
  query: string,
  most: number,
): { readonly matches: readonly Match[]; readonly more: boolean } {
  const wanted = query.trim().toLowerCase()
  const matches: Match[] = []
  if (wanted === '' || typeof value !== 'object' || value === null) return { matches, more: false }
  let visited = 0
  // Iterative: the nesting of a value could exhaust the call stack.
  const open: { value: object; path: string }[] = [{ value, path: '' }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const inList = Array.isArray(next.value)
    const below: typeof open = []
    for (const [key, member] of Object.entries(next.value) as [string, unknown][]) {
      visited += 1
      if (visited > MOST_VISITED) return { matches, more: true }
      const path = step(next.path, key, inList)
      const nested = typeof member === 'object' && member !== null
      const text = nested ? '' : String(member)
      if ((!inList && key.toLowerCase().includes(wanted)) || text.toLowerCase().includes(wanted)) {
        if (matches.length === most) return { matches, more: true }
        matches.push({ path, value: member })
      }
      if (nested) below.push({ value: member, path })
    }
    open.push(...below.reverse())
  }
  return { matches, more: false }
}
