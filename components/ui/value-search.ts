/** A member of a value whose key or text has what was looked for. */
export type Match = { readonly path: string; readonly value: unknown }

/** A value may hold more members than anybody waits for. */
const MOST_VISITED = 50_000

const isKeyPlain = /^[A-Za-z_$][\w$]*$/

/** How a member is written after its parent: `rows[3].name`, `["two words"]`. */
const step = (path: string, key: string, inList: boolean): string =>
  inList
    ? `${path}[${key}]`
    : !isKeyPlain.test(key)
      ? `${path}[${JSON.stringify(key)}]`
      : path === ''
        ? key
        : `${path}.${key}`

/**
 * Members of a JSON value, at any depth, whose key or whose text (of what is no list or object) has `query` in it, whatever the case;
 * in their order, at most `most`. `more`: there are others, or not all were looked at. An empty query finds nothing.
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
  // Of a deep value no stack is needed that its own nesting could exhaust.
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
