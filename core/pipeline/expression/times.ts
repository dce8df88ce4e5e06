import { Duration } from '@marcbachmann/cel-js/evaluator'
import { describe, ExpressionFault } from './fault'
import { isTimestamp } from './result'
import { durationHint, parseDuration } from '@/core/pipeline/duration'

/**
 * Timestamps and durations of expressions. The library's own functions take every text that `Date` takes: 30 February becomes
 * 2 March, and a text without a zone means another instant on every server. They also compute in the time zone of the server.
 *
 * A timestamp has milliseconds; what a text says beyond them is cut. A duration has nanoseconds.
 */

const dayMs = 86_400_000
const earliestMs = -62_135_596_800_000
const latestMs = 253_402_300_799_999
/** As CEL bounds it: 10,000 years. */
const longestNs = 315_576_000_000_000_000_000n

const date = /^(\d{4})-(\d\d)-(\d\d)/
const time = /^[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/
const zone = /^(?:[Zz]|([+-])(\d\d):?(\d\d))$/

/** The instant that a text or a number of seconds since 1970 means. Throws what is wrong with it, and how it is written. */
export function timestampOf(value: unknown): Date {
  if (isTimestamp(value)) return value
  if (typeof value === 'number' || typeof value === 'bigint') {
    const ms = Math.round(Number(value) * 1_000)
    if (ms >= earliestMs && ms <= latestMs) return new Date(ms)
    throw new ExpressionFault(
      `timestamp counts seconds since 1970, and ${value} is outside of the years 1 to 9999; divide milliseconds by 1000`,
    )
  }
  if (typeof value !== 'string') {
    throw new ExpressionFault(
      `timestamp needs a text like 2026-01-31T06:00:00Z or a number of seconds, not ${describe(value)}`,
    )
  }
  return within(instantOf(value), value)
}

function within(ms: number, what: string): Date {
  if (ms >= earliestMs && ms <= latestMs) return new Date(ms)
  throw new ExpressionFault(`${what} is outside of the years 1 to 9999`)
}

function instantOf(text: string): number {
  const shown = `'${text.length > 40 ? `${text.slice(0, 40)}…` : text}'`
  const [day, year, month, dayOfMonth] = date.exec(text) ?? []
  if (day === undefined) {
    throw new ExpressionFault(`${shown} is not a timestamp; write it like 2026-01-31T06:00:00Z`)
  }
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // `Date` goes on into the next month; what it has made is another text then.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) {
    throw new ExpressionFault(`there is no day ${year}-${month}-${dayOfMonth}`)
  }
  const [clock, hours, minutes, seconds, fraction = ''] = time.exec(text.slice(day.length)) ?? []
  if (clock === undefined) {
    const hint = text === day ? `; write ${day}T00:00:00Z for its first instant` : ''
    throw new ExpressionFault(`${shown} has no time like T06:00:00 after its date${hint}`)
  }
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw new ExpressionFault(
      `there is no time ${hours}:${minutes}:${seconds}; the last of a day is 23:59:59.999`,
    )
  }
  const rest = text.slice(day.length + clock.length)
  const [offset, sign, ahead = '0', aheadMinutes = '0'] = zone.exec(rest) ?? []
  if (offset === undefined || Number(ahead) > 23 || Number(aheadMinutes) > 59) {
    const end = rest === '' ? 'has no time zone' : 'does not end with a time zone'
    throw new ExpressionFault(`${shown} ${end}; end it with Z or an offset like +01:00`)
  }
  const ofDay = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000
  const shift = (Number(ahead) * 60 + Number(aheadMinutes)) * 60_000
  return midnight + ofDay + Number(fraction.padEnd(3, '0').slice(0, 3)) + (sign === '-' ? shift : -shift)
}

const unitsNs: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
}
const step = /(?=\.?\d)(\d{0,18})(?:\.(\d*))?(ns|us|µs|ms|s|m|h|d)/y

/** `30s`, `-1.5h`, `1h30m`, and what durations are written like elsewhere (R-83). A day is 24 hours. */
export function durationOf(text: unknown): Duration {
  if (text instanceof Duration) return text
  if (typeof text !== 'string')
    throw new ExpressionFault(`duration needs a text like 30s, not ${describe(text)}`)
  const signed = /^[+-]/.test(text) ? text.slice(1) : text
  const ns = stepsOf(signed) ?? isoOf(signed)
  if (ns === null) {
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text
    throw new ExpressionFault(`'${shown}' is not a duration; ${durationHint}`)
  }
  return ofNanoseconds(text.startsWith('-') ? -ns : ns)
}

function stepsOf(text: string): bigint | null {
  let total = 0n
  for (step.lastIndex = 0; step.lastIndex < text.length;) {
    const [, whole, fraction = '', unit] = step.exec(text) ?? []
    if (whole === undefined) return null
    const size = unitsNs[unit!]!
    total +=
      BigInt(whole) * size + (BigInt(fraction.padEnd(15, '0').slice(0, 15)) * size) / 1_000_000_000_000_000n
  }
  return text === '' ? null : total
}

