import TinyQueue from 'tinyqueue'
import type { Clock } from '@/server/ports/clock'

/** Longest time between two looks; also keeps every delay within what a timer can hold. */
const LOOK_AGAIN_MS = 60 * 60_000

/**
 * When to look at which execution again, over all executions: one timer of the clock for the earliest, however many
 * runs are parked. A wake-up means only "look again"; with every one lost the sweep still finishes every run.
 */
export function createWakeUps(clock: Clock, wake: (executionId: string) => void) {
  const due = new Map<string, number>()
  const heap = new TinyQueue<{ executionId: string; at: number }>([], (a, b) => a.at - b.at)
  let armed: { at: number; cancel: () => void } | null = null
  let started = false

  function first(): { executionId: string; at: number } | undefined {
    for (;;) {
      const next = heap.peek()
      if (next === undefined || due.get(next.executionId) === next.at) return next
      heap.pop()
    }
  }

  function arm(): void {
    const next = first()
    if (!started || next === undefined || armed?.at === next.at) return
    armed?.cancel()
    const at = Math.min(next.at, clock.now() + LOOK_AGAIN_MS)
    armed = { at: next.at, cancel: clock.at(at, fire) }
  }

  function fire(): void {
    // A clock that woke it twice must not leave two timers behind.
    armed?.cancel()
    armed = null
    const now = clock.now()
    for (let next = first(); next !== undefined && next.at <= now; next = first()) {
      heap.pop()
      due.delete(next.executionId)
      wake(next.executionId)
    }
    arm()
  }

  return {
    /** Sets (or with null clears) the time at which the execution is looked at again. */
    set(executionId: string, at: number | null): void {
      if (at === null) {
        due.delete(executionId)
        return
      }
      if (due.get(executionId) === at) return
      due.set(executionId, at)
      heap.push({ executionId, at })
      arm()
    },
    /** From now on it wakes: after a boot nothing moves before everything is there. */
    start(): void {
      started = true
      arm()
    },
    stop(): void {
      started = false

      armed?.cancel()
      armed = null
      due.clear()
    },
  }
}

export type WakeUps = ReturnType<typeof createWakeUps>
