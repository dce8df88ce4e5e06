import { describe, expect, it } from 'vitest'
import { retryDelay } from './retry-delay'

const schedule = { attempts: 10, backoffMs: 5_000, maxDelayMs: 8 * 3_600_000 }
const delays = (name: string) => Array.from({ length: 9 }, (_, at) => retryDelay(schedule, at + 1, name))

describe('the delay of a retry', () => {
  it('[R-19] grows from tries that are seconds apart to a last one after about a day', () => {
    for (const name of ['x1.1', 'x1.2', 'x2.1', '01KAFG.77']) {
      const all = delays(name)
      for (const [at, delay] of all.entries()) {
        const exact = 5_000 * 4 ** at
        expect(delay).toBeGreaterThanOrEqual(Math.min(schedule.maxDelayMs, exact * 0.8))
        expect(delay).toBeLessThanOrEqual(Math.min(schedule.maxDelayMs, exact * 1.2))
      }
      const hours = all.reduce((sum, delay) => sum + delay, 0) / 3_600_000
      expect(hours).toBeGreaterThan(20)
      expect(hours).toBeLessThan(26)
    }
  })

  it('[R-19] is the same for a delivery whenever it is asked, and another for another', () => {
    expect(delays('x1.1')).toEqual(delays('x1.1'))
    expect(new Set(['x1.1', 'x1.2', 'x1.3', 'x1.4'].map((name) => delays(name)[0])).size).toBe(4)
  })
})
