import type { Clock } from '@/server/ports/clock'

/**
 * The longest that a timer sleeps before it looks at the clock again, in milliseconds. Somebody may set the clock: a timer that slept for
 * the whole of what was left then would be late by as much.
 */
const LONGEST_SLEEP = 15_000

/** What a timer of Node can hold, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The machine's clock. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    at(at, wake) {
      let timer: NodeJS.Timeout
      // Timers of Node may fire a little early, too.
      const set = () => {
        const sleep = Math.min(LONGEST_SLEEP, Math.max(0, at - Date.now()))
        timer = setTimeout(() => (Date.now() >= at ? wake() : set()), sleep)
      }
      set()
      return () => clearTimeout(timer)
    },
    after(ms, wake) {
      let timer: NodeJS.Timeout
      const set = (left: number) => {
        const sleep = Math.min(LONGEST_TIMER, left)
        timer = setTimeout(() => (left > sleep ? set(left - sleep) : wake()), sleep)
      }
      set(ms)
      return () => clearTimeout(timer)
    },
    defer(run) {
      setImmediate(run)
    },
  }
}
