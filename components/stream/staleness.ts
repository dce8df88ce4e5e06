import type { Heartbeat } from './heartbeat'

/** Heartbeats come every 3 s. Later than this they are overdue. Milliseconds. */
export const BEAT_OVERDUE_MS = 7_000

/**
 * How old what the page shows may be. The server's clock may differ from ours: each heartbeat narrows what has to be added to
 * an instant of the server's clock to have it by ours. All instants are milliseconds since the epoch, by our clock unless said.
 */
export function createStaleness() {
  let offset = { least: -Infinity, most: Infinity }
  /** Up to when everything is here (0: unknown), and when that was last confirmed. */
  let complete = { until: 0, confirmed: 0 }

  return {
    /** A heartbeat arrived at `now` on a connection that was requested at `since`. */
    measure({ at, positions }: Heartbeat, since: number, now: number): void {
      const least = positions === null ? Math.max(offset.least, since - at) : offset.least
      const most = Math.min(offset.most, now - at)
      // The bounds contradict each other when one of the clocks was set: measure again.
      offset = least > most ? { least: since - at, most: now - at } : { least, most }
    },
    /** Everything is here that the server had committed until `at`, by the server's clock. */
    confirmServer(at: number, now: number): void {
      const shift = offset.least === -Infinity ? offset.most : (offset.least + offset.most) / 2
      complete = { until: at + shift, confirmed: now }
    },
    /** Everything is here that was committed until `until`. */
    confirm(until: number, now: number): void {
      complete = { until, confirmed: now }
    },
    /** Milliseconds; null before the first confirmation. While heartbeats come in time it stays as it was confirmed. */
    age(now: number, isLive: boolean): number | null {
      if (complete.until === 0) return null
      const at = isLive && now - complete.confirmed <= BEAT_OVERDUE_MS ? complete.confirmed : now
      return Math.max(0, at - complete.until)
    },
  }
}
