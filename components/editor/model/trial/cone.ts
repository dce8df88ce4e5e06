import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, START, type NodeFields } from '@/components/editor/model/flow'
import { canonicalJson } from '@/core/pipeline/canonical'
import { nodeDefinitionSchema } from '@/core/pipeline/definition/definition'
import { isRecord } from '@/core/pipeline/json'
import { contractOf, readNode } from '@/core/pipeline/definition/node-parts'
import { producerOf } from '@/core/pipeline/gate/event-type'
import { formatStartWhen, parseStartWhen } from '@/core/pipeline/gate/start-when'
import { taskCatalog } from '@/tasks/contracts'

/**
 * What the outputs of a node depend on: the node and everything that it reads or waits for, directly or not, each by a digest of
 * what it says. Values that were made under one cone are stale under another. Pure.
 */

/** Digests by part: the id of a node, or `pipeline.input.x`. */
export type Cone = ReadonlyMap<string, string>

export function coneOf(definition: Definition, id: string): Cone {
  const nodes = new Map(nodesOf(definition).map((node) => [node.id, node]))
  const inputs = isRecord(definition['inputs']) ? definition['inputs'] : {}
  const cone = new Map<string, string>()
  const open = [id]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = nodes.get(next)
    if (node === undefined || cone.has(next)) continue
    const own = partsOf(node)
    cone.set(next, own.digest)
    open.push(...own.before)
    for (const name of own.inputs)
      cone.set(`${INPUT}.${name}`, digest(Object.hasOwn(inputs, name) ? inputs[name] : null))
  }
  return cone
}

/** The names of what differs, the node itself first; empty: nothing does. What only came in by that is not named beside it. */
export function changesOf(before: Cone, now: Cone, id: string): readonly string[] {
  const differing = (parts: Iterable<string>) =>
    [...parts].filter((part) => before.get(part) !== now.get(part))
  const changed = differing(new Set([id, ...before.keys()]))
  return changed.length > 0 ? changed : differing(now.keys())
}

/** Nodes whose outputs a node may read, and inputs of the pipeline, by the text of its bindings, outputs and conditions. */
export function readsOf(node: NodeFields): {
  readonly nodes: readonly string[]
  readonly inputs: readonly string[]
} {
  const { reads, inputs } = partsOf(node)
  return { nodes: reads, inputs }
}

type Parts = {
  readonly digest: string
  readonly before: readonly string[]
  readonly reads: readonly string[]
  readonly inputs: readonly string[]
}

const INPUT = 'pipeline.input'

/** What people read and what only places work in a queue changes no value. */
const NO_MATTER = new Set(['name', 'description', 'phase', 'priority', 'estimate', 'risk', 'resources'])

// An edit leaves the other nodes as they are, as objects: each is taken apart once.
const known = new WeakMap<NodeFields, Parts>()

function partsOf(node: NodeFields): Parts {
  const old = known.get(node)
  if (old !== undefined) return old
  const gate = typeof node['startWhen'] === 'string' ? node['startWhen'] : START
  const parsed = parseStartWhen(gate)
  const startWhen = parsed.ok ? formatStartWhen(parsed.value) : gate
  const fields = Object.entries({ ...node, startWhen }).filter(([field]) => !NO_MATTER.has(field))
  const checked = nodeDefinitionSchema.safeParse({ ...node, startWhen })
  const read = checked.success
    ? readNode(checked.data, contractOf(checked.data, taskCatalog), undefined)
    : null
  const reads = read?.reads ?? []
  const nodes = [...new Set(reads.map(({ root }) => root))].filter((root) => !root.includes('.'))
  const events = (read?.gateEvents ?? []).map(producerOf)
  const parts: Parts = {
    digest: digest(Object.fromEntries(fields)),
    before: [...new Set([...events, ...nodes])],
    reads: nodes.filter((root) => root !== 'system' && root !== node.id),
    inputs: [...new Set(reads.filter(({ root }) => root === INPUT).map(({ variable }) => variable))],
  }
  known.set(node, parts)
  return parts
}

/** A hash of 16 hexadecimal digits (FNV-1a from both ends). */
function digest(value: unknown): string {
  const text = canonicalJson(value)
  let [front, back] = [0x811c9dc5, 0x9dc5811c]
  for (let at = 0; at < text.length; at += 1) {
    front = Math.imul(front ^ text.charCodeAt(at), 0x01000193)
    back = Math.imul(back ^ text.charCodeAt(text.length - 1 - at), 0x01000193)
  }
  return [front, back].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}
