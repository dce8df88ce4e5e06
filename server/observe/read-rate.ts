const SLOTS = 60
const SLOT_MS = 1_000

/** Counts what happens in each of the last sixty seconds. @param now milliseconds of a clock that nobody sets */
export function createReadRate(now: () => number) {
  const counts = new Float64Array(SLOTS)
  const began = now()
  let slot = 0

  /** Empties the seconds that have passed since something was counted. */
  function advance(): void {
    const current = Math.floor((now() - began) / SLOT_MS)
    if (current === slot) return
    const passed = Math.min(current - slot, SLOTS)
    for (let step = 1; step <= passed; step += 1) counts[(current - passed + step) % SLOTS] = 0
    slot = current
  }

  return {
    note(count: number): void {
      if (count === 0) return
      advance()
      counts[slot % SLOTS]! += count
    },
    /** Per second, over the last minute, or since the beginning when that is not so long ago. */
    perSecond(): number {
      advance()
      const seconds = Math.min(SLOTS, (now() - began) / SLOT_MS)
      return seconds < 1 ? counts[0]! : counts.reduce((sum, count) => sum + count, 0) / seconds
    },
  }
}
