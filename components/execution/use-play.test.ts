import { describe, expect, it } from 'vitest'
import { nextShown } from './use-play'

const events = [0, 0, 10, 1_010, 1_000_000].map((ms) => ({ timestamp: new Date(ms).toISOString() }))
const next = (at: number, speed: number, atLeast = 50) => nextShown(events, at, { speed, atLeast })

describe('playing a run', () => {
  it('shows together what follows at once, and each later event after its time', () => {
    expect(next(1, 1)).toEqual({ seq: 3, afterMs: 50 })
    expect(next(3, 1)).toEqual({ seq: 4, afterMs: 1_000 })
    expect(next(3, 10)).toEqual({ seq: 4, afterMs: 100 })
  })

  it('shortens long stretches, and ends at the last event', () => {
    expect(next(4, 1)).toEqual({ seq: 5, afterMs: 1_500 })
    expect(next(4, 100)).toEqual({ seq: 5, afterMs: 1_500 })
    expect(next(5, 1)).toBe(null)
  })

  it('changes what is shown as rarely as it is asked to', () => {
    expect(next(1, 100, 1_000)).toEqual({ seq: 4, afterMs: 1_000 })
  })
})
