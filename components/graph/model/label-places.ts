import type { Box, Point } from './boxes'
import { labelTexts, labelWidth, LABEL_HEIGHT, VISIBLE } from './edge-label'

/** Where the labels of the edges of a graph stand, so that none covers a card or another. Pure. */

export type Label = { readonly text: string; readonly at: Point }

/** A line of level and upright parts, with what it says and where that stands where there is room. */
export type Labelled = {
  readonly id: string
  readonly points: readonly Point[]
  /** Null: it says nothing. */
  readonly label: Label | null
  /** All that it says. */
  readonly whole: string | null
}

/** Room between two labels. */
const CLEAR = 3

/** What of the end of a line must stay visible: its arrow. */
const ARROW = 18

/** How far a label goes out of its way in order not to lie on another line. */
const CROSSED = 500

/** The most positions along one part of a line. */
const MOST_ALONG = 8

/** The label of each line that has one. One that has room nowhere stands where it would stand alone. */
export function placeLabels(lines: readonly Labelled[], cards: readonly Box[]): ReadonlyMap<string, Label> {
  const placed = new Map<string, Label>()
  const taken: Box[] = []
  for (const line of lines) {
    if (line.label === null || line.whole === null) continue
    const others = lines.filter((other) => other !== line)
    const label = freeLabel(line, line.label, (box) => {
      if (cards.some((card) => overlap(box, card, 0)) || taken.some((other) => overlap(box, other, CLEAR)))
        return null
      return others.some(({ points }) => crosses(points, box)) ? CROSSED : 0
    })
    placed.set(line.id, label)
    taken.push(boxAround(label.at, label.text))
  }
  return placed
}

/** @param costOf what it costs to put a label there; null: there is no room */
function freeLabel({ points, whole }: Labelled, usual: Label, costOf: (box: Box) => number | null): Label {
  for (const text of [usual.text, ...labelTexts(whole ?? '')]) {
    let best: { readonly at: Point; readonly cost: number } | null = null
    for (const at of [usual.at, ...spotsAlong(points, labelWidth(text))]) {
      const way = Math.abs(at.x - usual.at.x) + Math.abs(at.y - usual.at.y)
      if (best !== null && way >= best.cost) continue
      const cost = costOf(boxAround(at, text))
      if (cost !== null && (best === null || cost + way < best.cost)) best = { at, cost: cost + way }
    }
    if (best !== null) return { text, at: best.at }
  }
  return usual
}

/** The middles that a label may have: on the parts of a line that are longer than it, else beside them. */
function spotsAlong(points: readonly Point[], width: number): Point[] {
  const spots: Point[] = []
  for (const [index, to] of points.entries()) {
    const from = points[index - 1]
    if (from === undefined) continue
    const isLevel = from.y === to.y
    const [own, beside] = isLevel ? [width, LABEL_HEIGHT] : [LABEL_HEIGHT, width]
    const whole = Math.abs(to.x - from.x) + Math.abs(to.y - from.y)
    const length = whole - (index === points.length - 1 ? ARROW : 0)
    const count = Math.max(1, Math.min(MOST_ALONG, Math.floor(length / LABEL_HEIGHT)))
    for (let step = 0; step < count; step++) {
      const share = whole === 0 ? 0 : ((step + 0.5) * length) / count / whole
      const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
      const off = beside / 2 + 2 * CLEAR
      const shifts = isLevel
        ? [
            { x: 0, y: -off },
            { x: 0, y: off },
          ]
        : [
            { x: off, y: 0 },
            { x: -off, y: 0 },
          ]
      const isLong = isLevel ? length >= own + VISIBLE : length >= own
      for (const { x, y } of [...(isLong ? [{ x: 0, y: 0 }] : []), ...shifts])
        spots.push({ x: at.x + x, y: at.y + y })
    }
  }
  return spots
}

function boxAround({ x, y }: Point, text: string): Box {
  const width = labelWidth(text)
  return { x: x - width / 2, y: y - LABEL_HEIGHT / 2, width, height: LABEL_HEIGHT }
}

const overlap = (a: Box, b: Box, clear: number): boolean =>
  a.x < b.x + b.width + clear &&
  b.x < a.x + a.width + clear &&
  a.y < b.y + b.height + clear &&
  b.y < a.y + a.height + clear

const crosses = (points: readonly Point[], { x, y, width, height }: Box): boolean =>
  points.some((to, at) => {
    const from = points[at - 1]
    return (
      from !== undefined &&
      Math.max(from.x, to.x) > x &&
      Math.min(from.x, to.x) < x + width &&
      Math.max(from.y, to.y) > y &&
      Math.min(from.y, to.y) < y + height
    )
  })
