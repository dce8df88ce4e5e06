import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaleOf } from './scale'

const idle = [{ from: 1_000, to: 9_000 }]

describe('the scale of a timeline', () => {
  it('draws a gap short in which nothing moved, unless the scale is true', () => {
    const scale = scaleOf(0, 10_000, idle, false)
    expect(scale.breaks).toEqual(idle)
    expect(scale.at(1_000)).toBe(1_000)
    expect(scale.at(9_000)).toBe(1_120)
    expect(scale.length).toBe(2_120)
    expect(scale.at(5_000)).toBe(1_060)
    const whole = scaleOf(0, 10_000, idle, true)
    expect([whole.breaks, whole.length, whole.at(9_000)]).toEqual([[], 10_000, 9_000])
  })

  it('leaves gaps that are short beside what moved, and a run in which nothing did', () => {
    expect(scaleOf(0, 10_000, [{ from: 1_000, to: 2_600 }], false).breaks).toEqual([])
    expect(scaleOf(0, 10_000, [{ from: 1_000, to: 2_900 }], false).breaks).toHaveLength(1)
    expect(scaleOf(0, 10_000, [{ from: 0, to: null }], false).length).toBe(10_000)
    expect(scaleOf(5, 5, [], false).length).toBe(1)
  })

  it('a gap that goes on ends with the line', () => {
    expect(scaleOf(0, 10_000, [{ from: 4_000, to: null }], false).breaks).toEqual([
      { from: 4_000, to: 10_000 },
    ])
  })

  const gaps = fc
    .array(fc.integer({ min: 0, max: 100_000 }), { minLength: 2, maxLength: 12 })
    .map((cuts) => [...new Set(cuts)].toSorted((a, b) => a - b))
    .map((cuts) =>
      cuts.flatMap((from, i) =>
        i % 2 === 0 && cuts[i + 1] !== undefined ? [{ from, to: cuts[i + 1]! }] : [],
      ),
    )

  it('keeps the order of instants, and leads back to each', () => {
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        (some, a, b) => {
          const scale = scaleOf(0, 100_000, some, false)
          expect(scale.instantAt(scale.at(a))).toBeCloseTo(a, 3)
          if (a < b) expect(scale.at(a)).toBeLessThan(scale.at(b))
        },
      ),
    )
  })
})
