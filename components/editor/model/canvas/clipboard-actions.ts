import { edit, select, type Refusal } from '@/components/editor/model/actions'
import type { Definition } from '@/components/editor/model/draft/draft'
import type { EditorStores } from '@/components/editor/model/stores'
import { nodesOf, toFlow, whole, type Position } from '@/components/editor/model/flow'
import { NOTHING, type Selection } from '@/components/editor/model/view'
import { around, freePlace, type Box } from '@/components/graph/model/boxes'
import { isRecord } from '@/core/pipeline/json'
import { copied, pasted, readFragment } from './clipboard'
import { boxesOf, placesOf } from './flow-drawing'
import { notesOf } from './notes'
import { CARD } from './insertion'

/** Copy, paste and duplicate. Each is one step of the history. */

/** What is selected, as text for the clipboard; null: nothing is. */
export function copySelected({ draft, view }: EditorStores): string | null {
  const { nodes, notes } = view.getState().selection
  return nodes.size + notes.size === 0 ? null : copied(draft.getState().definition, nodes, notes)
}

/** Puts the nodes of a text onto the canvas, where the pointer is or below that, where they overlap nothing. */
export function paste(stores: EditorStores, text: string): Refusal {
  const fragment = readFragment(text)
  if (!fragment.ok) return fragment.error
  const at = stores.view.canvas()?.pointer() ?? { x: 0, y: 0 }
  return putIn(stores, fragment.value, { x: at.x - CARD.width / 2, y: at.y - CARD.height / 2 }, 'Paste')
}

/** The same once more, below. */
export function duplicate(stores: EditorStores): Refusal {
  const text = copySelected(stores)
  if (text === null) return null
  const fragment = readFragment(text)
  if (!fragment.ok) return fragment.error
  const { x, y } = frameOf(fragment.value, false)
  return putIn(stores, fragment.value, { x: x + 32, y: y + 40 }, 'Duplicate')
}

/** The box around nodes and notes, with the ports of the events that they wait for or without. */
function frameOf(fragment: Definition, withPorts: boolean): Box {
  const flow = toFlow(fragment)
  const ids = new Set(flow.nodes.map(({ id }) => id))
  const boxes = [...boxesOf(flow)].flatMap(([id, box]) => (withPorts || ids.has(id) ? [box] : []))
  return around([...boxes, ...notesOf(fragment)]) ?? { x: 0, y: 0, width: 0, height: 0 }
}

/** Nodes without a position get the one at which they are shown: it would change with those that come. */
function withPlaces(definition: Definition): Definition {
  const flow = toFlow(definition)
  const shown = placesOf(flow)
  const places = flow.nodes.flatMap(({ id, position }) => {
    const place = position === null ? shown.get(id) : undefined
    return place === undefined ? [] : [[id, whole(place)] as const]
  })
  if (places.length === 0) return definition
  const given = isRecord(definition['layout']) ? definition['layout'] : {}
  return { ...definition, layout: { ...given, ...Object.fromEntries(places) } }
}

function putIn(stores: EditorStores, fragment: Definition, at: Position, verb: string): Refusal {
  let came: Pick<Selection, 'nodes' | 'notes'> = NOTHING
  const count = nodesOf(fragment).length
  const refused = edit(stores, `${verb} ${count === 1 ? '1 node' : `${count} nodes`}`, (before) => {
    const boxes = [...boxesOf(toFlow(before)).values(), ...notesOf(before)]
    const [all, cards] = [frameOf(fragment, true), frameOf(fragment, false)]
    // Ports of events stand beside the cards that wait for them.
    const [right, down] = [cards.x - all.x, cards.y - all.y]
    const free = freePlace({ ...all, x: at.x - right, y: at.y - down }, boxes)
    const after = pasted(withPlaces(before), fragment, { x: free.x + right, y: free.y + down })
    if (!after.ok) return { definition: before, refused: after.error }
    came = { nodes: new Set(after.value.nodes), notes: new Set(after.value.notes) }
    return { definition: after.value.definition, refused: null }
  })
  if (refused === null) select(stores, came)
  return refused
}
