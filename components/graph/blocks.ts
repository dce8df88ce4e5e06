/** Members to a block: few enough to make one anew at each frame, many enough that the page holds few of them. */
const BLOCK = 64

/** Where thousands of things are drawn: whatever changes beside them, none of them is laid out anew. */
export const APART = 'absolute top-0 left-0 size-px [contain:layout_size_style]'

/**
 * Draws a long list in blocks. What was made of a block is kept as long as its members are the same objects, so that a change of some
 * members costs their blocks and not the list.
 */
export function inBlocks<T, R>(make: (members: readonly T[]) => R): (list: readonly T[]) => readonly R[] {
  let known: readonly { readonly members: readonly T[]; readonly made: R }[] = []
  return (list) => {
    known = Array.from({ length: Math.ceil(list.length / BLOCK) }, (_, at) => {
      const old = known[at]
      if (old !== undefined && stands(list, at * BLOCK, old.members)) return old
      const members = list.slice(at * BLOCK, (at + 1) * BLOCK)
      return { members, made: make(members) }
    })
    return known.map(({ made }) => made)
  }
}

/** Whether the block of a list that begins there has these members. */
function stands<T>(list: readonly T[], from: number, members: readonly T[]): boolean {
  if (members.length !== Math.min(BLOCK, list.length - from)) return false
  for (let at = 0; at < members.length; at++) if (members[at] !== list[from + at]) return false
  return true
}

export type Stroke = {
  /** What the members of a stroke have in common: a class name or a colour. */
  readonly look: string
  /** A path of SVG through all of them. */
  readonly path: string
}

/** One path for all members of a block that look the same. */
export function strokesOf(members: readonly Stroke[]): readonly Stroke[] {
  const paths = new Map<string, string>()
  for (const { look, path } of members) paths.set(look, (paths.get(look) ?? '') + path)
  return [...paths].map(([look, path]) => ({ look, path }))
}
