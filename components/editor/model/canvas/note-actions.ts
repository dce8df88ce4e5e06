import { edit, type Refusal } from '@/components/editor/model/actions'
import type { EditorStores } from '@/components/editor/model/stores'
import { NOTHING } from '@/components/editor/model/view'
import { around } from '@/components/graph/model/boxes'
import { selectedBoxes } from './arrange-actions'
import { changedNote, freshNoteId, withNote } from './notes'

/** What is done with sticky notes. Each is one step of the history. */

/** A note where the pointer is, ready to be typed into. */
export function addNote(stores: EditorStores): Refusal {
  const id = freshNoteId(stores.draft.getState().definition)
  const at = stores.view.canvas()?.pointer() ?? { x: 0, y: 0 }
  const refused = edit(stores, 'Add a note', (before) => ({
    definition: withNote(before, at),
    refused: null,
  }))
  if (refused !== null) return refused
  stores.view.setState({ selection: { ...NOTHING, notes: new Set([id]) }, typing: { kind: 'note', id } })
  return null
}

/** Adds a note around the selection. A drag of the note moves what lies in it. */
export function frame(stores: EditorStores): Refusal {
  const { cards, notes } = selectedBoxes(stores)
  const box = around([...cards.values(), ...notes.values()])
  if (box === null) return null
  const id = freshNoteId(stores.draft.getState().definition)
  const [edge, title] = [24, 40]
  const size = { width: box.width + 2 * edge, height: box.height + edge + title }
  const at = { x: box.x - edge, y: box.y - title }
  const refused = edit(stores, 'Frame', (before) => ({
    definition: withNote(
      before,
      at,
      { width: Math.round(size.width), height: Math.round(size.height) },
      'Group',
    ),
    refused: null,
  }))
  if (refused !== null) return refused
  stores.view.setState({ selection: { ...NOTHING, notes: new Set([id]) }, typing: { kind: 'note', id } })
  return null
}

export function changeNote(
  stores: EditorStores,
  id: string,
  fields: Parameters<typeof changedNote>[2],
  label: string,
): Refusal {
  return edit(stores, label, (before) => ({ definition: changedNote(before, id, fields), refused: null }))
}
