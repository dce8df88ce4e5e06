import { describe, expect, it } from 'vitest'
import { cameAtOnce, READABLE, zoomOfAll } from './fit'

describe('the whole graph is shown', () => {
  it('when a text brings several nodes, and not when one is added', () => {
    expect(cameAtOnce(new Set(['old']), ['a', 'b'])).toEqual(['a', 'b'])
    expect(cameAtOnce(new Set(), ['a'])).toEqual([])
    expect(cameAtOnce(new Set(['a']), ['a', 'b'])).toEqual([])
    expect(cameAtOnce(new Set(['a', 'b']), ['a'])).toEqual([])
  })

  it('as long as its cards can be read', () => {
    const card = (x: number) => ({ x, y: 0, width: 224, height: 60 })
    const frame = { width: 900, height: 600 }
    expect(zoomOfAll([card(0), card(300)], frame)).toBe(1)
    expect(zoomOfAll([card(0), card(900)], frame)).toBeGreaterThan(READABLE)
    expect(zoomOfAll([card(0), card(3000)], frame)).toBeLessThan(READABLE)
    expect(zoomOfAll([], frame)).toBe(1)
  })
})
