import { describe, expect, it } from 'vitest'
import type { Box } from './boxes'
import {
  isSeen,
  leastZoom,
  openingView,
  READABLE,
  revealingView,
  wholeView,
  zoomOfAll,
  type Camera,
} from './camera'

describe('the whole graph is shown', () => {
  it('as long as its cards can be read', () => {
    const card = (x: number) => ({ x, y: 0, width: 224, height: 60 })
    const frame = { width: 900, height: 600 }
    expect(zoomOfAll([card(0), card(300)], frame)).toBe(1)
    expect(zoomOfAll([card(0), card(900)], frame)).toBeGreaterThan(READABLE)
    expect(zoomOfAll([card(0), card(3000)], frame)).toBeLessThan(READABLE)
    expect(zoomOfAll([], frame)).toBe(1)
  })
})

describe('a graph opens', () => {
  const card = (x: number, y: number): Box => ({ x, y, width: 224, height: 72 })
  const row = (count: number) => Array.from({ length: count }, (_, at) => card(at * 288, 0))
  const frame = { width: 1216, height: 720 }
  /** The cards as the canvas shows them. */
  const seen = (boxes: readonly Box[], { x, y, zoom }: Camera) =>
    boxes.map((box) => ({
      left: box.x * zoom + x,
      top: box.y * zoom + y,
      right: (box.x + box.width) * zoom + x,
      bottom: (box.y + box.height) * zoom + y,
    }))
  const cut = (boxes: readonly Box[], camera: Camera, { width, height } = frame) =>
    seen(boxes, camera).filter(
      ({ left, top, right, bottom }) =>
        left < width &&
        right > 0 &&
        top < height &&
        bottom > 0 &&
        (left < 0 || right > width || top < 0 || bottom > height),
    )

  it.each([
    ['four cards in a row', row(4)],
    ['eight cards in a row', row(8)],
    ['thirty cards in a row', row(30)],
    ['a column of thirty', Array.from({ length: 30 }, (_, at) => card(0, at * 104))],
    [
      'a block of 10 by 15',
      Array.from({ length: 150 }, (_, at) => card((at % 10) * 288, Math.floor(at / 10) * 104)),
    ],
  ])('at a zoom at which its cards can be read, none of them cut: %s', (_what, boxes) => {
    const view = openingView(boxes, frame)
    expect(view.zoom).toBeGreaterThanOrEqual(READABLE)
    expect(cut(boxes, view)).toEqual([])
    const [first] = seen(boxes, view)
    expect(first!.left).toBeGreaterThanOrEqual(0)
    expect(first!.left).toBeLessThan(frame.width)
  })

  it('with the node that is asked for', () => {
    const boxes = row(30)
    const view = openingView(boxes, frame, boxes[20])
    const at = seen(boxes, view)[20]!
    expect(at.left).toBeGreaterThan(0)
    expect(at.right).toBeLessThan(frame.width)
  })

  it('with air on both sides, where all has just room', () => {
    const narrow = { width: 796, height: 500 }
    for (const at of [null, ...row(4)])
      for (const { left, right } of seen(row(4), openingView(row(4), narrow, at))) {
        expect(left).toBeGreaterThanOrEqual(14)
        expect(right).toBeLessThanOrEqual(narrow.width - 14)
      }
  })

  it('as a whole where that can be read, or where there are hundreds; a whole that is asked for is seen, however large it is', () => {
    expect(openingView(row(3), frame)).toEqual(wholeView(row(3), frame))
    expect(openingView(row(300), frame)).toEqual(wholeView(row(300), frame))
    const phone = { width: 390, height: 500 }
    expect(openingView(row(300), phone).zoom).toBeGreaterThanOrEqual(READABLE)
    expect(openingView(row(300), frame, row(300)[7]).zoom).toBeGreaterThanOrEqual(READABLE)
    const boxes = Array.from({ length: 1_890 }, (_, at) => card(0, at * 104))
    const view = wholeView(boxes, frame)
    expect(seen(boxes, view).every(({ top, bottom }) => top >= 0 && bottom <= frame.height)).toBe(true)
    expect(leastZoom(boxes, frame)).toBeLessThan(view.zoom)
  })
})

describe('a card is brought into view', () => {
  const card = (x: number, y: number): Box => ({ x, y, width: 224, height: 72 })
  const frame = { width: 1000, height: 600 }
  const start = { x: 0, y: 0, zoom: 1 }

  it('also where the corner of the canvas cuts what sticks out of it', () => {
    expect(isSeen(card(0, 0), start, frame)).toBe(false)
    expect(isSeen(card(20, 20), start, frame)).toBe(true)
    const view = revealingView(card(0, 0), start, [card(0, 0)], frame)
    expect(isSeen(card(0, 0), view, frame)).toBe(true)
  })

  it('as near as it must be, so that its surroundings stay in view', () => {
    expect(revealingView(card(20, 20), start, [], frame)).toBe(start)
    const { x, y } = revealingView(card(900, 20), start, [], frame)
    expect(x).toBeLessThan(-124)
    expect(x).toBeGreaterThan(-224)
    expect(y).toBe(0)
  })

  it('into the middle where it is far', () => {
    expect(revealingView(card(9_000, 0), start, [], frame).x).toBe(500 - 9_112)
  })

  it('at another zoom where it has no room at this one', () => {
    const close = { x: 0, y: 0, zoom: 2 }
    const small = { width: 390, height: 300 }
    const view = revealingView(card(0, 0), close, [card(0, 0)], small)
    expect(isSeen(card(0, 0), view, small)).toBe(true)
  })
})
