import { isExternal } from '@/core/pipeline/gate/event-type'
import type { Flow, Position } from '@/components/editor/model/flow'
import type { Places } from './arrange'
import { cardBoxes } from './flow-drawing'
import { within, type Note } from './notes'
import type { Box } from '@/components/graph/model/boxes'

/** What moves along in a drag. Pure. Notes have keys of their own, because a node may have the id of a note. */

/** What a dragged note takes along: the position at the start of the drag, and the note with its own position then. */
export type Carried = { readonly from: Position; readonly note: string; readonly begun: Position }

/** Everything that lies wholly in a dragged note and is not dragged itself, by key. */
export function carriedBy(
  flow: Flow,
  notes: readonly Note[],
  dragged: ReadonlySet<string>,
  noteKey: (id: string) => string,
): ReadonlyMap<string, Carried> {
  const carried = new Map<string, Carried>()
  if (notes.length === 0) return carried
  const boxes: (readonly [string, Box])[] = [
    ...[...cardBoxes(flow)].filter(([id]) => !isExternal(id)),
    ...notes.map((note) => [noteKey(note.id), note] as const),
  ]
  for (const note of notes) {
    const key = noteKey(note.id)
    if (!dragged.has(key)) continue
    for (const [id, box] of boxes)
      if (!dragged.has(id) && within(box, note))
        carried.set(id, { from: { x: box.x, y: box.y }, note: key, begun: { x: note.x, y: note.y } })
  }
  return carried
}

/** The positions of a drag after some moves, with everything that the moved notes take along. */
export function movedPlaces(
  before: Places,
  moves: readonly { readonly id: string; readonly position: Position }[],
  carried: ReadonlyMap<string, Carried>,
): Places {
  const places = new Map(before)
  for (const { id, position } of moves) places.set(id, position)
  for (const [id, { from, note, begun }] of carried) {
    const at = places.get(note)
    if (at !== undefined) places.set(id, { x: from.x + at.x - begun.x, y: from.y + at.y - begun.y })
  }
  return places
}
