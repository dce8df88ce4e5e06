import { cronFault, isTimezone, nextFire } from '@/core/pipeline/definition/cron'

/** The next instants of a schedule after `now` in its own time zone, as text; none where its time or its zone is no such. Pure. */
export function nextFires(cron: string, zone: string, now: number, most: number): readonly string[] {
  if (cronFault(cron) !== null || !isTimezone(zone)) return []
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  const times: string[] = []
  // To the minute: a schedule knows nothing finer, and the list stays still meanwhile.
  for (let at: number | null = Math.floor(now / 60_000) * 60_000; times.length < most;) {
    at = nextFire(cron, zone, at)
    if (at === null) break
    times.push(format.format(at))
  }
  return times
}

/** UTC unless the trigger says otherwise. */
export const zoneOf = (timezone: unknown): string =>
  typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC'
