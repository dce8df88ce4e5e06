import type { Definition } from './draft'
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
} from './flow'

/** What hands do on the canvas, as changes of the flow. Pure. */

export const moved = (flow: Flow, to: ReadonlyMap<string, Position>): Flow => ({
  ...flow,
  nodes: flow.nodes.map((node) => {
    const at = to.get(node.id)
    return at === undefined ? node : { ...node, position: { x: Math.round(at.x), y: Math.round(at.y) } }
  }),
})

export function connected(flow: Flow, event: string, target: string): Flow {
  const edge = edgeOf(event, target)
  if (edge === null || flow.edges.some(({ id }) => id === edge.id)) return flow
  return { ...flow, edges: [...flow.edges, { ...edge, negated: false, conditions: [] }] }
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
    const kept = event === null ? null : edgeOf(event, edge.target)
    if (kept !== null && !edges.has(kept.id)) edges.set(kept.id, { ...edge, ...kept })
  }
  return { ...flow, nodes: flow.nodes.filter(({ id }) => !nodeIds.has(id)), edges: [...edges.values()] }
}

/** An id that no node has yet: `query`, `query_2`, … */
export function freshId(definition: Definition, wanted: string): string {
  const taken = new Set(nodesOf(definition).map(({ id }) => id))
  const plain = wanted
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
  const base =
    plain
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[^a-z]+|_+$/g, '')
      .slice(0, 50) || 'node'
  if (!taken.has(base)) return base
  let number = 2
  while (taken.has(`${base}_${number}`)) number += 1
  return `${base}_${number}`
}

/** A new node; `after` names the events that start it, `before` the edge into which it is put. */
export function added(
  flow: Flow,
  node: {
    readonly id: string
    readonly fields: { readonly [field: string]: unknown }
    readonly position: Position
  },
  where: { readonly after?: string; readonly into?: FlowEdge } = {},
): Flow {
  const { id } = node
  const event = where.into?.event ?? where.after
  const fields = { id, ...node.fields, startWhen: event === undefined ? START : `event:${event}` }
  const fresh: FlowNode = { id, fields, position: node.position }
  const incoming = event === undefined ? null : edgeOf(event, id)
  const edges =
    incoming === null ? flow.edges : [...flow.edges, { ...incoming, negated: false, conditions: [] }]
  const outgoing = where.into === undefined ? null : edgeOf(`${id}.completed`, where.into.target)
  return {
    ...flow,
    nodes: [...flow.nodes, fresh],
    edges:
      outgoing === null
        ? edges
        : edges.map((edge) => (edge.id === where.into?.id ? { ...edge, ...outgoing } : edge)),
  }
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
