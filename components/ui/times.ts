/** Instants and durations in words. Pure: the present is passed in. */

const units = [
  { ms: 86_400_000, short: 'd' },
  { ms: 3_600_000, short: 'h' },
  { ms: 60_000, short: 'm' },
  { ms: 1_000, short: 's' },
] as const

/**
 * A duration in at most two units: `240 ms`, `4.2 s`, `3m 07s`, `2h 05m`, `1d 04h`.
 * Takes milliseconds; what is negative counts as nothing.
 */
export function durationText(ms: number): string {
  if (!Number.isFinite(ms)) return '–'
  const value = Math.max(0, ms)
  if (value < 1_000) return `${Math.round(value)} ms`
  if (value < 9_950) return `${(value / 1_000).toFixed(1)} s`
  const rounded = Math.round(value / 1_000) * 1_000
  if (rounded < 60_000) return `${rounded / 1_000} s`
  const index = units.findIndex((unit) => rounded >= unit.ms)
  const big = units[index]
  const small = units[index + 1]
  if (big === undefined || small === undefined) return `${rounded / 1_000} s`
  const count = Math.floor(rounded / big.ms)
  const rest = Math.floor((rounded - count * big.ms) / small.ms)
  return `${count}${big.short} ${String(rest).padStart(2, '0')}${small.short}`
}

/**
 * `just now`, `12 s ago`, `5 min ago`, `4 days ago`, `in 1 h 46 min`. Future instants have two units: `in 1 h` for almost two hours
 * would be wrong. Takes milliseconds since the epoch.
 */
export function relativeText(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (distance < 2_000) return 'just now'
  const ahead = at > now
  const rest = (big: number, small: number, unit: string) => {
    const count = Math.floor((distance % big) / small)
    return ahead && count > 0 ? ` ${count} ${unit}` : ''
  }
  let words: string
  if (distance < 60_000) words = `${Math.floor(distance / 1_000)} s`
  else if (distance < 3_600_000) words = `${Math.floor(distance / 60_000)} min`
  else if (distance < 86_400_000)
    words = `${Math.floor(distance / 3_600_000)} h${rest(3_600_000, 60_000, 'min')}`
  else {
    const days = Math.floor(distance / 86_400_000)
    words = `${days === 1 ? '1 day' : `${days} days`}${rest(86_400_000, 3_600_000, 'h')}`
  }
  return ahead ? `in ${words}` : `${words} ago`
}

let exact: Intl.DateTimeFormat | undefined

/** The exact instant in local time, then in UTC, for a tooltip. */
export function exactText(at: number): string {
  // Creating a formatter takes far longer than using it.
  exact ??= new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
  return `${exact.format(at)} · ${new Date(at).toISOString()}`
}

/** Bytes with a decimal unit: `812 B`, `4.1 kB`, `12 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const names = ['kB', 'MB', 'GB', 'TB']
  let value = bytes
  let name = ''
  for (const next of names) {
    if (value < 1_000) break
    value /= 1_000
    name = next
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${name}`
}