function isoOf(text: string): bigint | null {
  const ms = text.startsWith('P') ? parseDuration(text) : null
  return ms === null ? null : BigInt(ms) * 1_000_000n
}

function ofNanoseconds(ns: bigint): Duration {
  if (ns > longestNs || ns < -longestNs) throw new ExpressionFault('a duration has at most 10,000 years')
  return new Duration(ns / 1_000_000_000n, Number(ns % 1_000_000_000n))
}

const nanosecondsOf = (duration: Duration): bigint =>
  duration.seconds * 1_000_000_000n + BigInt(duration.nanos)

/** The sum or difference of two times; null where there is none, as of two timestamps. */
export function sumOfTimes(sign: '+' | '-', left: unknown, right: unknown): Date | Duration | null {
  const factor = sign === '+' ? 1n : -1n
  if (left instanceof Duration && right instanceof Duration)
    return ofNanoseconds(nanosecondsOf(left) + factor * nanosecondsOf(right))
  if (isTimestamp(left) && right instanceof Duration) return moved(left, factor * nanosecondsOf(right))
  if (sign === '+' && left instanceof Duration && isTimestamp(right)) return moved(right, nanosecondsOf(left))
  if (sign === '-' && isTimestamp(left) && isTimestamp(right))
    return ofNanoseconds(BigInt(left.getTime() - right.getTime()) * 1_000_000n)
  return null
}

const moved = (from: Date, ns: bigint): Date => within(from.getTime() + Number(ns / 1_000_000n), 'the time')

/** A duration in seconds, `5400s` or `-0.25s`, which parses back to the same. */
export function textOfDuration(duration: Duration): string {
  const ns = nanosecondsOf(duration)
  const size = ns < 0n ? -ns : ns
  const fraction = (size % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '')
  return `${ns < 0n ? '-' : ''}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}s`
}

/** Seconds since 1970, whole ones. */
export const secondsOf = (at: Date): bigint => BigInt(Math.floor(at.getTime() / 1_000))

/** The local time in a zone with its offset: `2026-01-30T22:00:00.000-08:00`. */
export function textInZone(at: Date, timeZone: string): string {
  const offset = Math.round((localTime(at, timeZone).getTime() - at.getTime()) / 60_000)
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  const ahead = `${offset < 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`
  return new Date(at.getTime() + offset * 60_000).toISOString().replace('Z', ahead)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  if (formats.size >= 100) formats.clear()
  formats.set(timeZone, made)
  return made
}

/** The instant whose UTC parts are those of the clock in the zone. Throws a `RangeError` for a zone that does not exist. */
function localTime(at: Date, timeZone: string): Date {
  const parts = new Map(
    formatIn(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const day = `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
  const seconds = Date.parse(`${day}T${parts.get('hour')}:${parts.get('minute')}:${parts.get('second')}Z`)
  const local = new Date(seconds + at.getUTCMilliseconds())
  // The years before 1 are counted backwards.
  if (Math.abs(local.getTime() - at.getTime()) > dayMs)
    throw new ExpressionFault(`the time in ${timeZone} is outside of the years 1 to 9999`)
  return local
}

const partsOfTimestamp: Readonly<Record<string, (at: Date) => number>> = {
  getFullYear: (at) => at.getUTCFullYear(),
  getMonth: (at) => at.getUTCMonth(),
  getDate: (at) => at.getUTCDate(),
  getDayOfMonth: (at) => at.getUTCDate() - 1,
  getDayOfWeek: (at) => at.getUTCDay(),
  getDayOfYear: (at) => (at.getTime() - new Date(at).setUTCMonth(0, 1)) / dayMs,
  getHours: (at) => at.getUTCHours(),
  getMinutes: (at) => at.getUTCMinutes(),
  getSeconds: (at) => at.getUTCSeconds(),
  getMilliseconds: (at) => at.getUTCMilliseconds(),
}

const partsOfDuration: Readonly<Record<string, bigint>> = {
  getHours: unitsNs.h!,
  getMinutes: unitsNs.m!,
  getSeconds: unitsNs.s!,
  getMilliseconds: unitsNs.ms!,
}

/** The methods of timestamps; durations have some of them. */
export const timeParts: ReadonlySet<string> = new Set(Object.keys(partsOfTimestamp))

/** One part of a timestamp, in UTC or in a zone; of a duration, all of it in that unit. */
export function partOf(value: unknown, name: string, timeZone?: unknown): bigint {
  const unit = partsOfDuration[name]
  if (value instanceof Duration && unit !== undefined && timeZone === undefined)
    return nanosecondsOf(value) / unit
  const part = partsOfTimestamp[name]
  if (!isTimestamp(value) || part === undefined) {
    throw new ExpressionFault(`${name} needs a timestamp, not ${describe(value)}; make one with timestamp(…)`)
  }
  if (timeZone === undefined) return BigInt(part(value))
  if (typeof timeZone !== 'string')
    throw new ExpressionFault(`${name} needs the name of a time zone, not ${describe(timeZone)}`)
  return BigInt(part(localTime(value, timeZone)))
}
