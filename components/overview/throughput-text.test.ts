import { describe, expect, it } from 'vitest'
import { hourText, sumEnded, throughputText } from './throughput-text'

describe('what ended lately', () => {
  it('is described in words, with the busiest hour', () => {
    const hours = [
      { from: '2026-03-01T12:00:00.000Z', ...sumEnded({ completed: 3, cancelled: 1 }) },
      { from: '2026-03-01T13:00:00.000Z', ...sumEnded({ failed: 5, rolled_back: 1 }) },
      { from: '2026-03-01T14:00:00.000Z', ...sumEnded({}) },
    ]
    expect(throughputText(hours)).toBe(
      `10 ended: 3 completed, 5 failed, 2 cancelled. Most in the hour from ${hourText(hours[1]!.from)}: 6.`,
    )
    expect(throughputText([hours[2]!])).toBe('No run has ended.')
  })
})
