/** Upper bounds of buckets in milliseconds, the last without one. The promises stand on bounds, so that they are decided exactly. */
export const BOUNDS = [
  1, 2, 3, 5, 7.5, 10, 15, 20, 30, 50, 75, 100, 120, 150, 200, 300, 500, 1_000, 2_000, 5_000,
] as const

/** How many durations fell into each bucket; one more than there are bounds. */
export type Histogram = readonly number[]

export const emptyHistogram = (): number[] => Array<number>(BOUNDS.length + 1).fill(0)

/** The bucket that a duration belongs to: up to and with its bound. */
export function bucketOf(ms: number): number {
  let low = 0
  let high: number = BOUNDS.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ms <= BOUNDS[middle]!) high = middle
    else low = middle + 1
  }
  return low
}

/** Adds the counts of `more` to those of `sum`. */
export function addInto(sum: number[], more: Histogram): void {
  for (const [at, count] of more.entries()) if (at < sum.length) sum[at]! += count
}

export const countOf = (histogram: Histogram): number => histogram.reduce((sum, count) => sum + count, 0)

/**
 * The duration within which a share of all lies, in milliseconds: between the bounds of its bucket in proportion, and the last bound for what is
 * above it. null: there is none.
 */
export function quantile(histogram: Histogram, share: number): number | null {
  const total = countOf(histogram)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [at, count] of histogram.entries()) {
    if (count === 0 || below + count < rank) {
      below += count
      continue
    }
    const from = at === 0 ? 0 : BOUNDS[at - 1]!
    const to = BOUNDS[at] ?? from
    return from + ((to - from) * (rank - below)) / count
  }
  return BOUNDS.at(-1)!
}
