import { around, type Box, type Size } from './boxes'

/** What of a graph the canvas shows by itself. Pure. */

/** The smallest zoom at which cards are easy to read: names are 9 pixels high. */
export const READABLE = 0.7

/** The part of the canvas that a whole graph fills at most. */
const FILLED = 0.88

/** Pixels between the edge of the canvas and the graph that begins there. */
const marginIn = (room: number): number => (room < NARROW ? 8 : 32)

/** The smallest zoom of a graph that is not too small for it. */
const LEAST = 0.05

export type Camera = { readonly x: number; readonly y: number; readonly zoom: number }

/** The zoom at which all boxes are seen, at most 1. */
export function zoomOfAll(boxes: Iterable<Box>, frame: Size): number {
  const all = around(boxes)
  if (all === null) return 1
  return Math.min(1, (frame.width * FILLED) / all.width, (frame.height * FILLED) / all.height)
}

/** How far one can zoom out: to the whole graph, however large it is, also in a canvas that becomes smaller. */
export const leastZoom = (boxes: Iterable<Box>, frame: Size): number =>
  Math.min(LEAST, zoomOfAll(boxes, frame) / 2)

/** Pixels at the lower edge of a canvas in which its buttons are. */
const BUTTONS = 48

/** The part of a canvas that no button covers. */
export const freePart = ({ width, height }: Size): Size => ({ width, height: Math.max(1, height - BUTTONS) })

/** The whole graph in the middle of the canvas. */
export function wholeView(boxes: Iterable<Box>, frame: Size): Camera {
  const all = around(boxes) ?? { x: 0, y: 0, width: 0, height: 0 }
  const zoom = zoomOfAll([all], frame)
  return {
    x: (frame.width - all.width * zoom) / 2 - all.x * zoom,
    y: (frame.height - all.height * zoom) / 2 - all.y * zoom,
    zoom,
  }
}

/**
 * The view with which a graph opens: the whole of it where its cards can be read then or are hundreds, else its beginning (or what is around `at`) at a
 * zoom at which they can, chosen so that the edge of the canvas cuts as few cards as possible.
 */
export function openingView(boxes: readonly Box[], frame: Size, at: Box | null = null): Camera {
  const all = around(boxes)
  if (all === null || zoomOfAll(boxes, frame) >= READABLE) return wholeView(boxes, frame)
  const isNarrow = frame.width < NARROW
  if (at === null && boxes.length > MOST_TO_READ && !isNarrow) return wholeView(boxes, frame)
  const from = at ?? firstOf(boxes, isNarrow)
  let best: { camera: Camera; cut: number } | null = null
  for (const zoom of isNarrow ? ZOOMS.toReversed() : ZOOMS) {
    const spanX = { low: all.x, length: all.width, from: from.x, own: from.width }
    const spanY = { low: all.y, length: all.height, from: from.y, own: from.height }
    for (const shift of SHIFTS) {
      const camera = {
        x: at === null ? fromStart(spanX, frame.width, zoom) : inMiddle(spanX, frame.width, zoom, 0),
        y: inMiddle(spanY, frame.height, zoom, shift),
        zoom,
      }
      const cut = cutBy(boxes, camera, frame)
      if (cut === 0) return camera
      if (best === null || cut < best.cut) best = { camera, cut }
    }
  }
  return best!.camera
}

/** Of more cards nobody reads all: what a graph of hundreds is like is seen from far. Downwards, on a narrow screen, it is but a line. */
export const MOST_TO_READ = 150

/** On a narrow screen a few cards that are easy to read are better than many. */
export const NARROW = 560

const ZOOMS = Array.from({ length: 16 }, (_, at) => READABLE + at * 0.02)

/** How far the view may be moved up or down so that it cuts no card, in pixels. */
const SHIFTS = [0, 8, -8, 16, -16, 24, -24, 32, -32, 40, -40]

/** The card that is first from the left, of several the highest; on a narrow screen, where graphs go down, first from above. */
function firstOf(boxes: readonly Box[], isNarrow: boolean): Box {
  const [along, across] = isNarrow ? (['y', 'x'] as const) : (['x', 'y'] as const)
  return boxes.reduce((first, box) =>
    box[along] < first[along] || (box[along] === first[along] && box[across] < first[across]) ? box : first,
  )
}

