import type { Layout } from '@/components/graph/layout'
import { sizeOf } from '@/components/graph/layout'
import type { EditedGate } from '@/core/pipeline/edit-start-when'
import { joinEvents } from '@/core/pipeline/join-events'
import { aligned, around, distributed, freePlace, type Alignment, type Places } from './arrange'
import { copied, pasted, readFragment } from './clipboard'
import type { Definition } from './draft'
import { boxesOf, drawingOf, placesOf } from './drawn'
import type { EditorStores } from './editor-context'
import { added, doneEvent, freshId, inserted, moved, withField, withFlow, without } from './edits'
import { gateOf, nodesOf, START, toFlow, type Flow, type FlowEdge, type Position } from './flow'
import { changedNote, freshNoteId, notesOf, withNote, withoutNotes, type Box } from './notes'
import { NOTHING, onlyNode, selectionOf, type Selection } from './view'
import { next, reach, type Direction } from './walk'

/** What toolbar, keys, canvas and outline do, each written once. All of it is one step of the history. */

/** Null, or why nothing was changed, in words for people. */
export type Refusal = string | null

const UNREADABLE = 'The code cannot be read: mend it first, or undo.'

/** A change of the definition that may be refused in words. */
function edit(
  { draft }: EditorStores,
  label: string,
  change: (definition: Definition) => { readonly definition: Definition; readonly refused: Refusal },
  group?: string,
): Refusal {
  let refused: Refusal = null
  const taken = draft.edit(
    label,
    (before) => {
      const after = change(before)
      refused = after.refused
      return after.definition
    },
    group,
  )
  return taken ? refused : UNREADABLE
}

/** A change of the graph; its start conditions follow. */
export function editFlow(
  stores: EditorStores,
  label: string,
  change: (flow: Flow) => Flow,
  group?: string,
): Refusal {
  return edit(stores, label, (before) => withFlow(before, change), group)
}

const flowOf = ({ draft }: EditorStores): Flow => toFlow(draft.getState().definition)

export const select = ({ view }: EditorStores, selection: Partial<Selection>): void =>
  view.setState({ selection: { ...NOTHING, ...selection } })

/** What is put onto the canvas: a task, another pipeline that is run, or a wait for an event from outside. */
export type Choice =
  | { readonly kind: 'task'; readonly task: string }
  | { readonly kind: 'pipeline'; readonly pipeline: string }
  | { readonly kind: 'event'; readonly event: string }

/** Where it goes; without a place: behind the only selected node, where it overlaps nothing. */
export type Where = {
  readonly at?: Position
  readonly into?: string | null
  readonly after?: string
  readonly before?: string
}

const CARD = sizeOf({ kind: 'task' }, false)

const fieldsOf = (choice: Choice): { readonly [field: string]: unknown } => {
  switch (choice.kind) {
    case 'task':
      return { task: choice.task }
    case 'pipeline':
      return { pipeline: choice.pipeline }
    case 'event':
      return { name: `Wait for ${choice.event}`, task: 'noop' }
  }
}

/** A new node, selected. */
export function add(stores: EditorStores, choice: Choice, where: Where = {}): Refusal {
  const { definition } = stores.draft.getState()
  const flow = toFlow(definition)
  const boxes = boxesOf(flow)
  const [name, fields] = [nameOf(choice), fieldsOf(choice)]
  const id = freshId(definition, name)
  const into = flow.edges.find((edge) => edge.id === where.into)
  const selected = onlyNode(stores.view.getState())
  const behind = where.at === undefined && flow.nodes.find((node) => node.id === selected)
  const after = where.after ?? (behind ? doneEvent(behind.id, behind.fields['task']) : undefined)
  const wanted = where.at ?? placeBehind(stores, behind ? boxes.get(behind.id) : undefined, boxes)
  const position = freePlace({ ...wanted, ...CARD }, boxes.values())
  const gate =
    choice.kind === 'event'
      ? {
          startWhen: [after, `external.${choice.event}`]
            .flatMap((event) => (event === undefined ? [] : [`event:${event}`]))
            .join(' && '),
        }
      : {}
  const refused = editFlow(stores, `Add ${id}`, (now) =>
    added(
      pinned(now, placesOf(now)),
      { id, fields: { ...fields, ...gate }, position },
      {
        ...(after === undefined ? {} : { after }),
        ...(where.before === undefined ? {} : { before: where.before }),
        ...(into === undefined ? {} : { into }),
      },
    ),
  )
  if (refused === null)
    stores.view.setState(({ panel }) => ({
      selection: selectionOf(id),
      panel: panel === 'outline' ? panel : 'node',
      placing: null,
      adding: false,
    }))
  return refused
}

