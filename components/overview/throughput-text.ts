export type Ended = {
  /** With no failure, and with handled failures. */
  readonly completed: number
  readonly handled: number
  readonly failed: number
  readonly other: number
}

type Hour = { readonly counts: { readonly [status: string]: number }; readonly handled: number }

/** Counts by status as they are drawn: everything that neither completed nor failed was cancelled or taken back. */
export function sumEnded({ counts, handled }: Hour): Ended {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const [completed, failed] = [counts['completed'] ?? 0, counts['failed'] ?? 0]
  return { completed: completed - handled, handled, failed, other: all - completed - failed }
}

/** What ended in all of these hours. */
export const sumHours = (hours: readonly Hour[]): Ended =>
  hours.map(sumEnded).reduce(
    (sum, each) => ({
      completed: sum.completed + each.completed,
      handled: sum.handled + each.handled,
      failed: sum.failed + each.failed,
      other: sum.other + each.other,
    }),
    { completed: 0, handled: 0, failed: 0, other: 0 },
  )

export const countOf = ({ completed, handled, failed, other }: Ended): number =>
  completed + handled + failed + other

/** The beginning of an hour in local time: `14:00`. Takes ISO 8601. */
export const hourText = (from: string): string =>
  new Date(from).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

/** The chart in words: how many runs ended in all, how many failed, and when most ended. */
export function throughputText(hours: readonly (Ended & { readonly from: string })[]): string {
  const sum = (key: keyof Ended) => hours.reduce((total, hour) => total + hour[key], 0)
  const all = hours.reduce((total, hour) => total + countOf(hour), 0)
  if (all === 0) return 'No run has ended.'
  const busiest = hours.reduce((best, hour) => (countOf(hour) > countOf(best) ? hour : best))
  const handled = sum('handled') === 0 ? '' : `, ${sum('handled')} completed with a failure handled`
  return `${all} ended: ${sum('completed')} completed${handled}, ${sum('failed')} failed or rejected, ${sum('other')} cancelled. Most in the hour from ${hourText(busiest.from)}: ${countOf(busiest)}.`
}
