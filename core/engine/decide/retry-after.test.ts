import { describe, expect, it } from 'vitest'
import { retryAfterMs } from './retry-after'

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1)
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['99999999999999999999', 86_400_000],
    ['1.50000000000001', 1_500],
    ['120, 60', 120_000],
    ['Fri, 31 Dec 9999 00:00:00 GMT', 86_400_000],
    ['-5', 0],
    ['soon', 0],
    ['foo 9999', 0],
    ['0.5', 500],
    [30, 30_000],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Thu Jan  1 00:01:00 2026', 60_000],
    ['2026-01-01T00:01:00Z', 60_000],
    ['1e9', 0],
    [Infinity, 0],
    [null, 0],
    [{ seconds: 1 }, 0],
    ['', 0],
    [undefined, 0],
  ])('%j asks for %i ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms)
  })
})
