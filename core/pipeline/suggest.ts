/** The longest word that is compared; longer ones get no suggestion (the comparison is quadratic). */
const longest = 80

/**
 * The candidate closest to a mistyped word, or null when none is close: at most a third of its letters differ.
 * Ties go to the earlier candidate. Looks at no more than 2,000 candidates.
 */
export function closest(word: string, candidates: Iterable<string>): string | null {
  if (word.length === 0 || word.length > longest) return null
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  let seen = 0
  for (const candidate of candidates) {
    if (++seen > 2_000) break
    if (candidate === word || candidate.length > longest) continue
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      bestDistance = distance
      best = candidate
    }
  }
  return best
}

/** `did you mean X?`, or undefined when nothing is close enough to be worth saying. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const found = closest(word, candidates)
  return found === null ? undefined : `did you mean ${found}?`
}

/** Levenshtein distance in which a swap of neighbours counts once. */
function editDistance(a: string, b: string): number {
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
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