const nameOf = (choice: Choice): string =>
  choice.kind === 'task' ? choice.task : choice.kind === 'pipeline' ? choice.pipeline : `wait ${choice.event}`

/** A new node of a task behind the selected one. */
export const addTask = (stores: EditorStores, task: string): Refusal => add(stores, { kind: 'task', task })

/** To the right of a card; without one in the middle of what is seen. */
function placeBehind(
  { view }: EditorStores,
  box: Box | undefined,
  boxes: ReadonlyMap<string, Box>,
): Position {
  if (box !== undefined) return { x: box.x + CARD.width + 64, y: box.y }
  const frame = around(boxes.values())
  if (frame === null) return { x: 0, y: 0 }
  const seen = view.canvas()?.pointer()
  return seen ?? { x: frame.x + frame.width + 64, y: frame.y }
}

/** Everything that stands where nobody placed it is placed, so that it stays where it is seen. */
const pinned = (flow: Flow, places: Layout): Flow =>
  moved(
    flow,
    new Map(
      flow.nodes.flatMap(({ id, position }) => {
        const at = position === null ? places.get(id) : undefined
        return at === undefined ? [] : [[id, at] as const]
      }),
    ),
  )

/** Cards and notes to other places. */
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
          : withFlow(before, (flow) => moved(pinned(flow, placesOf(flow)), nodes))
      let { definition } = after
      for (const [id, at] of notes) definition = changedNote(definition, id, at)
      return { definition, refused: after.refused }
    },
    group,
  )
}

/** Puts a node that is there already into an edge. */
export function insert(stores: EditorStores, id: string, edge: FlowEdge, places: Places): Refusal {
  return editFlow(stores, `Insert ${id}`, (flow) =>
    inserted(moved(pinned(flow, placesOf(flow)), places), id, edge),
  )
}

/** Takes nodes away, or, where no node is chosen, edges. */
export function remove(
  stores: EditorStores,
  nodes: ReadonlySet<string>,
  edges: ReadonlySet<string>,
  notes: ReadonlySet<string> = new Set(),
): Refusal {
  if (nodes.size + edges.size + notes.size === 0) return null
  const names = [...nodes].slice(0, 3).join(', ')
  const label =
    nodes.size > 3
      ? `Delete ${nodes.size} nodes`
      : nodes.size > 0
        ? `Delete ${names}`
        : notes.size > 0
          ? 'Delete a note'
          : 'Delete an edge'
  const refused = edit(stores, label, (before) => {
    // Edges of nodes that go are led on or go with them.
    const after = withFlow(before, (flow) => without(flow, nodes, nodes.size > 0 ? NOTHING.edges : edges))
    return { definition: withoutNotes(after.definition, notes), refused: after.refused }
  })
  if (refused === null) select(stores, NOTHING)
  return refused
}

