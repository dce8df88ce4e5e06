import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaleOf } from './scale'
import { ticksOf } from './ticks'
import { pixelOf, viewportOf } from './viewport'

const idle = [{ from: 1_000, to: 9_000 }]
const DAY = 86_400_000

describe('the ticks of a timeline', () => {
  it('are at round times with room for their text, and none is in a break', () => {
    const scale = scaleOf(0, 10_000, [], true)
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

  it('count days from the start of a run that is long, and know no calendar', () => {
    const textsOver = (length: number, width: number) => {
      const zero = Date.UTC(2026, 0, 31, 5, 17)
      return ticksOf(viewportOf(scaleOf(zero, zero + length, [], true), null, width), zero).map(
        ({ text }) => text,
      )
    }
    const days = (...counts: number[]) => ['0', ...counts.map((count) => `${count}d 00h`)]
    expect(textsOver(10 * DAY, 500)).toEqual(days(2, 4, 6, 8, 10))
    expect(textsOver(90 * DAY, 1_000)).toEqual(days(10, 20, 30, 40, 50, 60, 70, 80, 90))
    expect(textsOver(3_000 * DAY, 600)).toEqual(days(500, 1_000, 1_500, 2_000, 2_500, 3_000))
  })

  it('have room for their text at every length and width, and stay with their instants when the viewport moves', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 1_000 * DAY }),
        fc.integer({ min: 200, max: 3_000 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (length, width, part) => {
          const zero = 1_764_000_000_000
          const moved = Math.round(part * length)
          const scale = scaleOf(zero, zero + 2 * length, [], true)
          const shownFrom = (from: number) => {
            const view = viewportOf(scale, { from: zero + from, to: zero + from + length }, width)
            const pixels = ticksOf(view, zero).map(({ pixel }) => pixel)
            for (const [at, pixel] of pixels.entries())
              if (at > 0) expect(pixel - pixels[at - 1]!).toBeGreaterThan(75)
            const elapsed = pixels.map((pixel) => Math.round(from + (pixel / width) * length))
            expect(elapsed.every((each) => each >= from - 1 && each <= from + length + 1)).toBe(true)
            return elapsed.filter((each) => each > moved + 1 && each < length - 1)
          }
          expect(shownFrom(moved)).toEqual(shownFrom(0))
        },
      ),
    )
  })
})
