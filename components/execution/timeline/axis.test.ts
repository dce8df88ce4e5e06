import { describe, expect, it } from 'vitest'
import { axisOf } from './axis'
import { scaleOf } from './scale'
import { viewportOf } from './viewport'

const scale = scaleOf(0, 10_000, [{ from: 1_000, to: 9_000 }], false)

describe('the axis of a timeline', () => {
  it('labels a break in its middle with its true length', () => {
    const { labels } = axisOf(viewportOf(scale, null, 1_060), 0)
    expect(labels).toEqual([{ from: 1_000, ms: 8_000, pixel: 530, text: '8.0 s' }])
  })

  it('has no tick behind a label', () => {
    const { ticks, labels } = axisOf(viewportOf(scale, null, 1_060), 0)
    const pixel = labels[0]!.pixel
    expect(ticks.length).toBeGreaterThan(3)
    for (const tick of ticks) expect(tick.pixel >= pixel + 28 || tick.pixel + 48 <= pixel - 28).toBe(true)
  })

  it('moves the label of a break at an edge inwards, and leaves one that is out of view outside', () => {
    const atEdge = viewportOf(scale, { from: 4_000, to: 10_000 }, 1_000)
    expect(axisOf(atEdge, 0).labels[0]!.pixel).toBe(28)
    const after = viewportOf(scale, { from: 9_500, to: 10_000 }, 1_000)
    expect(axisOf(after, 0).labels[0]!.pixel).toBeLessThan(0)
  })
})
