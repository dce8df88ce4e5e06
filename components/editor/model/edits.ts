import { isReservedId } from '@/core/pipeline/definition/reserved'
import type { Definition } from './draft/draft'
import {
  edgeOf,
  fromFlow,
  nodesOf,
  START,
  toFlow,
  type Flow,
  type FlowEdge,
  type FlowNode,
  type Position,
  whole,
} from './flow'

/** Edits of the flow, as the canvas makes them. Pure. */

export const moved = (flow: Flow, to: ReadonlyMap<string, Position>): Flow => ({
  ...flow,
  nodes: flow.nodes.map((node) => {
    const at = to.get(node.id)
    return at === undefined ? node : { ...node, position: whole(at) }
  }),
})

export const connected = (flow: Flow, event: string, target: string): Flow =>
  connectedAll(flow, [event], [target])

/** With an edge from each event to each target; those that are there already stay as they are. */
export function connectedAll(flow: Flow, events: readonly string[], targets: readonly string[]): Flow {
  const known = new Set(flow.edges.map(({ id }) => id))
  const more = targets.flatMap((target) =>
    events.flatMap((event): FlowEdge[] => {
      const edge = edgeOf(event, target)
      if (edge === null || known.has(edge.id)) return []
      return [{ ...edge, negated: false, conditions: [] }]
    }),
  )
  return more.length === 0 ? flow : { ...flow, edges: [...flow.edges, ...more] }
}

/**
 * Without these nodes and edges. What waited for the completion of a node that goes waits for what that node waited for, where
 * that was one event: a chain stays a chain.
 */
export function without(flow: Flow, nodeIds: ReadonlySet<string>, edgeIds: ReadonlySet<string>): Flow {
  const before = (id: string): string | null => {
    const incoming = flow.edges.filter((edge) => edge.target === id)
    const [only] = incoming
    if (incoming.length !== 1 || only === undefined || only.negated) return null
    return nodeIds.has(only.source) ? (only.outcome === 'completed' ? before(only.source) : null) : only.event
  }
  const edges = new Map<string, FlowEdge>()
  for (const edge of flow.edges) {
    if (nodeIds.has(edge.target) || edgeIds.has(edge.id)) continue
    const event = nodeIds.has(edge.source)
      ? edge.outcome === 'completed'
        ? before(edge.source)
        : null
      : edge.event
    const led = event === null ? null : edgeOf(event, edge.target)
    if (led !== null && !edges.has(led.id)) edges.set(led.id, { ...edge, ...led })
  }
  return { ...flow, nodes: flow.nodes.filter(({ id }) => !nodeIds.has(id)), edges: [...edges.values()] }
}

/** The same edges with some of them others: ends, sign, conditions. */
export function relinked(
  flow: Flow,
  id: string,
  change: Partial<Pick<FlowEdge, 'negated' | 'conditions'>>,
): Flow {
  return { ...flow, edges: flow.edges.map((edge) => (edge.id === id ? { ...edge, ...change } : edge)) }
}

/** An edge led elsewhere, with its sign and its conditions; nothing where that edge is there already. */
export function reconnected(flow: Flow, id: string, event: string, target: string): Flow {
  const ends = edgeOf(event, target)
  if (ends === null || flow.edges.some((edge) => edge.id === ends.id)) return flow
  return { ...flow, edges: flow.edges.map((edge) => (edge.id === id ? { ...edge, ...ends } : edge)) }
}

/** The event that a node of this task publishes when it ended well. */
export const doneEvent = (id: string, task: unknown): string =>
  `${id}.${task === 'approval' ? 'approved' : 'completed'}`

/** A node that is there already, put into an edge: it starts as the target did, and the target waits for it. */
export function inserted(flow: Flow, id: string, into: FlowEdge): Flow {
  const node = flow.nodes.find((one) => one.id === id)
  if (node === undefined || into.source === id || into.target === id) return flow
  const outgoing = edgeOf(doneEvent(id, node.fields['task']), into.target)
  const incoming = edgeOf(into.event, id)
  if (outgoing === null || incoming === null) return flow
  const led = flow.edges.map((edge) =>
    edge.id === into.id ? { ...edge, ...outgoing, negated: false, conditions: [] } : edge,
  )
  return { ...flow, edges: [...led, { ...incoming, negated: into.negated, conditions: into.conditions }] }
}

