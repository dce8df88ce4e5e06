import { conditionsAt, shownAs } from '@/components/graph/model/edge-label'
import { isPosition } from '@/components/graph/model/layout'
import { limits } from '@/core/pipeline/definition/definition'
import {
  addCondition,
  addEvent,
  negateEvent,
  relabelEvent,
  removeCondition,
  removeEvent,
  setCondition,
  type EditedGate,
} from '@/core/pipeline/gate/edit'
import { eventNameOf, eventTypeOf } from '@/core/pipeline/gate/event-type'
import { gateShape } from '@/core/pipeline/gate/shape'
import { isRecord, type Result } from '@/core/pipeline/json'
import type { Definition } from './draft/draft'

/**
 * The mapping between a definition and what the canvas draws and changes. An edge is an event atom of its target's startWhen:
 * `fromFlow` writes into the gates exactly what edges came, went or changed, and nothing where none did. Pure.
 */

export type Position = { readonly x: number; readonly y: number }

/** To the whole number that a text says again: a zero below zero would be read as another. */
export const rounded = (value: number): number => Math.round(value) + 0

export const whole = ({ x, y }: Position): Position => ({ x: rounded(x), y: rounded(y) })

/** A node of the definition with all of its fields, valid or not. */
export type NodeFields = { readonly id: string; readonly [field: string]: unknown }

export type FlowNode = {
  readonly id: string
  readonly fields: NodeFields
  /** null: no position is stored. */
  readonly position: Position | null
}

export type FlowEdge = {
  readonly id: string
  /** The node, or for an event from outside its whole type. */
  readonly source: string
  /** Where it leaves the source: `completed`, `failed`, `approved` …; of an event from outside `event`. */
  readonly outcome: string
  readonly target: string
  /** The event type of the atom. */
  readonly event: string
  readonly negated: boolean
  /** The conditions that must hold beside this event, and for this event alone. */
  readonly conditions: readonly string[]
}

export type Flow = {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
  /** Nodes whose startWhen cannot be read, with the reason: they have no edges, and lose none. */
  readonly unreadable: ReadonlyMap<string, string>
}

export const START = 'event:pipeline.started'

/** The nodes that can be drawn: those with an id, the first of each, as many as a pipeline may ever have. */
export function nodesOf({ nodes }: Definition): readonly NodeFields[] {
  if (!Array.isArray(nodes)) return NO_NODES
  const known = drawable.get(nodes) ?? drawableOf(nodes)
  drawable.set(nodes, known)
  return known
}

const NO_NODES: readonly NodeFields[] = []
// Forms, lists and the canvas ask at every edit.
const drawable = new WeakMap<readonly unknown[], readonly NodeFields[]>()

function drawableOf(nodes: readonly unknown[]): readonly NodeFields[] {
  const seen = new Set<string>()
  return nodes.filter((node): node is NodeFields => {
    if (
      seen.size >= limits.nodes ||
      !isRecord(node) ||
      typeof node['id'] !== 'string' ||
      seen.has(node['id'])
    )
      return false
    seen.add(node['id'])
    return true
  })
}

export const gateOf = (node: NodeFields): string =>
  typeof node['startWhen'] === 'string' ? node['startWhen'] : START

/** The edges that end at a node, or why its gate cannot be read. */
type Incoming = Result<readonly FlowEdge[], string>

// An edit leaves the nodes that it does not touch the same objects: what is known of those is not found out again.
const incomingOf = new WeakMap<NodeFields, Incoming>()

function incoming(node: NodeFields): Incoming {
  const known = incomingOf.get(node) ?? readIncoming(node)
  incomingOf.set(node, known)
  return known
}

function readIncoming(node: NodeFields): Incoming {
  const shape = gateShape(gateOf(node))
  if (!shape.ok) return { ok: false, error: shape.error.message }
  const edges = new Map<string, FlowEdge>()
  for (const [index, { type, negated }] of shape.value.edges.entries()) {
    const edge = edgeOf(type, node.id)
    if (edge === null || edges.has(edge.id)) continue
    edges.set(edge.id, { ...edge, negated, conditions: conditionsAt(shape.value, index) })
  }
  return { ok: true, value: [...edges.values()] }
}

function positionOf(definition: Definition, id: string): Position | null {
  const layout = definition['layout']
  const at = isRecord(layout) && Object.hasOwn(layout, id) ? layout[id] : undefined
  return isRecord(at) && isPosition(at) ? { x: Number(at['x']), y: Number(at['y']) } : null
}

