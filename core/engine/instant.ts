/**
 * Instants on the wire are ISO 8601 UTC with milliseconds; inside the engine they are milliseconds since the epoch.
 * The one place in `core/` that touches `Date`, and only to convert: both functions depend on nothing but their argument.
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
