import { describe, expect, it } from 'vitest'
import { cutLabel, edgeText, labelLift, labelWidth } from './edge-label'

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

  it('says the outcomes, signs and conditions of its events, and nothing of a plain completion', () => {
    const said = (outcome: string, negated = false, ...conditions: string[]) => ({
      outcome,
      negated,
      conditions,
    })
    expect(edgeText([said('completed')])).toBeNull()
    expect(edgeText([said('completed', false, 'a > 1')])).toBe('if a > 1')
    expect(edgeText([said('completed'), said('failed', true, 'a > 1')])).toBe(
      'completed or not failed if a > 1',
    )
  })

  it('is cut where it would cover the cards beside it, and nowhere else', () => {
    const long = 'if read.rows > 1000 && read.rows < 2000'
    expect(cutLabel(long, ends(64))).toHaveLength(10)
    expect(cutLabel(long, ends(labelWidth(long)))).toBe(long)
    expect(cutLabel(long, ends(64, 120))).toBe(long)
  })
})