/** The edge for an event atom of `target`; null for events of the run, which have no node. */
export function edgeOf(
  event: string,
  target: string,
): Pick<FlowEdge, 'id' | 'source' | 'outcome' | 'target' | 'event'> | null {
  const id = `${event}>${target}`
  const { level, node } = eventTypeOf(event)
  if (level === 'external') return { id, source: event, outcome: 'event', target, event }
  if (level === 'pipeline') return null
  return { id, source: node, outcome: eventNameOf(event), target, event }
}

/** What the canvas draws of a definition, valid or not. Edges of nodes that are not there are left out, and stay in the text. */
export function toFlow(definition: Definition): Flow {
  const known = flows.get(definition)
  if (known !== undefined) return known
  const flow = readFlow(definition)
  flows.set(definition, flow)
  return flow
}

const flows = new WeakMap<Definition, Flow>()

function readFlow(definition: Definition): Flow {
  const nodes = nodesOf(definition)
  const ids = new Set(nodes.map(({ id }) => id))
  const unreadable = new Map<string, string>()
  const edges: FlowEdge[] = []
  for (const node of nodes) {
    const found = incoming(node)
    if (found.ok)
      edges.push(...found.value.filter(({ outcome, source }) => outcome === 'event' || ids.has(source)))
    else unreadable.set(node.id, found.error)
  }
  return {
    nodes: nodes.map((fields) => ({ id: fields.id, fields, position: positionOf(definition, fields.id) })),
    edges,
    unreadable,
  }
}

/**
 * The definition with what the flow says differently: nodes that are gone or new, positions, and in each gate the events of the edges
 * that came, went, turned into their opposite or got other conditions. An edge that took the place of another (its outcome or
 * its source changed) keeps what stood beside it.
 * The same definition when nothing changed; an issue when a gate would become something that cannot be read.
 */
export function fromFlow(definition: Definition, flow: Flow): Result<Definition, string> {
  const before = toFlow(definition)
  const gates = changedGates(before, flow)
  if (!gates.ok) return gates
  const nodes = listWith(definition, before, flow, gates.value)
  const layout = layoutWith(definition, before, flow)
  if (nodes === definition['nodes'] && layout === definition['layout']) return { ok: true, value: definition }
  return { ok: true, value: { ...definition, nodes, ...(layout === undefined ? {} : { layout }) } }
}

function changedGates(before: Flow, flow: Flow): Result<ReadonlyMap<string, string>, string> {
  const gates = new Map<string, string>()
  // What is only moved has the edges that it had.
  if (flow.edges === before.edges) return { ok: true, value: gates }
  const [had, has] = [byTarget(before.edges), byTarget(flow.edges)]
  for (const node of flow.nodes) {
    const [old = [], now = []] = [had.get(node.id), has.get(node.id)]
    if (old.length === now.length && old.every((edge, at) => edge === now[at])) continue
    const gate = changedGate(node, old, now)
    if (!gate.ok) return { ok: false, error: `startWhen of ${node.id}: ${gate.error}` }
    if (gate.value !== null) gates.set(node.id, gate.value)
  }
  return { ok: true, value: gates }
}

function byTarget(edges: readonly FlowEdge[]): ReadonlyMap<string, readonly FlowEdge[]> {
  const found = new Map<string, FlowEdge[]>()
  for (const edge of edges) {
    const list = found.get(edge.target)
    if (list === undefined) found.set(edge.target, [edge])
    else list.push(edge)
  }
  return found
}

type GateEdit = (text: string) => EditedGate

/** The new gate of a node, or null when its edges are as they were. */
function changedGate(
  { fields }: FlowNode,
  had: readonly FlowEdge[],
  has: readonly FlowEdge[],
): Result<string | null, string> {
  const byEvent = (edges: readonly FlowEdge[]) => new Map(edges.map((edge) => [edge.event, edge]))
  const [old, now] = [byEvent(had), byEvent(has)]
  const gone = had.filter(({ event }) => !now.has(event))
  const come = has.filter(({ event }) => !old.has(event))
  const steps: GateEdit[] = [
    ...come.slice(0, gone.length).map(
      ({ event }, at) =>
        (text: string) =>
          relabelEvent(text, gone[at]!.event, event),
    ),
    ...gone.slice(come.length).map(
      ({ event }) =>
        (text: string) =>
          removeEvent(text, event),
    ),
    ...come
      .slice(gone.length)
      .flatMap((edge): GateEdit[] => [
        (text) => addEvent(text, edge.event, joinFor(text, edge.event)),
        ...qualified({ negated: false, conditions: [] }, edge),
      ]),
    ...has.flatMap((edge) => {
      const was = old.get(edge.event)
      return was === undefined || was === edge ? [] : qualified(was, edge)
    }),
  ]
  if (steps.length === 0) return { ok: true, value: null }
  let gate = gateOf(fields)
  for (const step of steps) {
    const edited = step(gate)
    if (!edited.ok) return { ok: false, error: edited.error.message }
    gate = edited.value ?? START
  }
  return { ok: true, value: gate }
}

