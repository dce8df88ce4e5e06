import { chanceOf } from '@/core/engine/decide/retry'
import type { RetrySchedule } from '@/server/ports/webhooks'

/** Each delay is so many times the one before: with the defaults ten tries take about a day. */
const GROWTH = 4
/** Deliveries that failed together come again apart. */
const JITTER = 0.2
/** A receiver cannot ask for more patience than this. */
const RETRY_AFTER_MAX_MS = 24 * 60 * 60_000

/**
 * Milliseconds until the next try after `failed` failed ones (1 …), moved by a jitter that the delivery's own name decides and never
 * more than the schedule's longest.
 */
export function retryDelay(schedule: RetrySchedule, failed: number, name: string): number {
  const spread = 1 + JITTER * (2 * chanceOf(`${name}/${failed}`) - 1)
  return Math.round(Math.min(schedule.maxDelayMs, schedule.backoffMs * GROWTH ** (failed - 1) * spread))
}

/** Milliseconds that a `Retry-After` header (seconds, or a date) asks for, at most a day; 0 when it says nothing readable. */
export function retryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const text = header.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS)
}
