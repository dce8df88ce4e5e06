import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OperationContext } from '@/server/operations/context'
import { Hub } from './hub'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('visits each stream once an interval, a few at a time', () => {
  const hub = new Hub({
    // No stream asks for anything.
    ctx: {} as OperationContext,
    callerOf: () => Promise.resolve(null),
    onDefect: (error) => {
      throw error
    },
    heartbeatMs: 3_000,
  })
  const beats = Array.from({ length: 900 }, () => 0)
  const leaves = beats.map((_, at) =>
    hub.join({
      beat: () => {
        beats[at]! += 1
      },
      poll: () => {},
      recheck: () => Promise.resolve(),
      end: () => {},
    }),
  )
  const total = () => beats.reduce((sum, count) => sum + count, 0)
  let before = 0
  for (let at = 0; at < 120; at++) {
    vi.advanceTimersByTime(50)
    expect(total() - before).toBeLessThanOrEqual(16)
    before = total()
  }
  expect(new Set(beats)).toEqual(new Set([2]))
  for (const leave of leaves.slice(1)) leave()
  vi.advanceTimersByTime(3_000)
  vi.advanceTimersByTime(3_000)
  expect(beats[0]).toBeGreaterThan(3)
  expect(beats[0]).toBeLessThan(6)
  expect(beats.slice(1).every((count) => count === 2)).toBe(true)
  hub.end()
})
