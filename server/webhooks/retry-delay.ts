import { chanceOf } from '@/core/engine/decide/retry'
import type { RetrySchedule } from '@/server/ports/webhooks'

/** Each delay is so many times the one before: with the defaults ten tries take about a day. */
const GROWTH = 4
/** Deliveries that failed together come again apart. */
const JITTER = 0.2

/**
 * Milliseconds until the next try after `failed` failed ones (1 …), moved by a jitter that the delivery's own name decides and never
 * more than the schedule's longest.
 */
export function retryDelay(schedule: RetrySchedule, failed: number, name: string): number {
  const spread = 1 + JITTER * (2 * chanceOf(`${name}/${failed}`) - 1)
  return Math.round(Math.min(schedule.maxDelayMs, schedule.backoffMs * GROWTH ** (failed - 1) * spread))
}
