import { describe, expect, it } from 'vitest'
import type { Box, Point } from './boxes'
import { labelWidth, LABEL_HEIGHT } from './edge-label'
import { placeLabels, type Label, type Labelled } from './label-places'
import { usualRoute } from './route'

const card = (x: number, y: number): Box => ({ x, y, width: 224, height: 72 })

function line(
  id: string,
  from: Point,
  to: Point,
  whole: string | null,
  direction: 'right' | 'down',
): Labelled {
  const { points, label } = usualRoute(from, to, direction)!
  return { id, points, whole, label: whole === null ? null : { text: whole, at: label } }
}

const boxOf = ({ text, at }: Label): Box => ({
  x: at.x - labelWidth(text) / 2,
  y: at.y - LABEL_HEIGHT / 2,
  width: labelWidth(text),
  height: LABEL_HEIGHT,
})

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function overlaps(labels: readonly Label[], cards: readonly Box[]): number {
  const boxes = labels.map(boxOf)
  return boxes.flatMap((box, at) => [...cards, ...boxes.slice(at + 1)].filter((other) => overlap(box, other)))
    .length
}

const condition = 'if count.flights > 0'

describe('the labels of edges', () => {
  it('stand where they would stand alone, as long as nothing is there', () => {
    const lines = [line('a', { x: 224, y: 36 }, { x: 600, y: 36 }, condition, 'right')]
    const [card1, card2] = [card(0, 0), card(600, 0)]
    expect(placeLabels(lines, [card1, card2]).get('a')).toEqual(lines[0]!.label)
  })

  it.each([
    ['down, to two cards side by side', [card(124, 0), card(0, 160), card(248, 160)], 'down'],
    ['to the right, where the gap is small', [card(0, 130), card(304, 60), card(304, 200)], 'right'],
  ] as const)('cover no card and no other label: %s', (_what, cards, direction) => {
    const [source, ...targets] = cards
    const [from, ...to] = [source, ...targets].map((box, at) =>
      direction === 'right'
        ? { x: box.x + (at === 0 ? box.width : 0), y: box.y + box.height / 2 }
        : { x: box.x + box.width / 2, y: box.y + (at === 0 ? box.height : 0) },
    )
    const lines = to.map((end, at) => line(String(at), from!, end, condition, direction))
    const alone = lines.map(({ label }) => label!)
    expect(overlaps(alone, cards)).toBeGreaterThan(0)
    const placed = [...placeLabels(lines, cards).values()]
    expect(placed).toHaveLength(2)
    expect(overlaps(placed, cards)).toBe(0)
  })

  it('stand on their own part of a line, not where several lines are one', () => {
    const from = { x: 224, y: 36 }
    const lines = [
      line('near', from, { x: 448, y: 140 }, null, 'right'),
      line('far', from, { x: 448, y: 348 }, 'failed', 'right'),
    ]
    const { at } = placeLabels(lines, [card(0, 0), card(448, 104), card(448, 312)]).get('far')!
    expect(at.y - LABEL_HEIGHT / 2).toBeGreaterThan(140)
  })

  it('are cut where all of them has room nowhere, but say what they are about', () => {
    const cards = [card(0, 0), card(304, 0), card(0, -80), card(304, -80), card(0, 80), card(304, 80)]
    const lines = [line('a', { x: 224, y: 36 }, { x: 304, y: 36 }, `${condition} && more`, 'right')]
    const { text } = placeLabels(lines, cards).get('a')!
    expect(text).toMatch(/^if count.*…$/)
  })
})
