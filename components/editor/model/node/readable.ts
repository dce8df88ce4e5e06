import { isExternal, producerOf } from '@/core/pipeline/gate/event-type'
import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, START, type NodeFields } from '@/components/editor/model/flow'
import { eventsOfTask, pipelineEvents } from '@/core/pipeline/gate/events'
import { atomsOf } from '@/core/pipeline/gate/shape'
import { isRecord } from '@/core/pipeline/json'
import { taskCatalog } from '@/tasks/contracts'

/** What an expression may read, depending on where it is. Pure. */

export type Readable = {
  /** As it is written: `extract.rows`, `pipeline.input.station`, `item`. */
  readonly name: string
  /** What kind of value it is; empty where that is not known. */
  readonly type: string
  readonly doc: string
}

/** Where an expression is. `node` is its node; null: it belongs to the pipeline. */
export type Place = {
  readonly node: string | null
  readonly in: 'gate' | 'bindings' | 'items' | 'retry' | 'result' | 'outputs' | 'webhook'
}

/** Outputs of the pipelines that nodes run, by pipeline. */
export type Children = ReadonlyMap<string, readonly Readable[]>

const membersOf = (value: unknown): readonly [string, { readonly [key: string]: unknown }][] =>
  isRecord(value)
    ? Object.entries(value).map(([name, member]) => [name, isRecord(member) ? member : {}] as const)
    : []

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Everything that can be read at a place, the nearest first. */
export function readableAt(definition: Definition, place: Place, children: Children): readonly Readable[] {
  const own = nodesOf(definition).find(({ id }) => id === place.node)
  const before = nodesBefore(definition, place)
  return [
    ...localsOf(place, own),
    ...before.flatMap((node) => [
      ...outputsOf(node, children),
      { name: `${node.id}.error`, type: 'object', doc: `Why ${node.id} failed, when it did.` },
    ]),
    ...membersOf(definition['inputs']).map(([name, input]) => ({
      name: `pipeline.input.${name}`,
      type: textOf(input['type']),
      doc: textOf(input['description']) || 'An input of the pipeline.',
    })),
    { name: 'system.execution_id', type: 'string', doc: 'The id of the run.' },
    { name: 'system.started_at', type: 'string', doc: 'When the run started, as ISO 8601.' },
  ]
}

/** The nodes that have ended where the expression is worked out: of a gate all others may be named, since it waits for them. */
function nodesBefore(definition: Definition, place: Place): readonly NodeFields[] {
  if (place.in === 'webhook') return []
  const nodes = nodesOf(definition)
  if (place.node === null) return nodes
  if (place.in === 'gate') return nodes.filter(({ id }) => id !== place.node)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const found = new Set<string>()
  const queue = [place.node]
  for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
    for (const source of sourcesOf(byId.get(id))) {
      if (source === place.node || found.has(source) || !byId.has(source)) continue
      found.add(source)
      queue.push(source)
    }
  }
  // In the order in which they were found, which is the nearest first.
  return [...found].flatMap((id) => byId.get(id) ?? [])
}

/** The nodes for which the gate of a node waits. */
function sourcesOf(node: NodeFields | undefined): readonly string[] {
  const gate = node?.['startWhen']
  const atoms = atomsOf(typeof gate === 'string' ? gate : START)
  if (!atoms.ok) return []
  return atoms.value.flatMap(({ atom }) =>
    atom.kind === 'event' ? [producerOf(atom.type)] : atom.expression.reads.map(({ root }) => root),
  )
}

/** The variables that a node makes. */
function outputsOf(node: NodeFields, children: Children): readonly Readable[] {
  const each = isRecord(node['forEach'])
  const listed = (type: string) => (each ? `list of ${type || 'values'}` : type)
  const own = node['outputVariables']
  const outputs: readonly Readable[] = isRecord(own)
    ? Object.entries(own).map(([name, value]) => ({ name, type: '', doc: textOf(value) }))
    : resultsOf(node, children)
  return outputs.map(({ name, type, doc }) => ({
    name: `${node.id}.${name}`,
    type: listed(type),
    doc,
  }))
}

