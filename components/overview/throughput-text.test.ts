import { describe, expect, it } from 'vitest'
import { hourText, sumEnded, throughputText } from './throughput-text'

describe('what ended lately', () => {
  it('is described in words, with the busiest hour', () => {
    const hours = [
      {
        from: '2026-03-01T12:00:00.000Z',
        ...sumEnded({ counts: { completed: 3, cancelled: 1 }, handled: 0 }),
      },
      {
        from: '2026-03-01T13:00:00.000Z',
        ...sumEnded({ counts: { failed: 5, rolled_back: 1 }, handled: 0 }),
      },
      { from: '2026-03-01T14:00:00.000Z', ...sumEnded({ counts: {}, handled: 0 }) },
    ]
    expect(throughputText(hours)).toBe(
      `10 ended: 3 completed, 5 failed or rejected, 2 cancelled. Most in the hour from ${hourText(hours[1]!.from)}: 6.`,
    )
    const some = { from: hours[0]!.from, ...sumEnded({ counts: { completed: 3 }, handled: 1 }) }
    expect(throughputText([some])).toMatch(
      /^3 ended: 2 completed, 1 completed with a failure handled, 0 failed or rejected, 0 cancelled/,
    )
    expect(throughputText([hours[2]!])).toBe('No run has ended.')
  })
})