/** Whether a node waits for nothing and nothing waits for it. */
export const isLoose = (flow: Flow, id: string): boolean =>
  flow.edges.every(({ source, target }) => source !== id && target !== id)

/** An id that no node has yet: `query`, `query_2`, … */
export function freshId(definition: Definition, wanted: string): string {
  return idBeside(new Set(nodesOf(definition).map(({ id }) => id)), wanted)
}

/**
 * A legal id made of a text, beside those that are taken. Who asks for many keeps `tried`: the last number of each word, since
 * counting from the start each time costs the square.
 */
export function idBeside(
  taken: Pick<ReadonlySet<string>, 'has'>,
  wanted: string,
  tried = new Map<string, number>(),
): string {
  const isTaken = (id: string) => taken.has(id) || isReservedId(id)
  const plain = wanted
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const base =
    plain
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[^a-z]+|_+$/g, '')
      .slice(0, 50) || 'node'
  if (!isTaken(base)) return base
  let number = (tried.get(base) ?? 1) + 1
  while (isTaken(`${base}_${number}`)) number += 1
  tried.set(base, number)
  return `${base}_${number}`
}

/** A new node; `after` names the event that starts it, `before` the node that it starts, `into` the edge into which it is put. */
export function added(
  flow: Flow,
  node: {
    readonly id: string
    readonly fields: { readonly [field: string]: unknown }
    readonly position: Position
  },
  where: { readonly after?: string; readonly before?: string; readonly into?: FlowEdge } = {},
): Flow {
  const { id } = node
  const startWhen = node.fields['startWhen'] ?? (where.after === undefined ? START : `event:${where.after}`)
  // In the order in which they are written.
  const { inputBindings, ...others } = node.fields
  const given = inputBindings === undefined ? {} : { inputBindings }
  const fields = { id, ...others, startWhen, ...given }
  const fresh: FlowNode = { id, fields, position: whole(node.position) }
  const grown: Flow = { ...flow, nodes: [...flow.nodes, fresh] }
  if (where.into !== undefined) return inserted(grown, id, where.into)
  return where.before === undefined
    ? grown
    : connected(grown, doneEvent(id, node.fields['task']), where.before)
}

/** The definition after a change of its flow; a gate that could not be written leaves it as it was, with the reason. */
export function withFlow(
  definition: Definition,
  change: (flow: Flow) => Flow,
): { readonly definition: Definition; readonly refused: string | null } {
  const after = fromFlow(definition, change(toFlow(definition)))
  return after.ok ? { definition: after.value, refused: null } : { definition, refused: after.error }
}

/** One field of a node; undefined takes it away. */
export function withField(definition: Definition, id: string, field: string, value: unknown): Definition {
  const list: readonly unknown[] = Array.isArray(definition['nodes']) ? definition['nodes'] : []
  const target = nodesOf(definition).find((node) => node.id === id)
  if (target === undefined || target[field] === value) return definition
  const { [field]: _old, ...rest } = target
  const next =
    value === undefined ? rest : field in target ? { ...target, [field]: value } : { ...rest, [field]: value }
  return { ...definition, nodes: list.map((node) => (node === target ? next : node)) }
}

/** The definition with another value at a path that is there; the same definition where it is not. */
export function withValueAt(
  definition: Definition,
  path: readonly (string | number)[],
  value: unknown,
): Definition {
  return putAt(definition, path, value) as Definition
}

function putAt(whole: unknown, [key, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(whole)) {
    const at = Number(key)
    return at in whole ? whole.with(at, putAt(whole[at], rest, value)) : whole
  }
  if (typeof whole !== 'object' || whole === null || !Object.hasOwn(whole, key)) return whole
  const entries = Object.entries(whole)
  return Object.fromEntries(
    entries.map(([name, old]) => [name, name === key ? putAt(old, rest, value) : old]),
  )
}
