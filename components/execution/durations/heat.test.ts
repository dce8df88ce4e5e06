import { describe, expect, it } from 'vitest'
import { cellText, faceOf, heatOf, type Cell } from './heat'

const cell = (changes: Partial<Cell> = {}): Cell => ({
  status: 'completed',
  attempts: 1,
  duration_ms: 1_000,
  ...changes,
})

describe('a cell of the heat map', () => {
  it.each([
    [400, 1_000, 'fast'],
    [700, 1_000, 'usual'],
    [1_500, 1_000, 'usual'],
    [1_501, 1_000, 'slow'],
    [2_501, 1_000, 'slower'],
    [5_001, 1_000, 'slowest'],
    [99, 0, 'usual'],
    [100, 0, 'slowest'],
    [5, 80, 'usual'],
  ])('of %i ms, where %i ms are usual, is %s', (duration, median, heat) => {
    expect(heatOf(duration, median)).toBe(heat)
  })

  it('that did not complete says how it ended, however long it took', () => {
    expect(faceOf(cell({ status: 'failed', duration_ms: 9_000 }), 1_000)).toBe('failed')
    expect(faceOf(cell({ status: 'skipped', duration_ms: null }), 1_000)).toBe('ended')
    expect(faceOf(cell({ duration_ms: null }), 1_000)).toBe('usual')
    expect(faceOf(null, 1_000)).toBe('none')
  })

  it('has its figures as text', () => {
    expect(cellText(cell(), 1_000)).toBe('Completed in 1.0 s')
    expect(cellText(cell({ duration_ms: 3_200, attempts: 2 }), 1_000)).toBe(
      'Completed in 3.2 s, 3.2 times the usual 1.0 s, 2 attempts',
    )
    expect(cellText(cell({ duration_ms: 300 }), 0)).toBe('Completed in 300 ms, against the usual 0 ms')
    expect(cellText(cell({ status: 'skipped', attempts: 0, duration_ms: null }), null)).toBe('Skipped')
    expect(cellText(null, 5)).toBe('not part of the revision of this run')
  })
})
