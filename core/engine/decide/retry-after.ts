import { parseHttpDate } from '@/core/engine/instant'

/** Nobody outside can ask for more patience than a day. */
const MAX_MS = 24 * 60 * 60_000

/**
 * Milliseconds that a `Retry-After` (seconds, or a date) asks to wait from `now`, from 0 to a day; 0 when it says nothing that can be
 * read. The fraction of a second that some send counts.
 */
export function retryAfterMs(said: unknown, now: number): number {
  const text = String(typeof said === 'number' || typeof said === 'string' ? said : '').trim()
  const ms = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) * 1_000 : parseHttpDate(text) - now
  return Number.isNaN(ms) ? 0 : Math.round(Math.min(Math.max(ms, 0), MAX_MS))
}
