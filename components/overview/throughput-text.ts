export type Ended = { readonly completed: number; readonly failed: number; readonly other: number }

/** Counts by status as they are drawn: everything that neither completed nor failed was cancelled or taken back. */
export function sumEnded(counts: { readonly [status: string]: number }): Ended {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const [completed, failed] = [counts['completed'] ?? 0, counts['failed'] ?? 0]
  return { completed, failed, other: all - completed - failed }
}

/** What ended in all of these hours. */
export const sumHours = (
  hours: readonly { readonly counts: { readonly [status: string]: number } }[],
): Ended =>
  hours
    .map(({ counts }) => sumEnded(counts))
    .reduce(
      (sum, each) => ({
        completed: sum.completed + each.completed,
        failed: sum.failed + each.failed,
        other: sum.other + each.other,
      }),
      { completed: 0, failed: 0, other: 0 },
    )

/** The beginning of an hour in local time: `14:00`. Takes ISO 8601. */
export const hourText = (from: string): string =>
  new Date(from).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })

/** The chart in words: how many runs ended in all, how many failed, and when most ended. */
export function throughputText(hours: readonly (Ended & { readonly from: string })[]): string {
  const countOf = ({ completed, failed, other }: Ended) => completed + failed + other
  const sum = (key: keyof Ended) => hours.reduce((total, hour) => total + hour[key], 0)
  const all = sum('completed') + sum('failed') + sum('other')
  if (all === 0) return 'No run has ended.'
  const busiest = hours.reduce((best, hour) => (countOf(hour) > countOf(best) ? hour : best))
  return `${all} ended: ${sum('completed')} completed, ${sum('failed')} failed, ${sum('other')} cancelled. Most in the hour from ${hourText(busiest.from)}: ${countOf(busiest)}.`
}