/** What makes of an edge one with another sign and other conditions. */
function qualified(
  was: Pick<FlowEdge, 'negated' | 'conditions'>,
  { event, negated, conditions }: FlowEdge,
): GateEdit[] {
  const turn = negated === was.negated ? [] : [(text: string) => negateEvent(text, event)]
  const gone = was.conditions.filter((shown) => !conditions.includes(shown))
  const come = conditions.filter((wanted) => !was.conditions.includes(wanted))
  const edits = gone.map((shown, at) => (text: string) => withCondition(text, event, shown, come[at] ?? null))
  const more = come.slice(gone.length).map((source) => (text: string) => addCondition(text, source, event))
  return [...turn, ...edits, ...more]
}

/** Replaces a condition of an event, or removes it (null), everywhere beside the event. */
function withCondition(text: string, event: string, shown: string, wanted: string | null): EditedGate {
  const shape = gateShape(text)
  if (!shape.ok) return shape
  const { edges, conditions } = shape.value
  let edited: EditedGate = { ok: true, value: text }
  let again = false
  for (const [at, { edge, source, negated }] of [...conditions.entries()].toReversed()) {
    if (edge === null || edges[edge]?.type !== event || shownAs(source, negated) !== shown) continue
    if (!edited.ok || edited.value === null) return edited
    // A condition under a `!` is shown in CEL's form: it is removed and added again.
    again ||= negated && wanted !== null
    edited =
      wanted === null || negated ? removeCondition(edited.value, at) : setCondition(edited.value, at, wanted)
  }
  if (!again || !edited.ok || edited.value === null || wanted === null) return edited
  return addCondition(edited.value, wanted, event)
}

/** Another outcome of a node that is waited for already is an alternative, and so is every event of a gate of alternatives. */
function joinFor(gate: string, event: string): 'and' | 'or' {
  const shape = gateShape(gate)
  if (!shape.ok) return 'and'
  const source = edgeOf(event, '')?.source
  return shape.value.join === 'or' ||
    shape.value.edges.some(({ type }) => edgeOf(type, '')?.source === source)
    ? 'or'
    : 'and'
}

function listWith(
  definition: Definition,
  before: Flow,
  flow: Flow,
  gates: ReadonlyMap<string, string>,
): unknown {
  const old = new Map(before.nodes.map(({ fields }) => [fields, fields.id]))
  const now = new Map(flow.nodes.map((node) => [node.id, node]))
  const fieldsOf = ({ id, fields }: FlowNode): NodeFields => {
    const gate = gates.get(id)
    return gate === undefined ? fields : { ...fields, startWhen: gate }
  }
  const list: readonly unknown[] = Array.isArray(definition['nodes']) ? definition['nodes'] : []
  // Members that are not drawn keep their index.
  const remaining = list.flatMap((member): unknown[] => {
    const id = old.get(member as NodeFields)
    if (id === undefined) return [member]
    const node = now.get(id)
    return node === undefined ? [] : [fieldsOf(node)]
  })
  const known = new Set(old.values())
  const next = [...remaining, ...flow.nodes.filter(({ id }) => !known.has(id)).map(fieldsOf)]
  const same = next.length === list.length && next.every((member, at) => member === list[at])
  return same ? definition['nodes'] : next
}

function layoutWith(definition: Definition, before: Flow, flow: Flow): unknown {
  const old = isRecord(definition['layout']) ? definition['layout'] : {}
  const now = new Map(flow.nodes.map((node) => [node.id, node.position]))
  const gone = before.nodes.filter(({ id }) => !now.has(id) && Object.hasOwn(old, id))
  const moved = flow.nodes.filter(({ id, position }) => {
    const at = positionOf(definition, id)
    return position !== null && (at === null || at.x !== position.x || at.y !== position.y)
  })
  if (gone.length === 0 && moved.length === 0) return definition['layout']
  const goneIds = new Set(gone.map(({ id }) => id))
  const left = Object.entries(old).filter(([id]) => !goneIds.has(id))
  // Defined one by one, so that a node named as a property of objects is a name like any other.
  return Object.fromEntries([...left, ...moved.map(({ id, position }) => [id, { ...position }] as const)])
}