type Span = {
  /** Where the graph begins, and how long it is. */
  readonly low: number
  readonly length: number
  /** Where what has to be seen begins, and how long it is. */
  readonly from: number
  readonly own: number
}

/** Whether all of a length is whole in a canvas, if not with the usual margins. */
const hasRoom = (length: number, room: number): boolean =>
  length <= room - 2 * Math.min(WHOLE, marginIn(room))

/** The offset of the view along one axis: all where there is room for it, else from the beginning of what has to be seen. */
function fromStart({ low, length, from }: Span, room: number, zoom: number): number {
  return hasRoom(length * zoom, room) ? (room - length * zoom) / 2 - low * zoom : marginIn(room) - from * zoom
}

/** The same with what has to be seen in the middle, but never beyond the ends of the graph. */
function inMiddle(span: Span, room: number, zoom: number, shift: number): number {
  const { low, length, from, own } = span
  const margin = marginIn(room)
  if (hasRoom(length * zoom, room)) return fromStart(span, room, zoom)
  if (own * zoom > room - 2 * margin) return fromStart(span, room, zoom) + shift
  const middle = room / 2 - (from + own / 2) * zoom + shift
  return Math.max(room - margin - (low + length) * zoom, Math.min(margin - low * zoom, middle))
}

/** How many boxes the edge of the canvas cuts. */
function cutBy(boxes: readonly Box[], { x, y, zoom }: Camera, { width, height }: Size): number {
  const [left, top, right, bottom] = [-x / zoom, -y / zoom, (width - x) / zoom, (height - y) / zoom]
  let cut = 0
  for (const box of boxes) {
    const [end, low] = [box.x + box.width, box.y + box.height]
    if (box.x >= right || end <= left || box.y >= bottom || low <= top) continue
    if (box.x < left || end > right || box.y < top || low > bottom) cut++
  }
  return cut
}

/** What sticks out of a card (its gate, its handles), and air: so far from the edge of the canvas it is whole. Pixels. */
const WHOLE = 14

/** How far from the edge of the canvas a box comes that is moved into view, in pixels. */
const BORDER = 72

/** Whether all of a box is in a canvas. */
export function isSeen(box: Box, { x, y, zoom }: Camera, frame: Size): boolean {
  const [left, top] = [box.x * zoom + x, box.y * zoom + y]
  const [right, low] = [left + box.width * zoom, top + box.height * zoom]
  return left >= WHOLE && top >= WHOLE && right <= frame.width - WHOLE && low <= frame.height - WHOLE
}

/**
 * The view in which all of a box is seen: the present one where it is; else moved only as far as it must, so that what is around stays
 * in view; where the box is far, or larger than the canvas at this zoom, it is in the middle.
 */
export function revealingView(box: Box, camera: Camera, boxes: readonly Box[], frame: Size): Camera {
  if (isSeen(box, camera, frame)) return camera
  const { x, y, zoom } = camera
  const [byX, byY] = [
    shift(box.x * zoom + x, box.width * zoom, frame.width),
    shift(box.y * zoom + y, box.height * zoom, frame.height),
  ]
  if (byX === null || byY === null) return openingView(boxes, frame, box)
  if (Math.abs(byX) < frame.width / 2 && Math.abs(byY) < frame.height / 2)
    return { x: x + byX, y: y + byY, zoom }
  return {
    x: frame.width / 2 - (box.x + box.width / 2) * zoom,
    y: frame.height / 2 - (box.y + box.height / 2) * zoom,
    zoom,
  }
}

/** How far a span must be moved to lie within a length; null: it is longer. */
function shift(from: number, length: number, room: number): number | null {
  if (length > room - 2 * WHOLE) return null
  const border = Math.min(BORDER, (room - length) / 2)
  if (from >= WHOLE && from + length <= room - WHOLE) return 0
  return from < WHOLE ? border - from : room - border - length - from
}
