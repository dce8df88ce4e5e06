import { describe, expect, it } from 'vitest'
import { roundPath, routeAround } from './route'

const card = (x: number, y: number) => ({ x, y, width: 224, height: 72 })
/** From the right edge of a card to the left edge of another. */
const ends = (from: ReturnType<typeof card>, to: ReturnType<typeof card>) =>
  [
    { x: from.x + from.width, y: from.y + 36 },
    { x: to.x, y: to.y + 36 },
  ] as const

/** Whether a part of a line is under a card. */
const isUnder = (points: readonly { x: number; y: number }[], box: ReturnType<typeof card>) =>
  points.slice(1).some((to, at) => {
    const from = points[at]!
    return (
      Math.max(from.x, to.x) > box.x &&
      Math.min(from.x, to.x) < box.x + box.width &&
      Math.max(from.y, to.y) > box.y &&
      Math.min(from.y, to.y) < box.y + box.height
    )
  })

describe('an edge', () => {
  it('is the usual line where no card is in its way, and where it leads backwards', () => {
    expect(routeAround(...ends(card(0, 0), card(288, 104)), [card(288, 300)], 'right')).toBeNull()
    expect(routeAround(...ends(card(576, 0), card(0, 0)), [card(288, 0)], 'right')).toBeNull()
  })

  it.each([
    ['in the same row', card(0, 0), card(864, 0), [card(288, 0), card(576, 0)]],
    [
      'in a lower row',
      card(0, 0),
      card(864, 104),
      [card(288, 0), card(576, 0), card(288, 104), card(576, 104)],
    ],
    ['behind a card at its bend', card(0, 0), card(864, 400), [card(450, 150)]],
    ['with the row below taken', card(0, 0), card(576, 0), [card(288, 0), card(288, 104)]],
  ])('runs under no card: %s', (_what, from, to, others) => {
    const [start, end] = ends(from, to)
    const route = routeAround(start, end, others, 'right')!
    expect(others.filter((box) => isUnder(route.points, box))).toEqual([])
    expect([route.points[0], route.points.at(-1)]).toEqual([start, end])
    expect(roundPath(route.points, 8)).toMatch(/^M[^M]*$/)
    // Downwards it is the same, turned.
    const turn = <T extends { x: number; y: number }>({ x, y }: T) => ({ x: y, y: x })
    const boxes = others.map((box) => ({ ...turn(box), width: box.height, height: box.width }))
    const down = routeAround(turn(start), turn(end), boxes, 'down')!
    expect(down.points.map(turn)).toEqual(route.points)
  })

  it('is the usual line where every way is taken', () => {
    const wall = Array.from({ length: 40 }, (_, at) => card(288, (at - 20) * 76))
    expect(routeAround(...ends(card(0, 0), card(576, 0)), wall, 'right')).toBeNull()
  })
})
