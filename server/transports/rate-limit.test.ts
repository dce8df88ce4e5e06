import { describe, expect, it } from 'vitest'
import { RateLimit } from './rate-limit'

describe('rate limit', () => {
  it('lets a burst through, then as many as the rate says', () => {
    const limit = new RateLimit(10, 1_000)
    expect(Array.from({ length: 12 }, () => limit.take('a', 0)).filter((wait) => wait === 0)).toHaveLength(10)
    expect(limit.take('b', 0)).toBe(0)
    expect(limit.take('a', 100)).toBe(0)
    expect(limit.take('a', 100)).toBeGreaterThanOrEqual(1)
  })

  it('survives a clock that goes back, and forgets the longest unused key past its bound', () => {
    const limit = new RateLimit(1, 60_000, 2)
    expect(limit.take('a', 1_000)).toBe(0)
    expect(limit.take('a', 0)).toBe(60)
    limit.take('b', 1_000)
    limit.take('c', 1_000)
    expect(limit.take('a', 1_000), 'a was forgotten').toBe(0)
  })
})
