import { Cron } from 'croner'

/**
 * When a cron expression fires: five fields (minute hour day month weekday) or a nickname such as `@daily`, in an IANA time
 * zone. A pure calculation: instants go in and out as milliseconds since the epoch. The library's own timers are never
 * used, and `?`, which would read the clock, is refused.
 *
 * Where clocks are put forward, a fixed time (minutes and hours without `*` or `/`) that does not exist on that day fires
 * when they have jumped; an interval has no such minutes and goes on. Where they are put back, a fixed time fires
 * once, at its first occurrence; an interval fires in both hours. When both day and weekday are restricted,
 * either is enough.
 */

/** Minutes of an expression are letters, digits and these signs. */
const expressionPattern = /^(?:@[a-z]+|[0-9A-Za-z*,/#-]+(?: +[0-9A-Za-z*,/#-]+){4})$/
const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/
/** Every expression that fires at all fires within these 40 years: 29 February comes back, whatever the weekday. */
const sampleFrom = 946_684_800_000
const sampleTo = 2_208_988_800_000

function calculator(cron: string, timezone: string, stopAt?: number): Cron {
  return new Cron(cron.trim(), {
    timezone,
    paused: true,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    ...(stopAt === undefined ? {} : { stopAt: new Date(stopAt) }),
  })
}

/** What is wrong with a cron expression, as a sentence; null when it fires. */
export function cronFault(cron: string): string | null {
  if (!expressionPattern.test(cron.trim()))
    return 'write five fields (minute hour day month weekday) or a nickname such as @daily'
  try {
    const fires = calculator(cron, 'UTC', sampleTo).nextRun(new Date(sampleFrom)) !== null
    return fires ? null : 'it never fires'
  } catch (fault) {
    return (fault instanceof Error ? fault.message : String(fault))
      .replace(/^CronPattern: /, '')
      .slice(0, 200)
  }
}

/** Whether a text is the name of a time zone that is known here. */
export function isTimezone(name: string): boolean {
  if (!zonePattern.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The first instant after `after` (exclusive) at which the expression fires, or null when there is none. */
export function nextFire(cron: string, timezone: string, after: number): number | null {
  return calculator(cron, timezone).nextRun(new Date(after))?.getTime() ?? null
}

/**
 * The last instants at which the expression fires from `from` to `to` (both inclusive), at most `most`, oldest
 * first; `more`: there are older ones in that time.
 */
export function lastFires(
  cron: string,
  timezone: string,
  { from, to, most }: { from: number; to: number; most: number },
): { fires: number[]; more: boolean } {
  const found = calculator(cron, timezone)
    .previousRuns(most + 1, new Date(to + 1))
    .map((fire) => fire.getTime())
    .filter((fire) => fire >= from)
    .sort((a, b) => a - b)
  return { fires: found.slice(-most), more: found.length > most }
}
