import { producerOf } from '@/core/pipeline/gate/event-type'
import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, START, type NodeFields } from '@/components/editor/model/flow'
import { atomsOf } from '@/core/pipeline/gate/shape'

/** A pipeline read from top to bottom: every node below what it waits for, else in the order of the list. Pure. */

export type OutlineRow = {
  readonly id: string
  readonly fields: NodeFields
  /** The length of the longest path to it, in nodes. */
  readonly level: number
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

export const nameOf = ({ id, name }: NodeFields): string => textOf(name) ?? id
export const taskOf = ({ task, pipeline }: NodeFields): string =>
  textOf(task) ?? (textOf(pipeline) === null ? 'no task' : 'pipeline')
export const gateOf = ({ startWhen }: NodeFields): string => textOf(startWhen) ?? START

/** An edit makes a new object of the node that it changes and of no other: the gates of the others are not read again. */
const sources = new WeakMap<NodeFields, readonly string[]>()

/** Ids of what a node waits for, as its gate names them; none where the gate cannot be read. */
function sourcesOf(node: NodeFields): readonly string[] {
  const known = sources.get(node)
  if (known !== undefined) return known
  const atoms = atomsOf(gateOf(node))
  const found = !atoms.ok
    ? []
    : atoms.value.flatMap(({ atom }) => (atom.kind === 'event' ? [producerOf(atom.type)] : []))
  sources.set(node, found)
  return found
}

/** Every node once; where nodes wait for each other in a ring, it is broken at the first of them. */
export function outlineRows(definition: Definition): readonly OutlineRow[] {
  const nodes = nodesOf(definition)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const before = (node: NodeFields) => sourcesOf(node).flatMap((id) => byId.get(id) ?? [])
  const levels = new Map<string, number>()
  const rows: OutlineRow[] = []
  const open = new Set<string>()
  for (const first of nodes) {
    const way = [first]
    for (let node = way.at(-1); node !== undefined; node = way.at(-1)) {
      const next = levels.has(node.id)
        ? undefined
        : before(node).find(({ id }) => !levels.has(id) && !open.has(id))
      open.add(node.id)
      if (next !== undefined) {
        way.push(next)
        continue
      }
      if (!levels.has(node.id)) {
        const level = Math.max(0, ...before(node).map(({ id }) => (levels.get(id) ?? -1) + 1))
        levels.set(node.id, level)
        rows.push({ id: node.id, fields: node, level })
      }
      way.pop()
    }
  }
  return rows
}

/** Whether `later` waits for `earlier`, directly or through others. */
export function waitsFor(definition: Definition, later: string, earlier: string): boolean {
  const byId = new Map(nodesOf(definition).map((node) => [node.id, node]))
  const seen = new Set<string>()
  const open = [later]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = byId.get(id)
    for (const source of node === undefined ? [] : sourcesOf(node)) {
      if (source === earlier) return true
      if (!seen.has(source)) {
        seen.add(source)
        open.push(source)
      }
    }
  }
  return false
}

/** The row to which letters lead: the next one whose name or id begins with them, round from `from`. */
export function rowFor(rows: readonly OutlineRow[], letters: string, from: number): OutlineRow | null {
  const wanted = letters.toLowerCase()
  for (let step = 0; step < rows.length; step += 1) {
    const row = rows[(from + step) % rows.length]!
    if (row.id.startsWith(wanted) || nameOf(row.fields).toLowerCase().startsWith(wanted)) return row
  }
  return null
}
