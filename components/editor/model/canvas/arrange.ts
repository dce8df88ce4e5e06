import type { Position } from '@/components/editor/model/flow'
import { around, type Box } from '@/components/graph/model/boxes'

/** Positions of boxes relative to each other. Pure. */

/** The upper left corners of boxes, by their ids. */
export type Places = ReadonlyMap<string, Position>

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'

/** Puts boxes on one line: an edge of the box around them, or its middle. */
export function aligned(boxes: ReadonlyMap<string, Box>, to: Alignment): Places {
  const frame = around(boxes.values())
  if (frame === null) return new Map()
  return new Map(
    [...boxes].map(([id, box]) => {
      const [right, down] = [frame.width - box.width, frame.height - box.height]
      const x = { left: 0, centre: right / 2, right }[to as 'left']
      const y = { top: 0, middle: down / 2, bottom: down }[to as 'top']
      return [id, { x: x === undefined ? box.x : frame.x + x, y: y === undefined ? box.y : frame.y + y }]
    }),
  )
}

/** Makes the gaps between boxes equal; the outermost two stay. */
export function distributed(boxes: ReadonlyMap<string, Box>, along: 'x' | 'y'): Places {
  const side = along === 'x' ? 'width' : 'height'
  const row = [...boxes].toSorted(([, a], [, b]) => a[along] - b[along])
  const [first, last] = [row[0]?.[1], row.at(-1)?.[1]]
  if (first === undefined || last === undefined || row.length < 3) return new Map()
  const filled = row.reduce((sum, [, box]) => sum + box[side], 0)
  const gap = (last[along] + last[side] - first[along] - filled) / (row.length - 1)
  let at = first[along]
  return new Map(
    row.map(([id, box]) => {
      const place = { x: box.x, y: box.y, [along]: at }
      at += box[side] + gap
      return [id, place]
    }),
  )
}
