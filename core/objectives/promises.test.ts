import { describe, expect, it } from 'vitest'
import { BOUNDS, bucketOf, emptyHistogram, quantile } from './histogram'
import { errorBudget, measure, type Minute } from './promises'

const histogramOf = (...durations: number[]) => {
  const histogram = emptyHistogram()
  for (const ms of durations) histogram[bucketOf(ms)]! += 1
  return histogram
}
const minute = (more: Partial<Minute> = {}): Minute => ({
  minute: 1,
  upMs: 60_000,
  runs: 0,
  recoveryMs: null,
  parse: emptyHistogram(),
  transition: emptyHistogram(),
  ...more,
})

describe('a histogram', () => {
  it('[H-15] puts a duration into the bucket whose bound it does not exceed', () => {
    for (const [at, bound] of BOUNDS.entries()) {
      expect(bucketOf(bound)).toBe(at)
      expect(bucketOf(bound + 0.001)).toBe(at + 1)
    }
    expect([bucketOf(0), bucketOf(1e9)]).toEqual([0, BOUNDS.length])
  })

  it('[H-15] knows on which side of a promise a quantile lies, whatever the durations', () => {
    for (let slow = 0; slow <= 20; slow += 1) {
      const durations = Array.from({ length: 100 }, (_, at) => (at < slow ? 121 : 119))
      const value = quantile(histogramOf(...durations), 0.95)!
      expect(value <= 120, `${slow} of 100 are slow`).toBe(slow <= 5)
    }
    expect(quantile(emptyHistogram(), 0.5)).toBeNull()
    expect(quantile(histogramOf(9_999), 0.5)).toBe(5_000)
  })
})

describe('the promises', () => {
  it('[H-15] nothing measured is neither kept nor broken', () => {
    const { parse, transition, recovery, availability, concurrency } = measure([], 0)
    for (const one of [parse, transition, recovery, availability, concurrency]) expect(one.met).toBeNull()
  })

  it('[H-15] parsing P95 below 120 ms, transitions P90 below 50 ms, recovery below 30 s', () => {
    const good = measure(
      [minute({ parse: histogramOf(10, 20, 119), transition: histogramOf(1, 2, 49), recoveryMs: 29_999 })],
      60_000,
    )
    expect([good.parse.met, good.transition.met, good.recovery.met]).toEqual([true, true, true])
    const bad = measure(
      [minute({ parse: histogramOf(200), transition: histogramOf(60) }), minute({ recoveryMs: 30_000 })],
      60_000,
    )
    expect([bad.parse.met, bad.transition.met, bad.recovery.met]).toEqual([false, false, false])
    expect(good.parse.samples).toBe(3)
    expect(bad.recovery.value).toBe(30_000)
  })

  it('[H-15] availability above 99.9 % of the time since the first measurement', () => {
    const hour = Array.from({ length: 60 }, (_, at) => minute({ minute: at }))
    expect(measure(hour, 3_600_000).availability).toEqual({ value: 100, samples: 60, met: true })
    expect(measure(hour.slice(1), 3_600_000).availability.met).toBe(false)
    // Clocks of a restart overlap: never more than all of it.
    expect(measure(hour, 3_599_000).availability.value).toBe(100)
  })

  it('[H-15] 1,000 at once, where each went on as quickly as promised meanwhile', () => {
    const few = measure([minute({ runs: 999, transition: histogramOf(1) })], 60_000).concurrency
    expect(few).toEqual({ value: 999, samples: 1, met: null })
    expect(measure([minute({ runs: 1_000, transition: histogramOf(1) })], 60_000).concurrency.met).toBe(true)
    expect(measure([minute({ runs: 1_000, transition: histogramOf(99) })], 60_000).concurrency.met).toBe(
      false,
    )
  })

  it.each([
    [0, 'none'],
    [10.7, 'none'],
    [10.8, 'review'],
    [21.6, 'careful'],
    [32.4, 'fixes_only'],
    [38.9, 'freeze'],
    [100, 'freeze'],
  ])('[H-O12] %s minutes of the 43.2 of 30 days: %s', (down, action) => {
    expect(errorBudget(down)).toMatchObject({ allowedMinutes: 43.2, action })
  })
})
