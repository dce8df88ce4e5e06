import { describe, expect, it } from 'vitest'
import { cronFault, isTimezone, lastFires, nextFire } from './cron'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

/** The clock on the wall of a zone, minute by minute: the only thing that the oracle knows of time zones. */
class Wall {
  readonly #format: Intl.DateTimeFormat

  constructor(timezone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  }

  /** What the wall shows, as if it were UTC: differences of it are differences of wall time. */
  at(instant: number): number {
    const part = new Map(this.#format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = [
      'year',
      'month',
      'day',
      'hour',
      'minute',
    ].map((name) => part.get(name as Intl.DateTimeFormatPartTypes))
    return Date.UTC(year, month - 1, day, hour, minute)
  }
}

type Fields = { minutes: number[]; hours: number[]; days: number[]; months: number[]; weekdays: number[] }

const numbers = (text: string, from: number, to: number): number[] =>
  text.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [low = from, high = range === '*' ? to : low] = range === '*' ? [] : range.split('-').map(Number)
    const all: number[] = []
    for (let value = low; value <= high; value += Number(step)) all.push(value)
    return all
  })

function fieldsOf(cron: string): Fields {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.split(' ')
  return {
    minutes: numbers(minute, 0, 59),
    hours: numbers(hour, 0, 23),
    days: numbers(day, 1, 31),
    months: numbers(month, 1, 12),
    weekdays: numbers(weekday, 0, 6),
  }
}

function shows(cron: string, fields: Fields, wall: number): boolean {
  const date = new Date(wall)
  const [, , day = '', , weekday = ''] = cron.split(' ')
  const onDay = fields.days.includes(date.getUTCDate())
  const onWeekday = fields.weekdays.includes(date.getUTCDay())
  return (
    fields.minutes.includes(date.getUTCMinutes()) &&
    fields.hours.includes(date.getUTCHours()) &&
    fields.months.includes(date.getUTCMonth() + 1) &&
    (day !== '*' && weekday !== '*' ? onDay || onWeekday : onDay && onWeekday)
  )
}

const BEFORE = 180

/** What the wall shows each minute of [from, to), beginning three hours earlier. */
function walls(timezone: string, from: number, to: number): number[] {
  const wall = new Wall(timezone)
  return Array.from({ length: (to - from) / MINUTE + BEFORE }, (_, minute) =>
    wall.at(from + (minute - BEFORE) * MINUTE),
  )
}

/** All fires from `from` on, found by looking at the wall every minute. */
function oracle(cron: string, shown: readonly number[], from: number): number[] {
  const fields = fieldsOf(cron)
  const [minute = '', hour = ''] = cron.split(' ')
  const fixed = !/[*/]/.test(`${minute}${hour}`)
  const fires: number[] = []
  for (let at = BEFORE; at < shown.length; at++) {
    const now = shown[at]!
    let fire = shows(cron, fields, now) && !(fixed && shown.slice(at - BEFORE, at).includes(now))
    // Minutes that the wall jumped over, on the day to which it jumped.
    for (let skipped = shown[at - 1]! + MINUTE; fixed && skipped < now; skipped += MINUTE)
      if (shows(cron, fields, skipped) && Math.floor(skipped / DAY) === Math.floor(now / DAY)) fire = true
    if (fire) fires.push(from + (at - BEFORE) * MINUTE)
  }
  return fires
}

function forward(cron: string, timezone: string, from: number, to: number): number[] {
  const fires: number[] = []
  for (let at = nextFire(cron, timezone, from - 1); at !== null && at < to; at = nextFire(cron, timezone, at))
    fires.push(at)
  return fires
}

const ZONES = [
  'America/New_York',
  'America/Los_Angeles',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Europe/Berlin',
  'Asia/Kathmandu',
  'UTC',
]
const EXPRESSIONS = [
  '0 6 * * *',
  '30 2 * * *',
  '30 1 * * *',
  '15 2,3 * * *',
  '0 0 * * *',
  '45 1 * * *',
  '*/20 * * * *',
  '5 */2 * * *',
  '10-50/20 1-3 * * *',
  '0 12 1 * *',
  '30 2 * * 0',
  '0 3 13 * 5',
]

