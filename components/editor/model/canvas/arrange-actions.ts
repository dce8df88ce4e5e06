import { edit, editFlow, flowOf, type Refusal } from '@/components/editor/model/actions'
import type { EditorStores } from '@/components/editor/model/stores'
import { inserted, moved, withFlow } from '@/components/editor/model/edits'
import type { FlowEdge, Position } from '@/components/editor/model/flow'
import type { Drawing } from '@/components/graph/model/drawing'
import type { Layout } from '@/components/graph/model/layout'
import { around, type Box } from '@/components/graph/model/boxes'
import { aligned, distributed, type Alignment, type Places } from './arrange'
import { boxesOf, cardBoxes, closedOf, placesOf, spread } from './flow-drawing'
import { changedNote, notesOf } from './notes'
import { CARD, pinned, roomIn } from './insertion'

/** What moves things on the canvas. Each is one step of the history. */

/** Cards and notes to other places; the nodes of a group go with its card. */
export function place(
  stores: EditorStores,
  nodes: Places,
  notes: Places = new Map(),
  { label, group }: { readonly label?: string; readonly group?: string } = {},
): Refusal {
  const [first, ...more] = [...nodes.keys(), ...notes.keys()]
  if (first === undefined) return null
  const words = label ?? (more.length === 0 ? `Move ${first}` : `Move ${more.length + 1} nodes`)
  return edit(
    stores,
    words,
    (before) => {
      const after =
        nodes.size === 0
          ? { definition: before, refused: null }
          : withFlow(before, (flow) => moved(pinned(flow, placesOf(flow)), spread(flow, nodes)))
      let { definition } = after
      for (const [id, at] of notes) definition = changedNote(definition, id, at)
      return { definition, refused: after.refused }
    },
    group,
  )
}

/** Inserts a node into an edge. Where the edge leads backwards, the node stays where it was dropped. */
export function insert(stores: EditorStores, id: string, edge: FlowEdge, dropped: Position): Refusal {
  return editFlow(stores, `Insert ${id}`, (flow) => {
    const room = roomIn(flow, boxesOf(flow), edge)
    const places = new Map([...(room?.moved ?? []), [id, room?.at ?? dropped] as const])
    return inserted(moved(pinned(flow, placesOf(flow)), spread(flow, places)), id, edge)
  })
}

/** The cards and notes that are selected, with the places that they take up. */
export function selectedBoxes(stores: EditorStores) {
  const { nodes, notes } = stores.view.getState().selection
  return {
    cards: new Map([...boxesOf(flowOf(stores))].filter(([id]) => nodes.has(id))),
    notes: new Map(
      notesOf(stores.draft.getState().definition)
        .filter(({ id }) => notes.has(id))
        .map((note) => [note.id, note]),
    ),
  }
}

/** Moves what is selected by some units; presses that follow each other are one step. */
export function nudge(stores: EditorStores, by: Position): Refusal {
  const { cards, notes } = selectedBoxes(stores)
  const shift = (boxes: ReadonlyMap<string, Box>): Places =>
    new Map([...boxes].map(([id, { x, y }]) => [id, { x: x + by.x, y: y + by.y }]))
  return place(stores, shift(cards), shift(notes), { group: 'nudge' })
}

export function align(stores: EditorStores, to: Alignment): Refusal {
  return place(stores, aligned(selectedBoxes(stores).cards, to), new Map(), { label: `Align ${to}` })
}

export function distribute(stores: EditorStores, along: 'x' | 'y'): Refusal {
  return place(stores, distributed(selectedBoxes(stores).cards, along), new Map(), { label: 'Distribute' })
}

/** Lays the whole graph out again; its upper left corner stays where it is. */
export async function layOutAll(
  stores: EditorStores,
  layOut: (drawing: Drawing) => Promise<Layout>,
): Promise<Refusal> {
  const flow = flowOf(stores)
  const laid = await layOut(closedOf(flow))
  const boxes = cardBoxes(flow)
  const [old, now] = [around(boxes.values()), around([...laid.values()].map((at) => ({ ...at, ...CARD })))]
  if (old === null || now === null) return null
  const signals = new Set(closedOf(flow).nodes.flatMap(({ id, kind }) => (kind === 'signal' ? [id] : [])))
  const places = new Map(
    [...laid]
      .filter(([id]) => !signals.has(id))
      .map(([id, { x, y }]) => [id, { x: x - now.x + old.x, y: y - now.y + old.y }]),
  )
  return place(stores, places, new Map(), { label: 'Lay out' })
}
