import type { Clock } from '@/server/ports/clock'

/** The longest that a timer of Node can be set. */
const longest = 2 ** 31 - 1

/** The machine's clock. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    at(at, wake) {
      let timer: NodeJS.Timeout
      // Timers may fire a little early, and cannot be set for more than 24 days: look again until it is time.
      const set = () => {
        timer = setTimeout(
          () => (Date.now() >= at ? wake() : set()),
          Math.min(longest, Math.max(0, at - Date.now())),
        )
      }
      set()
      return () => clearTimeout(timer)
    },
    defer(run) {
      setImmediate(run)
    },
  }
}
