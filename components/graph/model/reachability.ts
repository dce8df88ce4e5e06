/** Answers whether a node comes after another along the links, by one walk for each source that is asked about. */
export function reachability(links: readonly { readonly from: string; readonly to: string }[]) {
  const next = new Map<string, string[]>()
  for (const { from, to } of links) {
    const after = next.get(from)
    if (after === undefined) next.set(from, [to])
    else after.push(to)
  }
  const known = new Map<string, ReadonlySet<string>>()
  return (from: string, to: string): boolean => {
    const seen = known.get(from) ?? walk(next, from)
    known.set(from, seen)
    return seen.has(to)
  }
}

function walk(next: ReadonlyMap<string, readonly string[]>, from: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop())
    for (const to of next.get(id) ?? [])
      if (!seen.has(to)) {
        seen.add(to)
        open.push(to)
      }
  return seen
}