/** What the task of a node gives, by the names of the task. */
function resultsOf(node: NodeFields, children: Children): readonly Readable[] {
  const contract = taskCatalog.get(textOf(node['task']))
  if (contract === undefined) return children.get(textOf(node['pipeline'])) ?? []
  if (contract.openOutputs)
    return isRecord(node['inputBindings'])
      ? Object.entries(node['inputBindings']).map(([name, value]) => ({ name, type: '', doc: textOf(value) }))
      : []
  return Object.entries(contract.output).map(([name, { type, description }]) => ({
    name,
    type,
    doc: description,
  }))
}

function localsOf(place: Place, node: NodeFields | undefined): readonly Readable[] {
  const items: readonly Readable[] =
    isRecord(node?.['forEach']) && (place.in === 'bindings' || place.in === 'result')
      ? [
          { name: 'item', type: '', doc: 'The member of the list that this is for.' },
          { name: 'index', type: 'number', doc: 'Its place in the list, from 0.' },
        ]
      : []
  switch (place.in) {
    case 'retry':
      return [
        { name: 'error.kind', type: 'string', doc: 'What kind of failure: timeout, task_failed …' },
        { name: 'error.message', type: 'string', doc: 'What it says.' },
        { name: 'error.detail', type: '', doc: 'More of it, where there is more.' },
        { name: 'attempts', type: 'number', doc: 'How many tries there were.' },
      ]
    case 'result':
      return [
        ...(node === undefined ? [] : resultsOf(node, new Map())).map((output) => ({
          ...output,
          name: `result.${output.name}`,
        })),
        ...items,
      ]
    case 'webhook':
      return [{ name: 'body', type: '', doc: 'What was sent, as JSON.' }]
    default:
      return items
  }
}

/** An event that a gate may name. */
export type ReadableEvent = { readonly type: string; readonly doc: string }

const saidOf: ReadonlyMap<string, string> = new Map([
  ['completed', 'it has ended well'],
  ['failed', 'it has failed for good'],
  ['skipped', 'its start condition can no longer become true'],
  ['started', 'it has begun'],
  ['approved', 'people said yes'],
  ['rejected', 'people said no'],
  ['timeout', 'nobody decided in time'],
])

/** The outcomes first of which graphs are made, then the rest. */
export function eventsAt(definition: Definition, nodeId: string): readonly ReadableEvent[] {
  const nodes = nodesOf(definition)
  const own = nodes.find(({ id }) => id === nodeId)
  const atEnd = own?.['finally'] === true
  const external = new Set<string>()
  for (const { startWhen } of nodes) {
    const atoms = typeof startWhen === 'string' ? atomsOf(startWhen) : null
    for (const { atom } of atoms?.ok ? atoms.value : [])
      if (atom.kind === 'event' && isExternal(atom.type)) external.add(atom.type)
  }
  const ofNodes = nodes
    // What runs after the end starts nothing before it.
    .filter((node) => node.id !== nodeId && (atEnd || node['finally'] !== true))
    .flatMap((node) =>
      eventsOfTask(typeof node['task'] === 'string' ? node['task'] : undefined).map((name) => ({
        type: `${node.id}.${name}`,
        doc: saidOf.get(name) ?? '',
      })),
    )
  const isOutcome = ({ doc }: ReadableEvent) => doc !== ''
  return [
    ...eventsOfRun(own).map((name) => ({ type: `pipeline.${name}`, doc: 'of the run itself' })),
    ...ofNodes.filter(isOutcome),
    ...[...external].map((type) => ({ type, doc: 'comes from outside' })),
    ...ofNodes.filter((event) => !isOutcome(event)),
  ]
}

/** The events of the run for which a node may wait: all but its start come when only nodes with `finally: true` still start. */
const eventsOfRun = (node: NodeFields | undefined): readonly string[] =>
  node?.['finally'] === true ? pipelineEvents : ['started']

/**
 * The events of the source of one for which a node may wait: of the node that publishes it, or of the run. Of one from outside only
 * itself is known.
 */
export function eventsOf(definition: Definition, type: string, nodeId: string): readonly string[] {
  const source = producerOf(type)
  const own = nodesOf(definition).find(({ id }) => id === nodeId)
  if (source === 'pipeline') return eventsOfRun(own).map((name) => `pipeline.${name}`)
  const node = nodesOf(definition).find(({ id }) => id === source)
  if (node === undefined) return [type]
  return eventsOfTask(textOf(node['task']) || undefined).map((name) => `${source}.${name}`)
}
