import { describe, expect, it } from 'vitest'
import { toastSpot } from './toast-spot'

const frame = { width: 390, height: 844 }
const toast = { width: 320, height: 80 }
const rect = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom })

describe('a message appears', () => {
  it('in the lower right corner', () => {
    expect(toastSpot(toast, [], frame)).toEqual({ left: 54, bottom: 16 })
  })

  it('above controls that are there', () => {
    const { bottom } = toastSpot(toast, [rect(0, 800, 390, 844)], frame)
    expect(bottom).toBeGreaterThanOrEqual(44)
    expect(bottom).toBeLessThan(60)
  })

  it('beside them, where there is room', () => {
    const wide = { width: 1440, height: 900 }
    const { left, bottom } = toastSpot(toast, [rect(1200, 500, 1440, 900)], wide)
    expect([left, bottom]).toEqual([552, 16])
  })

  it('where it covers the least, when it covers something everywhere', () => {
    const rows = Array.from({ length: 20 }, (_, at) => rect(0, at * 44, at < 10 ? 390 : 60, at * 44 + 40))
    const { bottom } = toastSpot(toast, rows, frame)
    expect(bottom).toBeLessThan(400)
  })

  it('within the window, however small that is', () => {
    expect(toastSpot(toast, [rect(0, 0, 300, 60)], { width: 300, height: 60 }).left).toBe(0)
  })
})
