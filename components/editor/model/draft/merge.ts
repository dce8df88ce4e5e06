import { diffArrays } from 'diff'

/** What two people, or two tabs of one, made of the same text, brought together line by line. Pure. */

export type Sides = { readonly base: string; readonly mine: string; readonly theirs: string }

export type Merged = {
  readonly text: string
  /** How many places both sides changed differently; the text has `mine` there. 0: no change of either side is lost. */
  readonly conflicts: number
}

/** The lines `from` to `to` of the base became these. */
type Hunk = { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/** Texts with more edits are treated as different everywhere: the cost grows with the square of the edits. */
const MOST_EDITS = 1_500

/** Lines with what ends them, so that a text is its lines joined. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/)

/** Brings both together; what both changed in the same way is no conflict. */
export function mergeTexts({ base, mine, theirs }: Sides): Merged {
  if (mine === theirs || theirs === base) return { text: mine, conflicts: 0 }
  if (mine === base) return { text: theirs, conflicts: 0 }
  const old = linesOf(base)
  const sides = [hunksOf(old, linesOf(mine)), hunksOf(old, linesOf(theirs))] as const
  const merged: (readonly string[])[] = []
  let conflicts = 0
  let done = 0
  for (const { from, to, hunks } of placesOf(sides)) {
    merged.push(old.slice(done, from))
    const [ours, others] = hunks.map((some) => rewritten(old, from, to, some)) as [string[], string[]]
    const [changed, alsoChanged] = hunks.map((some) => some.length > 0)
    if (changed && alsoChanged && ours.join('') !== others.join('')) conflicts += 1
    merged.push(changed ? ours : others)
    done = to
  }
  merged.push(old.slice(done))
  return { text: merged.flat().join(''), conflicts }
}

function hunksOf(old: string[], now: string[]): Hunk[] {
  const parts = diffArrays(old, now, { maxEditLength: MOST_EDITS })
  if (parts === undefined) return [{ from: 0, to: old.length, lines: now }]
  const hunks: Hunk[] = []
  let at = 0
  for (const { added, removed, value } of parts) {
    const last = hunks.at(-1)
    const from = at
    if (!added) at += value.length
    if (!added && !removed) continue
    const lines = added ? value : []
    if (last?.to === from)
      hunks[hunks.length - 1] = { from: last.from, to: at, lines: [...last.lines, ...lines] }
    else hunks.push({ from, to: at, lines })
  }
  return hunks
}

type Place = {
  readonly from: number
  readonly to: number
  readonly hunks: readonly [readonly Hunk[], readonly Hunk[]]
}

/** Fewer lines than there were: what stood below them may have lost what it belonged to. */
const takesAway = ({ from, to, lines }: Hunk): boolean => lines.length < to - from

/**
 * The places that one or both sides changed. Changes of neighbouring lines are separate places, because fields of a node are lines.
 * They are one place where both sides insert at the same point, and next to removed lines.
 */
function placesOf([mine, theirs]: readonly [readonly Hunk[], readonly Hunk[]]): Place[] {
  const all = [
    ...mine.map((hunk) => ({ hunk, side: 0 as const })),
    ...theirs.map((hunk) => ({ hunk, side: 1 as const })),
  ].sort((a, b) => a.hunk.from - b.hunk.from || a.hunk.to - b.hunk.to)
  const places: { from: number; to: number; hunks: [Hunk[], Hunk[]] }[] = []
  for (const { hunk, side } of all) {
    const last = places.at(-1)
    if (last === undefined || !belongs(hunk, last)) {
      const hunks: [Hunk[], Hunk[]] = [[], []]
      hunks[side].push(hunk)
      places.push({ from: hunk.from, to: hunk.to, hunks })
    } else {
      last.hunks[side].push(hunk)
      last.to = Math.max(last.to, hunk.to)
    }
  }
  return places
}

function belongs(hunk: Hunk, { from, to, hunks }: Place): boolean {
  if (hunk.from !== to) return hunk.from < to
  return (from === to && hunk.to === to) || [hunk, ...hunks.flat()].some(takesAway)
}

/** The lines `from` to `to` of the base as one side has them. */
function rewritten(old: readonly string[], from: number, to: number, hunks: readonly Hunk[]): string[] {
  const lines: (readonly string[])[] = []
  let done = from
  for (const hunk of hunks) {
    lines.push(old.slice(done, hunk.from), hunk.lines)
    done = hunk.to
  }
  return [...lines, old.slice(done, to)].flat()
}
