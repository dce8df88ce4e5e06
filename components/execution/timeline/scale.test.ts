import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { instantUnder, panned, pixelOf, scaleOf, ticksOf, viewportOf, zoomed } from './scale'

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

describe('what is seen of it', () => {
  const scale = scaleOf(0, 10_000, [], true)

  it('stays under the pointer while it is zoomed, and ends with all of it', () => {
    const view = viewportOf(scale, null, 1_000)
    const closer = viewportOf(scale, zoomed(view, 0.5, 300), 1_000)
    expect(closer.to - closer.from).toBe(5_000)
    expect(instantUnder(closer, 300)).toBeCloseTo(3_000)
    expect(pixelOf(closer, 3_000)).toBeCloseTo(300)
    expect(zoomed(closer, 4, 300)).toBeNull()
    const closest = viewportOf(scale, zoomed(view, 1e-9, 0), 1_000)
    expect(closest.to - closest.from).toBeCloseTo(10)
  })

  it('moves no further than the line goes', () => {
    const view = viewportOf(scale, { from: 2_000, to: 4_000 }, 1_000)
    expect(panned(view, 500)).toEqual({ from: 3_000, to: 5_000 })
    expect(panned(view, -5_000)).toEqual({ from: 0, to: 2_000 })
    expect(panned(viewportOf(scale, null, 1_000), 10)).toBeNull()
  })

  it('has ticks at round times with room for their text, and none in a break', () => {
    const view = viewportOf(scale, null, 1_000)
    expect(ticksOf(view, 0).map(({ text }) => text)).toEqual([
      '0',
      '1 s',
      '2 s',
      '3 s',
      '4 s',
      '5 s',
      '6 s',
      '7 s',
      '8 s',
      '9 s',
      '10 s',
    ])
    const close = viewportOf(scale, { from: 61_000, to: 61_100 }, 1_000)
    expect(ticksOf(close, 0).length).toBeLessThan(3)
    const deep = viewportOf(scaleOf(0, 100_000, [], true), { from: 61_000, to: 61_100 }, 1_000)
    expect(ticksOf(deep, 0)[1]?.text).toBe('1m 1.01s')
    const broken = viewportOf(scaleOf(0, 10_000, idle, false), null, 1_000)
    const pixels = ticksOf(broken, 0).map(({ pixel }) => pixel)
    expect(pixels.every((pixel) => pixel <= pixelOf(broken, 1_000) || pixel >= pixelOf(broken, 9_000))).toBe(
      true,
    )
  })
})