export function removeSelected(stores: EditorStores): Refusal {
  const { nodes, edges, notes } = stores.view.getState().selection
  return remove(stores, nodes, edges, notes)
}

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
    const stands = [...boxesOf(toFlow(before)).values(), ...notesOf(before)]
    // What is pasted twice does not hide what it is a copy of.
    let free = at
    while (stands.some(({ x, y }) => Math.abs(x - free.x) < 8 && Math.abs(y - free.y) < 8))
      free = { x: free.x + 32, y: free.y + 40 }
    const after = pasted(before, fragment, free)
    if (!after.ok) return { definition: before, refused: after.error }
    came = { nodes: new Set(after.value.nodes), notes: new Set(after.value.notes) }
    return { definition: after.value.definition, refused: null }
  })
  if (refused === null) select(stores, came)
  return refused
}

export function selectAll(stores: EditorStores): void {
  const { definition } = stores.draft.getState()
  select(stores, {
    nodes: new Set(nodesOf(definition).map(({ id }) => id)),
    notes: new Set(notesOf(definition).map(({ id }) => id)),
  })
}

/** Goes to the next node along an edge, or up and down. */
export function walk(stores: EditorStores, to: Direction): void {
  const flow = flowOf(stores)
  const boxes = boxesOf(flow)
  const [current] = stores.view.getState().selection.nodes
  const id = next(flow, boxes, current ?? null, to)
  if (id !== null) show(stores, id)
}

/** Selects a node and brings it into sight. */
export function show(stores: EditorStores, id: string): void {
  select(stores, { nodes: new Set([id]) })
  stores.view.canvas()?.focus(id)
}

export function selectReach(stores: EditorStores, to: 'left' | 'right'): void {
  const { selection } = stores.view.getState()
  select(stores, { nodes: reach(flowOf(stores), selection.nodes, to) })
}

/** The cards and notes that are selected, with the places that they take up. */
function selectedBoxes(stores: EditorStores) {
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

/** Lays the whole graph out anew; its upper left corner stays where it is. */
export async function layOutAll(
  stores: EditorStores,
  layOut: (drawing: ReturnType<typeof drawingOf>) => Promise<Layout>,
): Promise<Refusal> {
  const flow = flowOf(stores)
  const laid = await layOut(drawingOf(flow))
  const boxes = boxesOf(flow)
  const [old, now] = [around(boxes.values()), around([...laid.values()].map((at) => ({ ...at, ...CARD })))]
  if (old === null || now === null) return null
  const ids = new Set(flow.nodes.map(({ id }) => id))
  const places = new Map(
    [...laid]
      .filter(([id]) => ids.has(id))
      .map(([id, { x, y }]) => [id, { x: x - now.x + old.x, y: y - now.y + old.y }]),
  )
  return place(stores, places, new Map(), { label: 'Lay out' })
}

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

/** A frame around what is selected: a note that takes along what stands in it. */
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

/** The name of a node; an empty one takes it away, and the id is shown. */
export function rename(stores: EditorStores, id: string, name: string): Refusal {
  return edit(stores, `Rename ${id}`, (before) => ({
    definition: withField(before, id, 'name', name.trim() === '' ? undefined : name.trim().slice(0, 200)),
    refused: null,
  }))
}

/** A change of the text of one gate; what is struck wholly starts at once. */
export function editGate(
  stores: EditorStores,
  id: string,
  label: string,
  change: (gate: string) => EditedGate,
): Refusal {
  return edit(stores, label, (before) => {
    const node = nodesOf(before).find((one) => one.id === id)
    if (node === undefined) return { definition: before, refused: null }
    const gate = change(gateOf(node))
    if (!gate.ok)
      return { definition: before, refused: `The start condition of ${id} stays: ${gate.error.message}.` }
    return { definition: withField(before, id, 'startWhen', gate.value ?? START), refused: null }
  })
}

/** All events of a gate are needed, or one of them is enough: the one that it was not. */
export function switchJoin(stores: EditorStores, id: string): Refusal {
  return editGate(stores, id, `Change how ${id} starts`, (gate) => {
    const any = joinEvents(gate, 'or')
    return any.ok && any.value === gate ? joinEvents(gate, 'and') : any
  })
}
