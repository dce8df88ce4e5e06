import {
  gateOf,
  type Flow,
  type FlowEdge,
  type FlowNode,
  type NodeFields,
} from '@/components/editor/model/flow'
import {
  BARE,
  gateMarks,
  isOutcome,
  signal,
  type Drawing,
  type DrawnEdge,
  type DrawnNode,
  type GateMark,
  type Outcome,
} from '@/components/graph/model/drawing'
import { quickLayout, sizeOf, storedLayout, type Layout } from '@/components/graph/model/layout'
import { gateShape } from '@/core/pipeline/gate/shape'
import { parseStartWhen } from '@/core/pipeline/gate/start-when'
import type { Box } from './notes'

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
  const words = [
    edge.negated ? 'not' : '',
    edge.outcome === 'completed' || edge.outcome === 'event' ? '' : edge.outcome,
    ...edge.conditions.map((condition) => `if ${condition}`),
  ].filter((word) => word !== '')
  const drawn: DrawnEdge = {
    id: edge.id,
    from: edge.source,
    to: edge.target,
    outcome,
    port: outcome,
    label: words.length === 0 ? null : words.join(' '),
    critical: false,
    state: 'open',
    flowing: false,
  }
  edgesDrawn.set(edge, drawn)
  return drawn
}

const layouts = new WeakMap<Flow, Layout>()

/** The position of every node: the stored one, else one in columns after what the node waits for. */
export function placesOf(flow: Flow): Layout {
  const known = layouts.get(flow) ?? placed(flow)
  layouts.set(flow, known)
  return known
}

function placed(flow: Flow): Layout {
  const drawing = drawingOf(flow)
  const given = Object.fromEntries(
    flow.nodes.flatMap(({ id, position }) => (position === null ? [] : [[id, position] as const])),
  )
  const stored = storedLayout(drawing, given, false)
  if (stored !== null) return stored
  const columns = quickLayout(drawing, 'right', false)
  const below = Math.max(0, ...Object.values(given).map(({ y }) => y + 120))
  const none = Object.keys(given).length === 0
  return new Map(
    [...columns].map(([id, at]) => [
      id,
      Object.hasOwn(given, id) ? given[id]! : { x: at.x, y: at.y + (none ? 0 : below) },
    ]),
  )
}

/** The places that the cards take up. */
export function boxesOf(flow: Flow): ReadonlyMap<string, Box> {
  const places = placesOf(flow)
  return new Map(
    drawingOf(flow).nodes.map((drawn) => [
      drawn.id,
      { ...(places.get(drawn.id) ?? { x: 0, y: 0 }), ...sizeOf(drawn, false) },
    ]),
  )
}
