import { parseHttpDate } from '@/core/engine/instant'

/** Nobody outside can ask for more patience than a day. */
const MAX_MS = 24 * 60 * 60_000

/**
 * Milliseconds that a `Retry-After` (seconds, or a date) asks to wait from `now`, from 0 to a day; 0 when it says nothing that can be
 * read. The fraction of a second that some send counts.
 */
export function retryAfterMs(said: unknown, now: number): number {
  const text = String(typeof said === 'number' || typeof said === 'string' ? said : '').trim()
  // A header that was sent twice is a list; however large the number is, it asks to wait.
  const isSeconds = /^\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?)*$/.test(text)
  const ms = isSeconds ? Math.max(...text.split(',').map(Number)) * 1_000 : parseHttpDate(text) - now
  return Number.isNaN(ms) ? 0 : Math.round(Math.min(Math.max(ms, 0), MAX_MS))
}
