/** The longest word that is compared; longer ones get no suggestion (the comparison is quadratic). */
const longest = 80

/**
 * The candidate closest to a mistyped word, or null when none is close: at most a third of its letters differ.
 * Ties go to the earlier candidate. Looks at no more than 1,000 candidates.
 */
export function closest(word: string, candidates: Iterable<string>): string | null {
  if (word.length === 0 || word.length > longest) return null
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  let seen = 0
  for (const candidate of candidates) {
    if (++seen > 1_000) break
    if (candidate === word || candidate.length > longest) continue
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      bestDistance = distance
      best = candidate
    }
  }
  return best
}

/** Levenshtein distance in which a swap of neighbours counts once; `limit` when it is that or more. */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let value = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(value)
    }
    // A swap looks two rows back, so both must be hopeless.
    if (Math.min(...row) >= limit && Math.min(...last) >= limit) return limit
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

export type Nearest = (word: string, candidates: Iterable<string>) => string | null

/** `closest` that stops answering after so many questions: a hostile document can hold a million mistakes. */
export function limitedClosest(limit: number): Nearest {
  let left = limit
  return (word, candidates) => (left-- > 0 ? closest(word, candidates) : null)
}

/** `did you mean X?`, or undefined when nothing is close enough to be worth saying. */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  nearest: Nearest = closest,
): string | undefined {
  const found = nearest(word, candidates)
  return found === null ? undefined : `did you mean ${found}?`
}

/** What other systems call it: by habit people write their word first. */
const otherWords: readonly { readonly word: RegExp; readonly ours: string; readonly hint: string }[] = [
  {
    word: /^(depends?_?on|needs|after|upstream|run_?after|when|if|condition)$/i,
    ours: 'startWhen',
    hint: 'when a node starts is said by startWhen, such as event:NODE.completed && {{ NODE.rows > 0 }}',
  },
  {
    word: /^(with|params|parameters|args|arguments|config|inputs?)$/i,
    ours: 'inputBindings',
    hint: 'what a node is given stands in inputBindings',
  },
  { word: /^(type|uses|action|kind|run)$/i, ours: 'task', hint: 'what a node does is named by task' },
]

/** A hint for the word of another system, where the field that stands for it here is known; else undefined. */
export function ourWordFor(name: string, known: readonly string[]): string | undefined {
  return otherWords.find(({ word, ours }) => known.includes(ours) && word.test(name))?.hint
}
