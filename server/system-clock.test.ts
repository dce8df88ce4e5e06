import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createSystemClock } from './system-clock'

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 2, 29, 12)

describe('the clock of the machine', () => {
  beforeEach(() => vi.useFakeTimers({ now: NOON }))
  afterEach(() => vi.useRealTimers())

  /** The instants at which it woke, in milliseconds after noon. */
  function wakesAt(at: number): { woken: number[]; cancel: () => void } {
    const woken: number[] = []
    const cancel = createSystemClock().at(NOON + at, () => woken.push(Date.now() - NOON))
    return { woken, cancel }
  }

  it('[R-72] wakes when it is time, and once', () => {
    const { woken } = wakesAt(1_000)
    vi.advanceTimersByTime(999)
    expect(woken).toEqual([])
    vi.advanceTimersByTime(HOUR_MS)
    expect(woken).toEqual([1_000])
  })

  it('[R-72] a clock that is set back by an hour puts the wake-up off by an hour', () => {
    const { woken } = wakesAt(1_000)
    vi.setSystemTime(NOON - HOUR_MS)
    vi.advanceTimersByTime(HOUR_MS)
    expect(woken).toEqual([])
    vi.advanceTimersByTime(1_000)
    expect(woken).toEqual([1_000])
  })

  it('[R-72] a clock that is set forward by an hour makes it late, never early', () => {
    const { woken } = wakesAt(1_000)
    vi.setSystemTime(NOON + HOUR_MS)
    vi.advanceTimersByTime(1_000)
    expect(woken).toEqual([HOUR_MS + 1_000])
  })

  it('[R-72] a clock that is set back for a while and then right again puts nothing off by more than seconds', () => {
    const { woken } = wakesAt(60_000)
    vi.setSystemTime(NOON - HOUR_MS)
    vi.advanceTimersByTime(20_000)
    vi.setSystemTime(NOON + 70_000)
    vi.advanceTimersByTime(15_000)
    expect(woken).toHaveLength(1)
    expect(woken[0]).toBeLessThanOrEqual(85_000)
  })

  it('counts a time down while the clock is set back and forth, and can be called off', () => {
    const woken: string[] = []
    const clock = createSystemClock()
    clock.after(5_000, () => woken.push('five seconds'))
    clock.after(5_000, () => woken.push('called off'))()
    vi.setSystemTime(NOON - HOUR_MS)
    vi.advanceTimersByTime(4_999)
    expect(woken).toEqual([])
    vi.setSystemTime(NOON + HOUR_MS)
    vi.advanceTimersByTime(1)
    expect(woken).toEqual(['five seconds'])
  })

  it('[R-72] waits for longer than a timer of Node can be set, and can be called off', () => {
    const days = 25 * 24 * HOUR_MS
    const { woken } = wakesAt(days)
    const passed: number[] = []
    createSystemClock().after(days, () => passed.push(Date.now() - NOON))
    const other = wakesAt(days)
    vi.advanceTimersByTime(days - 1)
    expect(woken).toEqual([])
    other.cancel()
    vi.advanceTimersByTime(1)
    expect([woken, passed]).toEqual([[days], [days]])
    expect(other.woken).toEqual([])
  })
})
