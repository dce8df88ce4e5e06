/** Members of a block: few enough to rebuild one block in a frame, many enough that there are few blocks. */
const BLOCK = 64

/** Class names of an element that holds thousands of others: a change outside of it causes no layout inside. */
export const APART = 'absolute top-0 left-0 size-px [contain:layout_size_style]'

/**
 * Maps a long list in blocks and memoizes the result of each block by its members, so that a change of some members rebuilds their blocks
 * and not the whole list.
 */
export function inBlocks<T, R>(make: (members: readonly T[]) => R): (list: readonly T[]) => readonly R[] {
  let known: readonly { readonly members: readonly T[]; readonly made: R }[] = []
  return (list) => {
    known = Array.from({ length: Math.ceil(list.length / BLOCK) }, (_, at) => {
      const old = known[at]
      if (old !== undefined && hasMembers(list, at * BLOCK, old.members)) return old
      const members = list.slice(at * BLOCK, (at + 1) * BLOCK)
      return { members, made: make(members) }
    })
    return known.map(({ made }) => made)
  }
}

/** Whether the block of a list at `from` has exactly these members. */
function hasMembers<T>(list: readonly T[], from: number, members: readonly T[]): boolean {
  if (members.length !== Math.min(BLOCK, list.length - from)) return false
  for (let at = 0; at < members.length; at++) if (members[at] !== list[from + at]) return false
  return true
}

export type Stroke = {
  /** A class name or a colour that all members of the stroke share. */
  readonly look: string
  /** An SVG path through all of them. */
  readonly path: string
}

/** One path for all members of a block that look the same. */
export function strokesOf(members: readonly Stroke[]): readonly Stroke[] {
  const paths = new Map<string, string>()
  for (const { look, path } of members) paths.set(look, (paths.get(look) ?? '') + path)
  return [...paths].map(([look, path]) => ({ look, path }))
}
