import { describe, expect, it } from 'vitest'
import { scaleOf } from './scale'
import { instantUnder, panned, pixelOf, viewportOf, zoomed } from './viewport'

describe('a viewport', () => {
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
})
