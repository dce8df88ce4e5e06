import { edit, select, type Refusal } from '@/components/editor/model/actions'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { EditorStores } from '@/components/editor/model/stores'
import { nodesOf, toFlow, type Position } from '@/components/editor/model/flow'
import { NOTHING, type Selection } from '@/components/editor/model/view'
import { around } from '@/components/graph/model/boxes'
import { copied, pasted, readFragment } from './clipboard'
import { boxesOf } from './flow-drawing'
import { notesOf } from './notes'
import { CARD } from './insertion'

/** Copy, paste and duplicate. Each is one step of the history. */

/** What is selected, as text for the clipboard; null: nothing is. */
export function copySelected({ draft, view }: EditorStores): string | null {
  const { nodes, notes } = view.getState().selection
  return nodes.size + notes.size === 0 ? null : copied(draft.getState().definition, nodes, notes)
}

/** Puts the nodes of a text onto the canvas, where the pointer is. */
export function paste(stores: EditorStores, text: string): Refusal {
  const fragment = readFragment(text)
  if (!fragment.ok) return fragment.error
  const at = stores.view.canvas()?.pointer() ?? { x: 0, y: 0 }
  return putIn(stores, fragment.value, { x: at.x - CARD.width / 2, y: at.y - CARD.height / 2 }, 'Paste')
}

/** The same once more, a little below. */
export function duplicate(stores: EditorStores): Refusal {
  const text = copySelected(stores)
  if (text === null) return null
  const fragment = readFragment(text)
  if (!fragment.ok) return fragment.error
  const frame = around([...boxesOf(toFlow(fragment.value)).values(), ...notesOf(fragment.value)])
  return putIn(stores, fragment.value, { x: (frame?.x ?? 0) + 32, y: (frame?.y ?? 0) + 40 }, 'Duplicate')
}

function putIn(stores: EditorStores, fragment: Definition, at: Position, verb: string): Refusal {
  let came: Pick<Selection, 'nodes' | 'notes'> = NOTHING
  const count = nodesOf(fragment).length
  const refused = edit(stores, `${verb} ${count === 1 ? '1 node' : `${count} nodes`}`, (before) => {
    const boxes = [...boxesOf(toFlow(before)).values(), ...notesOf(before)]
    // What is pasted twice does not hide what it is a copy of.
    let free = at
    while (boxes.some(({ x, y }) => Math.abs(x - free.x) < 8 && Math.abs(y - free.y) < 8))
      free = { x: free.x + 32, y: free.y + 40 }
    const after = pasted(before, fragment, free)
    if (!after.ok) return { definition: before, refused: after.error }
    came = { nodes: new Set(after.value.nodes), notes: new Set(after.value.notes) }
    return { definition: after.value.definition, refused: null }
  })
  if (refused === null) select(stores, came)
  return refused
}
