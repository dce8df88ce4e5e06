import { gateMarks, type GateMark } from '@/components/graph/model/gate-marks'
import type { Box } from '@/components/graph/model/boxes'
import {
  gateOf,
  type Flow,
  type FlowEdge,
  type FlowNode,
  type NodeFields,
} from '@/components/editor/model/flow'
import {
  BARE,
  isOutcome,
  signal,
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  type Outcome,
} from '@/components/graph/model/drawing'
import { arrangedLayout, latestLayout } from '@/components/graph/model/arranged'
import { edgeText } from '@/components/graph/model/edge-label'
import { firstOf, fold, isGroup, type Folded } from '@/components/graph/model/fold'
import { CARD, cellOf, quickLayout, sizeOf, storedLayout, type Layout } from '@/components/graph/model/layout'
import { gateShape } from '@/core/pipeline/gate/shape'
import { parseStartWhen } from '@/core/pipeline/gate/start-when'

/**
 * The cards and lines of a draft, as the graph draws them: every outcome of a node has its handle. Pure. What is drawn of a node
 * or an edge that did not change is the same object, so that an edit draws only what it touched.
 */

const OF_A_TASK: readonly Outcome[] = ['completed', 'failed', 'skipped']
const OF_AN_APPROVAL: readonly Outcome[] = ['approved', 'rejected', 'timeout']

/** The handles from which edges of a node of this task leave. */
export const outcomesOf = (task: unknown): readonly Outcome[] =>
  task === 'approval' ? OF_AN_APPROVAL : OF_A_TASK

/** The handle at which an edge begins: events within a run of a node (its attempts, its queue) leave where it started. */
const portOf = ({ outcome }: Pick<FlowEdge, 'outcome'>): Outcome =>
  outcome === 'event' ? 'completed' : isOutcome(outcome) ? outcome : 'started'

const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value !== '' ? value : other

const drawings = new WeakMap<Flow, Drawing>()

/** What a flow looks like; the same object for the same flow. */
export function drawingOf(flow: Flow): Drawing {
  const known = drawings.get(flow)
  if (known !== undefined) return known
  const used = new Map<string, Set<Outcome>>()
  for (const edge of flow.edges) {
    const ports = used.get(edge.source)
    if (ports === undefined) used.set(edge.source, new Set([portOf(edge)]))
    else ports.add(portOf(edge))
  }
  const drawing = {
    nodes: [...flow.nodes.map((node) => drawnNode(node, used.get(node.id))), ...drawnSignals(flow)],
    edges: flow.edges.map(drawnEdge),
  }
  drawings.set(flow, drawing)
  return drawing
}

const nodesDrawn = new WeakMap<NodeFields, DrawnNode>()

function drawnNode({ id, fields }: FlowNode, used: ReadonlySet<Outcome> = new Set()): DrawnNode {
  const task = textOr(fields['task'], textOr(fields['pipeline'], '') === '' ? 'no task' : 'pipeline')
  const usual = outcomesOf(task)
  const more = [...used].filter((outcome) => !usual.includes(outcome))
  const outcomes = more.length === 0 ? usual : [...usual, ...more]
  const known = nodesDrawn.get(fields)
  if (known !== undefined && (known.outcomes === outcomes || known.outcomes.join() === outcomes.join()))
    return known
  const { gate, readable } = gateLook(gateOf(fields))
  const drawn: DrawnNode = {
    ...BARE,
    id,
    kind: 'task',
    name: textOr(fields['name'], id),
    task,
    child: typeof fields['pipeline'] === 'string' ? { pipeline: fields['pipeline'], execution: null } : null,
    gate,
    gateText: gateOf(fields),
    outcomes,
    finally: fields['finally'] === true,
    each: fields['forEach'] !== undefined,
    note: readable ? null : 'its start condition has an error',
  }
  nodesDrawn.set(fields, drawn)
  return drawn
}

/** The marks at the gate of a node. In the editor AND is shown too, because it can be switched to OR. */
function gateLook(text: string): { readonly gate: readonly GateMark[]; readonly readable: boolean } {
  const gate = parseStartWhen(text)
  const shape = gateShape(text)
  if (!gate.ok || !shape.ok) return { gate: [], readable: false }
  const marks = gateMarks(gate.value)
  return { gate: shape.value.join === 'and' ? ['and', ...marks] : marks, readable: true }
}

/** The events from outside that some gate waits for: each is a port of its own. */
function drawnSignals(flow: Flow): DrawnNode[] {
  const ids = new Set(flow.nodes.map(({ id }) => id))
  const types = new Set(flow.edges.filter(({ outcome }) => outcome === 'event').map(({ source }) => source))
  return [...types].filter((type) => !ids.has(type)).map(signal)
}

const edgesDrawn = new WeakMap<FlowEdge, DrawnEdge>()

export function drawnEdge(edge: FlowEdge): DrawnEdge {
  const known = edgesDrawn.get(edge)
  if (known !== undefined) return known
  const outcome = portOf(edge)
  const drawn: DrawnEdge = {
    id: edge.id,
    from: edge.source,
    to: edge.target,
    outcome,
    port: outcome,
    label: edgeText([edge.outcome === 'event' ? { ...edge, outcome: 'completed' } : edge]),
    critical: false,
    state: 'open',
    flowing: false,
  }
  edgesDrawn.set(edge, drawn)
  return drawn
}

