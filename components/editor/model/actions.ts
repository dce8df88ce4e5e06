import type { EditedGate } from '@/core/pipeline/gate/edit'
import { joinEvents } from '@/core/pipeline/gate/join-events'
import { taskCatalog } from '@/tasks/contracts'
import { toggled } from '@/components/graph/model/fold'
import { around, freePlace, type Box } from '@/components/graph/model/boxes'
import type { Definition } from './draft/draft'
import { boxesOf, cardBoxes, closedOf, placesOf, spread } from './canvas/flow-drawing'
import type { EditorStores } from '@/components/editor/model/stores'
import { added, connected, doneEvent, freshId, idBeside, moved, withField, withFlow, without } from './edits'
import { gateOf, nodesOf, START, toFlow, type Flow, type Position } from './flow'
import { notesOf, withoutNotes } from './canvas/notes'
import { CARD, pinned, roomIn } from './canvas/insertion'
import { NOTHING, onlyNode, selectionOf, type Selection } from './view'
import { withNodeRenamed } from './node/rename'
import { next, reach, type Direction } from './canvas/navigation'

/** Actions of toolbar, keys, canvas and outline. Each is one step of the history. */

/** Null, or why nothing was changed, as a sentence. */
export type Refusal = string | null

/** Why an edit is refused while the text of the draft cannot be parsed. */
export const FIX_CODE_FIRST = 'Fix the code first, or undo.'

/** A change of the definition that may be refused in words. */
export function edit(
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
  return taken ? refused : FIX_CODE_FIRST
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

export const flowOf = ({ draft }: EditorStores): Flow => toFlow(draft.getState().definition)

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

const fieldsOf = (choice: Choice): { readonly [field: string]: unknown } => {
  switch (choice.kind) {
    case 'task': {
      const inputBindings = taskCatalog.get(choice.task)?.defaults
      return { task: choice.task, ...(inputBindings === undefined ? {} : { inputBindings }) }
    }
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
  const room = into === undefined ? null : roomIn(flow, boxes, into)
  const wanted = where.at ?? placeBehind(stores, behind ? boxes.get(behind.id) : undefined, boxes)
  const position = room?.at ?? freePlace({ ...wanted, ...CARD }, cardBoxes(flow).values())
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
      moved(pinned(now, placesOf(now)), spread(now, room?.moved ?? new Map())),
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
      fresh: { node: id, idChosen: false },
      placing: null,
      adding: false,
    }))
  return refused
}

const nameOf = (choice: Choice): string =>
  choice.kind === 'task' ? choice.task : choice.kind === 'pipeline' ? choice.pipeline : `wait ${choice.event}`

/** Adds an event to the start condition of a node. Another outcome of a node that it waits for already is an alternative. */
export const waitForEvent = (stores: EditorStores, id: string, event: string): Refusal =>
  editFlow(stores, `Let ${id} wait for ${event}`, (flow) => connected(flow, event, id))

/** To the right of a card; without one, in the middle of the canvas. */
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

/** Removes nodes and notes, or, where no node is given, edges. */
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
    // Edges of removed nodes are reconnected or removed.
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

export function selectAll(stores: EditorStores): void {
  const { definition } = stores.draft.getState()
  select(stores, {
    nodes: new Set(nodesOf(definition).map(({ id }) => id)),
    notes: new Set(notesOf(definition).map(({ id }) => id)),
  })
}

/** Opens or closes the card of a group of alike nodes. */
export function toggleGroup({ view }: EditorStores, card: string): void {
  const { opened, last } = toggled(view.getState().opened, card)
  view.setState({ opened, lastOpened: last })
}

/** Opens the group in which a node is folded. */
export function openGroupOf(stores: EditorStores, id: string): void {
  const card = closedOf(flowOf(stores)).cards.get(id)
  if (card !== undefined && !stores.view.getState().opened.has(card)) toggleGroup(stores, card)
}

/** Goes to the next node along an edge, or up and down. */
export function walk(stores: EditorStores, to: Direction): void {
  const flow = flowOf(stores)
  const boxes = boxesOf(flow)
  const [current] = stores.view.getState().selection.nodes
  const id = next(flow, boxes, current ?? null, to)
  if (id !== null) show(stores, id)
}

/** Selects a node and scrolls it into view. */
export function show(stores: EditorStores, id: string): void {
  select(stores, { nodes: new Set([id]) })
  stores.view.canvas()?.focus(id)
}

export function selectReach(stores: EditorStores, to: 'left' | 'right'): void {
  const { selection } = stores.view.getState()
  select(stores, { nodes: reach(flowOf(stores), selection.nodes, to) })
}

/** The name of a node; an empty one takes it away, and the id is shown. */
export function rename(stores: EditorStores, id: string, name: string): Refusal {
  return edit(stores, `Rename ${id}`, (before) => ({
    definition: withField(before, id, 'name', name.trim() === '' ? undefined : name.trim().slice(0, 200)),
    refused: null,
  }))
}

/** The id of a node. Everything that names it follows. Answers why it cannot be. */
export function renameId({ draft, view }: EditorStores, id: string, to: string): string | null {
  const { definition } = draft.getState()
  const renamed = withNodeRenamed(definition, id, to)
  if (!renamed.ok) return renamed.error
  if (renamed.value !== definition) {
    draft.edit(`Rename ${id} to ${to}`, () => renamed.value)
    view.setState(({ fresh }) => ({
      selection: selectionOf(to),
      fresh: fresh?.node === id ? { node: to, idChosen: true } : fresh,
    }))
  }
  return null
}

/** A node that was just added gets the id that its name says, as long as its author has chosen none. */
export function idFromName(stores: EditorStores, id: string): void {
  const { fresh } = stores.view.getState()
  if (fresh === null || fresh.node !== id || fresh.idChosen) return
  const nodes = nodesOf(stores.draft.getState().definition)
  const name = nodes.find((node) => node.id === id)?.['name']
  // Of a name in other letters no id can be made.
  if (typeof name !== 'string' || !/[a-z]/i.test(name)) return
  const others = new Set(nodes.filter((node) => node.id !== id).map((node) => node.id))
  renameId(stores, id, idBeside(others, name))
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
      return {
        definition: before,
        refused: `The start condition of ${id} was not changed: ${gate.error.message}.`,
      }
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
