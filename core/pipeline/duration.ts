/** The longest duration that may be written: 10 years. Longer ones are mistakes, and timers must fit a safe number. */
export const maxDurationMs = 10 * 365 * 86_400_000

/** How a duration is written, for who wrote it otherwise. */
export const durationHint = 'write 250ms, 30s, 5m, 2h, 1d or PT30S'

/** Durations as people write them. */
export const durationExamples: readonly string[] = ['10s', '1m', '5m', '30m', '1h', '8h', '1d', '7d']

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const short = /^(\d{1,15}(?:\.\d{1,6})?)(ms|s|m|h|d)$/
const iso =
  /^P(?:(\d{1,9}(?:\.\d{1,6})?)W)?(?:(\d{1,9}(?:\.\d{1,6})?)D)?(?:T(?:(\d{1,9}(?:\.\d{1,6})?)H)?(?:(\d{1,9}(?:\.\d{1,6})?)M)?(?:(\d{1,9}(?:\.\d{1,6})?)S)?)?$/
const isoUnits = [604_800_000, 86_400_000, 3_600_000, 60_000, 1_000]

/**
 * Milliseconds of `250ms`, `30s`, `5m`, `2h`, `1d` or ISO 8601 (`PT30S`, `P1DT2H`, no years or months: their length varies)
 * . null when it is not a duration, is negative or longer than 10 years.
 */
export function parseDuration(text: string): number | null {
  const simple = short.exec(text)
  let ms: number | null = null
  if (simple) ms = Number(simple[1]) * (units[simple[2] ?? ''] ?? 0)
  const parts = simple ? null : iso.exec(text)
  if (parts && !text.endsWith('T') && parts.slice(1).some((part) => part !== undefined)) {
    ms = isoUnits.reduce((sum, unit, i) => sum + Number(parts[i + 1] ?? 0) * unit, 0)
  }
  if (ms === null || ms > maxDurationMs) return null
  return Math.round(ms)
}

/** The shortest way to write a number of milliseconds: `90000` is `90s`, `5400000` is `90m`. Parses back to the same. */
export function formatDuration(ms: number): string {
  for (const [unit, size] of Object.entries(units).reverse()) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`
  }
  return `${Math.round(ms)}ms`
}
