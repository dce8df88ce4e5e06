import type { Definition } from '@/components/editor/model/draft/draft'
import { idBeside } from '@/components/editor/model/edits'
import {
  edgeOf,
  gateOf,
  nodesOf,
  START,
  toFlow,
  type NodeFields,
  type Position,
  rounded,
  whole,
} from '@/components/editor/model/flow'
import { withMentionsRenamed } from '@/components/editor/model/node/rename'
import { idPattern, limits } from '@/core/pipeline/definition/definition'
import { foreignHint, foreignTool } from '@/core/pipeline/check/foreign'
import { removeNode } from '@/core/pipeline/gate/edit'
import { gateShape } from '@/core/pipeline/gate/shape'
import { isRecord, type Result } from '@/core/pipeline/json'
import { isReservedId } from '@/core/pipeline/definition/reserved'
import { parseYaml, stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { around } from '@/components/graph/model/boxes'
import { ownBoxesOf } from './flow-drawing'
import { freshNoteId, notesOf } from './notes'

/**
 * Nodes as text. The copied text is YAML in the form of a definition; the pasted text may also be a whole definition or written by
 * hand. Pasted nodes get new ids, and their references to each other are updated. Pure.
 */

/** Nodes and notes with their places, as YAML. */
export function copied(
  definition: Definition,
  nodes: ReadonlySet<string>,
  notes: ReadonlySet<string>,
): string {
  const boxes = ownBoxesOf(toFlow(definition))
  const list = nodesOf(definition).filter(({ id }) => nodes.has(id))
  const stuck = notesOf(definition).filter(({ id }) => notes.has(id))
  const places = list.map(({ id }) => {
    const { x, y } = boxes.get(id) ?? { x: 0, y: 0 }
    return [id, whole({ x, y })] as const
  })
  return stringifyYaml({
    nodes: list,
    ...(list.length === 0 ? {} : { layout: Object.fromEntries(places) }),
    ...(stuck.length === 0 ? {} : { notes: stuck }),
  })
}

/** What a text has to paste, or in words why it has nothing. */
export function readFragment(text: string): Result<Definition, string> {
  if (text.trim() === '') return refuse('The clipboard is empty. Copy some nodes first.')
  const parsed = parseYaml(text)
  if (!parsed.ok) {
    const [issue] = parsed.error
    const line = issue?.line === undefined ? '' : ` (line ${issue.line})`
    return refuse(`The clipboard holds no nodes: ${issue?.message ?? 'it cannot be read'}${line}.`)
  }
  const tool = isRecord(parsed.value) ? foreignTool(parsed.value) : null
  if (tool !== null)
    return refuse(
      `The clipboard holds a document of ${tool}, which cannot be pasted as nodes. To take it over, ${foreignHint}.`,
    )
  const found = fragmentOf(parsed.value)
  if (found === null)
    return refuse(
      'The clipboard holds no nodes. Copy nodes of a pipeline, or text that starts with “nodes:”.',
    )
  const list: unknown = found['nodes']
  if (!Array.isArray(list) || !list.every(isRecord))
    return refuse('“nodes” on the clipboard is not a list of nodes.')
  if (list.length === 0 && notesOf(found).length === 0) return refuse('The clipboard holds no nodes.')
  return { ok: true, value: { ...found, nodes: list.map(withId) } }
}

const refuse = (error: string): Result<never, string> => ({ ok: false, error })

/** A definition or a part of one, a list of nodes, or one node. */
function fragmentOf(value: unknown): Definition | null {
  if (Array.isArray(value)) return value.length > 0 && value.every(looksLikeNode) ? { nodes: value } : null
  if (!isRecord(value)) return null
  if ('nodes' in value || 'notes' in value) return { nodes: [], ...value }
  return looksLikeNode(value) ? { nodes: [value] } : null
}

const looksLikeNode = (value: unknown): boolean =>
  isRecord(value) && (typeof value['task'] === 'string' || typeof value['pipeline'] === 'string')

function withId(node: Record<string, unknown>): Record<string, unknown> {
  const { id, task } = node
  if (typeof id === 'string' && id !== '') return node
  return { ...node, id: typeof task === 'string' && task !== '' ? task : 'node' }
}

type Pasted = {
  readonly definition: Definition
  /** The ids of what came, in the order of the text. */
  readonly nodes: readonly string[]
  readonly notes: readonly string[]
}

/**
 * The definition with a fragment in it, the upper left corner of its box at `at`. Gates keep the events of nodes of the fragment and those from outside of
 * the pipeline; what else a gate waited for is struck. Refused in words: too many nodes, an id that cannot be given.
 */
export function pasted(definition: Definition, fragment: Definition, at: Position): Result<Pasted, string> {
  const before = nodesOf(definition)
  const list = (fragment['nodes'] as NodeFields[]).map((node) => ({ ...node }) as NodeFields)
  if (before.length + list.length > limits.nodes)
    return refuse(
      `A pipeline has at most ${limits.nodes} nodes; with these it would have ${before.length + list.length}.`,
    )
  const boxes = ownBoxesOf(toFlow(fragment))
  const notes = notesOf(fragment)
  const corner = around([...boxesOfNodes(boxes, list), ...notes]) ?? { x: 0, y: 0 }
  const placed = ({ x, y }: Position): Position => ({
    x: rounded(x - corner.x + at.x),
    y: rounded(y - corner.y + at.y),
  })

  const own = new Set(list.map(({ id }) => id))
  const names = freshNames(definition, list)
  const pastedNodes: NodeFields[] = []
  const layout: [string, Position][] = []
  for (const [index, node] of list.entries()) {
    const renamed = renamedAll(withGateOf(node, own), names.byOld)
    if (!renamed.ok) return refuse(`Node ${node.id} cannot be pasted: ${renamed.error}.`)
    const id = names.inOrder[index]!
    pastedNodes.push({ ...renamed.value, id })
    layout.push([id, placed(boxes.get(node.id) ?? { x: 0, y: 0 })])
  }
  let grown: Definition = {
    ...definition,
    nodes: [...(Array.isArray(definition['nodes']) ? definition['nodes'] : []), ...pastedNodes],
    layout: Object.fromEntries([
      ...Object.entries(isRecord(definition['layout']) ? definition['layout'] : {}),
      ...layout,
    ]),
  }
  const noteIds: string[] = []
  for (const note of notes) {
    const id = freshNoteId(grown)
    const old: readonly unknown[] = Array.isArray(grown['notes']) ? grown['notes'] : []
    grown = { ...grown, notes: [...old, { ...note, ...placed(note), id }] }
    noteIds.push(id)
  }
  return { ok: true, value: { definition: grown, nodes: names.inOrder, notes: noteIds } }
}

function* boxesOfNodes<T>(boxes: ReadonlyMap<string, T>, list: readonly NodeFields[]): Generator<T> {
  for (const { id } of list) {
    const box = boxes.get(id)
    if (box !== undefined) yield box
  }
}

/** New ids are none that the fragment has itself, so that one renaming never meets another. */
function freshNames(definition: Definition, list: readonly NodeFields[]) {
  const byOld = new Map<string, string>()
  const inOrder: string[] = []
  const given = new Set<string>(nodesOf(definition).map(({ id }) => id))
  const own = new Set(list.map(({ id }) => id))
  const taken = { has: (id: string) => given.has(id) || own.has(id) }
  const tried = new Map<string, number>()
  for (const { id } of list) {
    const free = !given.has(id) && idPattern.test(id) && !isReservedId(id)
    const fresh = free ? id : idBeside(taken, id.replace(/_\d+$/, ''), tried)
    given.add(fresh)
    inOrder.push(fresh)
    if (!byOld.has(id)) byOld.set(id, fresh)
  }
  return { byOld, inOrder }
}

/** Strikes what a gate says of nodes that do not come along. */
function withGateOf(node: NodeFields, own: ReadonlySet<string>): NodeFields {
  const shape = gateShape(gateOf(node))
  if (!shape.ok) return node
  const strangers = new Set(
    shape.value.edges
      .map(({ type }) => edgeOf(type, node.id))
      .filter((edge) => edge !== null && edge.outcome !== 'event' && !own.has(edge.source))
      .map((edge) => edge!.source),
  )
  let gate: string | null = gateOf(node)
  for (const id of strangers) {
    if (gate === null) break
    const struck = removeNode(gate, id)
    if (struck.ok) gate = struck.value
  }
  return gate === gateOf(node) ? node : { ...node, startWhen: gate ?? START }
}

function renamedAll(node: NodeFields, names: ReadonlyMap<string, string>): Result<NodeFields, string> {
  const words = new Set(JSON.stringify(node).match(/[a-z]\w*/g))
  let now = node
  for (const from of words) {
    const to = names.get(from)
    if (to === undefined || to === from) continue
    const renamed = withMentionsRenamed(now, from, to)
    if (!renamed.ok) return renamed
    now = renamed.value
  }
  return { ok: true, value: now }
}
