/** A clock that stands still until a test moves it. Milliseconds. */
export function createManualClock() {
  let now = 1_000_000
  const waits = new Set<{ readonly due: number; readonly then: () => void }>()
  return {
    now: () => now,
    wait(ms: number, then: () => void) {
      const one = { due: now + ms, then }
      waits.add(one)
      return () => void waits.delete(one)
    },
    /** How long from now until each wait ends, the next first. */
    pending: (): readonly number[] => [...waits].map(({ due }) => due - now).toSorted((a, b) => a - b),
    /** Moves on from one wait to the next that is due. */
    pass(ms: number) {
      const until = now + ms
      for (;;) {
        const [next] = [...waits].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due)
        if (next === undefined) break
        waits.delete(next)
        now = Math.max(now, next.due)
        next.then()
      }
      now = until
    },
    /** The machine sleeps: no wait ends meanwhile. */
    sleep(ms: number) {
      now += ms
    },
  }
}
