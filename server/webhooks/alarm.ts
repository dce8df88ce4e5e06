import type { Clock } from '@/server/ports/clock'

/** One timer, for the earliest of many times. */
export function createAlarm(clock: Clock, ring: () => void) {
  let armed: { readonly at: number; readonly cancel: () => void } | null = null
  let stopped = false
  return {
    /** Rings at `at` (ms since the epoch), and no more at the time set before. Infinity: never. */
    set(at: number): void {
      if (armed?.at === at || stopped) return
      armed?.cancel()
      const fire = () => {
        armed = null
        ring()
      }
      armed = at === Infinity ? null : { at, cancel: clock.at(at, fire) }
    },
    stop(): void {
      stopped = true
      armed?.cancel()
    },
  }
}
