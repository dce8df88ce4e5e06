import { describe, expect, it } from 'vitest'
import { labelLift, labelWidth, roomForLabels } from './edge-label'

const ends = (length: number, down = 0) => ({ sourceX: 0, sourceY: 0, targetX: length, targetY: down })

describe('the label of an edge', () => {
  it('is above a short level line, which it would cover', () => {
    expect(labelLift('approved', ends(64))).toBeGreaterThan(0)
    // Above its higher end, too.
    expect(labelLift('approved', ends(64, 14)) - 14 / 2).toBe(labelLift('approved', ends(64)))
  })

  it('is on a line that is longer, or that has a step', () => {
    expect(labelLift('approved', ends(200))).toBe(0)
    expect(labelLift('approved', ends(64, 120))).toBe(0)
  })

  it('has room between the columns of a layout', () => {
    expect(roomForLabels([null, null], 64, 160)).toBe(64)
    expect(roomForLabels([null, 'approved'], 64, 160)).toBeGreaterThanOrEqual(labelWidth('approved') + 40)
    expect(roomForLabels(['a condition that is very long indeed'], 64, 160)).toBe(160)
  })
})