const folds = new WeakMap<Flow, Folded>()
let lastFold: Folded | null = null

/** What a flow looks like with every group of alike nodes as one card; the same object for the same flow. */
export function closedOf(flow: Flow): Folded {
  const known = folds.get(flow)
  if (known !== undefined) return known
  lastFold = fold(drawingOf(flow), {}, lastFold)
  folds.set(flow, lastFold)
  return lastFold
}

const stored = new WeakMap<Flow, Layout | null>()

/** The positions of the cards of a flow that its definition holds; null: it has to be laid out. */
export function storedOf(flow: Flow): Layout | null {
  const known = stored.get(flow)
  if (known !== undefined) return known
  const given = Object.fromEntries(
    flow.nodes.flatMap(({ id, position }) => (position === null ? [] : [[id, position] as const])),
  )
  const layout = storedLayout(closedOf(flow), given)
  stored.set(flow, layout)
  return layout
}

const standIns = new WeakMap<Flow, Layout>()

/**
 * The position of every card: the stored one, else the one at which runs are drawn as well. As long as that is computed, cards stay where
 * they were drawn last.
 */
export function cardPlaces(flow: Flow): Layout {
  const closed = closedOf(flow)
  const found = storedOf(flow) ?? arrangedLayout(closed, 'right') ?? standIns.get(flow)
  if (found !== undefined) return found
  const before = latestLayout('right')
  const known = Object.fromEntries([...before].map(([id, at]) => [firstOf(id), at]))
  const standIn = storedLayout(closed, known) ?? quickLayout(closed, 'right')
  standIns.set(flow, standIn)
  return standIn
}

const layouts = new WeakMap<Layout, Layout>()

/** The position of every node. Those of a group are beside its first, as they are when it is open. */
export function placesOf(flow: Flow): Layout {
  const cards = cardPlaces(flow)
  const closed = closedOf(flow)
  if (closed.cards.size === 0) return cards
  const known = layouts.get(cards)
  if (known !== undefined) return known
  const own = new Map(flow.nodes.map(({ id, position }) => [id, position] as const))
  const places = new Map(cards)
  for (const { id: card, group } of closed.nodes) {
    const corner = cards.get(card)
    if (group === undefined || corner === undefined) continue
    const first = cellOf(0, group.ids.length, 'right')
    for (const [at, id] of group.ids.entries()) {
      const cell = cellOf(at, group.ids.length, 'right')
      places.set(id, own.get(id) ?? { x: corner.x + cell.x - first.x, y: corner.y + cell.y - first.y })
    }
  }
  layouts.set(cards, places)
  return places
}

/** The boxes of the cards, by their ids. */
export function cardBoxes(flow: Flow): ReadonlyMap<string, Box> {
  const places = cardPlaces(flow)
  return new Map(
    closedOf(flow).nodes.map((drawn) => [
      drawn.id,
      { ...(places.get(drawn.id) ?? { x: 0, y: 0 }), ...sizeOf(drawn) },
    ]),
  )
}

/** The boxes that are seen of nodes and external events, by their ids: a node of a group is seen as the card of the group. */
export function boxesOf(flow: Flow): ReadonlyMap<string, Box> {
  const boxes = cardBoxes(flow)
  const { cards } = closedOf(flow)
  if (cards.size === 0) return boxes
  return new Map(drawingOf(flow).nodes.map(({ id }) => [id, boxes.get(cards.get(id) ?? id)!]))
}

/** The boxes of all nodes at their own positions, by their ids. */
export function ownBoxesOf(flow: Flow): ReadonlyMap<string, Box> {
  const places = placesOf(flow)
  return new Map(flow.nodes.map(({ id }) => [id, { ...(places.get(id) ?? { x: 0, y: 0 }), ...CARD }]))
}

/** The nodes for which a card stands: those of a group, else itself. */
export const nodesBehind = (flow: Flow, card: string): readonly string[] =>
  (isGroup(card) ? closedOf(flow).nodes.find(({ id }) => id === card)?.group?.ids : undefined) ?? [card]

/** The edges for which a line stands. */
export const edgesBehind = (flow: Flow, line: string): readonly string[] =>
  (closedOf(flow).cards.size === 0 ? undefined : closedOf(flow).edges.find(({ id }) => id === line)?.ids) ?? [
    line,
  ]

/** Where nodes go when cards go somewhere: those of a group keep their distances. */
export function spread(flow: Flow, to: Layout): Layout {
  const { cards } = closedOf(flow)
  if (cards.size === 0) return to
  const [own, seen] = [placesOf(flow), cardPlaces(flow)]
  return new Map(
    [...to].flatMap(([card, at]) => {
      const from = seen.get(cards.get(card) ?? card) ?? at
      return nodesBehind(flow, card).map((id) => {
        const { x, y } = own.get(id) ?? from
        return [id, { x: x + at.x - from.x, y: y + at.y - from.y }] as const
      })
    }),
  )
}
