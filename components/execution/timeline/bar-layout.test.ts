import { describe, expect, it } from 'vitest'
import { layoutBars, layoutPeriod } from './bar-layout'
import type { Bar } from './rows'
import { scaleOf } from './scale'
import { viewportOf } from './viewport'

const bar = (from: number, to: number | null, rest: Partial<Bar> = {}): Bar => ({
  kind: 'running',
  status: 'completed',
  title: '',
  error: null,
  attempt: 1,
  from,
  to,
  ...rest,
})
const scale = scaleOf(0, 10_000, [], true)
const whole = viewportOf(scale, null, 1_000)

describe('the layout of bars', () => {
  it('draws nothing thinner than 3 pixels, and what goes on up to the present', () => {
    expect(
      layoutBars([bar(1_000, 1_001), bar(5_000, null)], whole, 8_000).map(({ left, width }) => [left, width]),
    ).toEqual([
      [100, 3],
      [500, 300],
    ])
  })

  it('draws one of those that look the same on the same pixels', () => {
    const same = Array.from({ length: 5 }, () => bar(1_000, 1_001))
    const other = bar(1_000, 1_001, { status: 'failed' })
    expect(layoutBars([...same, other], whole, 0).map((drawn) => drawn.bar)).toEqual([same[0], other])
  })

  it('leaves out what is not in view, and cuts what goes far beyond it', () => {
    const close = viewportOf(scale, { from: 4_000, to: 4_100 }, 1_000)
    expect(layoutBars([bar(0, 3_000), bar(5_000, 6_000)], close, 0)).toEqual([])
    const [cut] = layoutBars([bar(0, 10_000)], close, 0)
    expect(cut).toMatchObject({ left: -20, width: 1_040 })
    expect(layoutPeriod({ from: 0, to: 10_000 }, close, 2)).toEqual({ left: -20, width: 1_040 })
    expect(layoutPeriod({ from: 5_000, to: 6_000 }, close, 2)).toBeNull()
    expect(layoutPeriod({ from: 4_000, to: 4_000 }, close, 2)).toEqual({ left: 0, width: 2 })
  })
})
