import { describe, expect, it } from 'vitest'
import { BEAT_OVERDUE_MS, createStaleness } from './staleness'

/** This server's clock is an hour ahead. */
const server = (at: number) => at + 3_600_000

describe('the staleness of a page', () => {
  it('is unknown before the first confirmation', () => {
    const staleness = createStaleness()
    staleness.measure({ at: server(1_005), positions: null }, 1_000, 1_020)
    expect(staleness.age(1_020, true)).toBeNull()
  })

  it('is measured by our clock, however the clocks differ', () => {
    const staleness = createStaleness()
    staleness.measure({ at: server(1_010), positions: null }, 1_000, 1_020)
    staleness.measure({ at: server(4_010), positions: new Map() }, 1_000, 4_020)
    staleness.confirmServer(server(4_010), 4_020)
    expect(staleness.age(4_020, true)).toBe(10)
  })

  it('stays while heartbeats come in time, and grows when they are overdue or the stream is lost', () => {
    const staleness = createStaleness()
    staleness.confirm(5_000, 5_100)
    expect(staleness.age(5_100 + BEAT_OVERDUE_MS, true)).toBe(100)
    expect(staleness.age(5_101 + BEAT_OVERDUE_MS, true)).toBe(101 + BEAT_OVERDUE_MS)
    expect(staleness.age(6_000, false)).toBe(1_000)
  })

  it('measures again when one of the clocks was set', () => {
    const staleness = createStaleness()
    staleness.measure({ at: server(1_000), positions: null }, 1_000, 1_000)
    staleness.measure({ at: server(9_000), positions: new Map() }, 1_000, 2_000)
    staleness.confirmServer(server(9_000), 2_000)
    expect(staleness.age(2_000, true)).toBeLessThan(BEAT_OVERDUE_MS)
    expect(staleness.age(2_000, true)).toBeGreaterThanOrEqual(0)
  })
})