/** Days around which the wall of a zone jumps, from the years given. */
function jumps(timezone: string, fromYear: number, toYear: number): number[] {
  const wall = new Wall(timezone)
  const offset = (at: number) => wall.at(at) - at
  const found: number[] = []
  for (let at = Date.UTC(fromYear, 0, 1); at < Date.UTC(toYear, 0, 1); at += DAY)
    if (offset(at) !== offset(at + DAY)) found.push(at)
  return found
}

/** PENSTOCK_CRON_YEARS=10 looks at every minute of ten years; without it, at the days around each jump. */
const years = Number(process.env['PENSTOCK_CRON_YEARS'] ?? 0)

describe('nextFire', () => {
  it.each(ZONES)(
    '[G-16] agrees in %s with looking at the wall every minute',
    (timezone) => {
      const around = jumps(timezone, 2024, 2034)
      // Two days before a jump to two after it; a zone without any is looked at in a February that has a 29th.
      const windows =
        years > 0
          ? [[Date.UTC(2024, 0, 1), Date.UTC(2024 + years, 0, 1)] as const]
          : (around.length > 0 ? around : [Date.UTC(2028, 1, 28)])
              .slice(0, 4)
              .map((at) => [at - 2 * DAY, at + 3 * DAY] as const)
      for (const [from, to] of windows) {
        const shown = walls(timezone, from, to)
        for (const cron of EXPRESSIONS) {
          const expected = oracle(cron, shown, from)
          const range = `${cron} from ${new Date(from).toISOString()}`
          expect(forward(cron, timezone, from, to), range).toEqual(expected)
          const last = lastFires(cron, timezone, { from, to: to - 1, most: 7 })
          expect(last, range).toEqual({ fires: expected.slice(-7), more: expected.length > 7 })
        }
      }
    },
    600_000,
  )

  it('[G-16] a fixed time fires once a day, also on the days of a jump; an interval follows the clock', () => {
    const newYork = (cron: string, from: string, count: number) => {
      const fires: string[] = []
      for (let at = Date.parse(from); fires.length < count; fires.push(new Date(at).toISOString()))
        at = nextFire(cron, 'America/New_York', at) ?? NaN
      return fires
    }
    expect(newYork('30 2 * * *', '2026-03-07T12:00:00Z', 2)).toEqual([
      '2026-03-08T07:00:00.000Z',
      '2026-03-09T06:30:00.000Z',
    ])
    expect(newYork('30 1 * * *', '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-02T06:30:00.000Z',
    ])
    expect(newYork('*/30 * * * *', '2026-11-01T05:00:00Z', 3)).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T06:00:00.000Z',
      '2026-11-01T06:30:00.000Z',
    ])
  })

  it('is strictly after the instant given, to the millisecond', () => {
    const six = Date.UTC(2026, 0, 1, 6)
    expect(nextFire('0 6 * * *', 'UTC', six - 1)).toBe(six)
    expect(nextFire('0 6 * * *', 'UTC', six)).toBe(six + DAY)
    expect(nextFire('@daily', 'UTC', six)).toBe(Date.UTC(2026, 0, 2))
    expect(lastFires('0 6 * * *', 'UTC', { from: six, to: six, most: 3 })).toEqual({
      fires: [six],
      more: false,
    })
    expect(lastFires('0 6 * * *', 'UTC', { from: six + 1, to: six + 2, most: 3 }).fires).toEqual([])
  })
})

describe('what is refused', () => {
  it.each(['0 6 * * *', '*/5 * * * *', '0 0 29 2 *', '0 6 * * MON-FRI', '@hourly', '0 0 L * *', '0 0 * * 7'])(
    'takes %s',
    (cron) => expect(cronFault(cron)).toBeNull(),
  )

  it.each([
    '',
    'noon',
    '0 6 * *',
    '0 0 6 * * *',
    '60 * * * *',
    '*/0 * * * *',
    '? * * * *',
    '0 0 31 2 *',
    '@reboot',
    '2026-01-01T00:00:00',
    '0 6 * * __proto__',
  ])('[E-O5] refuses %s with a reason', (cron) => expect(cronFault(cron)).toMatch(/\w+ \w+/))

  it('knows the names of zones', () => {
    expect(ZONES.every(isTimezone)).toBe(true)
    expect(['', 'Mars/Olympus', '+02:00', 'UTC+2', 'local', '../UTC'].filter(isTimezone)).toEqual([])
  })
})
