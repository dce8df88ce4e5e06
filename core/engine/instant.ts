/**
 * Instants on the wire and in events are ISO 8601 UTC with milliseconds; everywhere else they are milliseconds since the epoch.
 * The one place in `core/` that touches `Date`, and only to convert: every function depends on nothing but its arguments.
 */
let lastMs = -1
let lastText = ''

/** Milliseconds since the epoch as `2026-01-02T03:04:05.006Z`. All events of one step share an instant, so the last one is kept. */
export function formatInstant(ms: number): string {
  if (ms === lastMs) return lastText
  lastText = new Date(ms).toISOString()
  lastMs = ms
  return lastText
}

/** Milliseconds from one instant to a later one; 0 when the clock was set back in between. */
export function elapsedMs(from: number, to: number): number {
  return Math.max(0, to - from)
}

/** The reverse of `formatInstant`; NaN for anything that is not an instant. */
export function parseInstant(text: string): number {
  return text === lastText ? lastMs : Date.parse(text)
}

/**
 * A date of an HTTP header (RFC 9110, 5.6.7: three forms, all of them GMT), or one in ISO 8601, as milliseconds since the epoch; NaN for
 * every other text.
 */
export function parseHttpDate(text: string): number {
  if (!/^(?:[A-Z][a-z]{2,8},? |\d{4}-\d\d-\d\dT)/.test(text)) return Number.NaN
  return Date.parse(/(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text} GMT`)
}

/** As `formatInstant`, null staying null. */
export function formatInstantOrNull(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms)
}

/** Instants that were read lately: the events of one commit share a few of them. */
const known = new Map<string, number>()
const KNOWN_MAX = 1_000

/**
 * Milliseconds since the epoch of a text in the one form that `formatInstant` gives back unchanged; NaN for every other text,
 * also for one that is an instant in another form.
 */
export function parseExactInstant(text: string): number {
  const before = known.get(text)
  if (before !== undefined) return before
  const ms = Date.parse(text)
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== text) return NaN
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(text, ms)
  return ms
}
