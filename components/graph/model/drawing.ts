import { eventNameOf, eventTypeOf } from '@/core/pipeline/gate/event-type'
import { gateShape } from '@/core/pipeline/gate/shape'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { rejectedBy } from '@/core/engine/rejection'
import { isTerminal } from '@/core/engine/state'
import type { ExecutionView, NodeStatus, NodeView } from '@/core/engine/view/view'
import { conditionsAt, edgeText } from './edge-label'
import { gateMarks, type GateMark } from './gate-marks'
import { reuseList } from './memoize'
import { reachability } from './reachability'
import { namesIn, skipText, waitText } from './reasons'

/**
 * What the canvas draws for a compiled pipeline and, in a run, its view. Nodes and edges of the canvas are view state: nothing is read
 * back from them.
 */

/** The outcome of a node, at whose handle an edge starts. */
export type Outcome =
  'completed' | 'failed' | 'skipped' | 'approved' | 'rejected' | 'timeout' | 'cancelled' | 'started' | 'reads'

/** How it changed between two compared revisions. */
export type Change = 'added' | 'removed' | 'changed' | 'moved'

export type DrawnNode = {
  readonly id: string
  readonly kind: 'task' | 'signal' | 'group'
  readonly name: string
  readonly task: string
  readonly gate: readonly GateMark[]
  readonly gateText: string
  readonly outcomes: readonly Outcome[]
  readonly finally: boolean
  /** It runs once for each item of a list. */
  readonly each: boolean
  readonly status: NodeStatus | null
  /** It failed because a person said no. */
  readonly rejected: boolean
  /** It failed, and the run continues. */
  readonly handled: boolean
  /** A person completed it. */
  readonly byHand: boolean
  /** Its result was taken over, by a fork or by a rerun of other nodes. */
  readonly reused: boolean
  /** Of a rehearsal: it read or gave values that nobody knows before a run. */
  readonly madeUp: boolean
  readonly critical: boolean
  readonly slackMs: number | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly items: NodeView['items']
  /** The pipeline that it runs, and the current execution of that pipeline; null: it runs none. */
  readonly child: { readonly pipeline: string; readonly execution: string | null } | null
  readonly progress: number | null
  /** A short message: an error, why it was skipped, or what it waits for. */
  readonly note: string | null
  /** An attempt of it has started, and its work has not begun. */
  readonly unbegun: boolean
  /** When its timer ends, as ISO 8601; null: it waits for no timer. */
  readonly wakeAt: string | null
  /** The number of the attempt at `wakeAt`; null: no attempt starts then. */
  readonly nextTry: number | null
  /** It has pinned data. */
  readonly pinned: boolean
  /** Why its pinned or tried data is stale; null: it is not. */
  readonly stale: string | null
  /** Only where two revisions are compared. */
  readonly change?: Change
  /** Only of a `group`. */
  readonly group?: DrawnGroup
}

/** The card of a group: what it counts. */
export type DrawnGroup = {
  readonly ids: readonly string[]
  /** How many of them are in each state, those that matter most first; empty outside of a run. */
  readonly counts: readonly { readonly status: NodeStatus; readonly count: number }[]
  /** The names of its first and last node. */
  readonly names: readonly [string, string]
  /** Its nodes are drawn below it. */
  readonly open: boolean
}

export type DrawnEdge = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly outcome: Outcome
  /** The handle at which it starts: that of its outcome; what only reads a variable starts at the source's first. */
  readonly port: Outcome
  /** Shown on the edge; null for a plain completion. */
  readonly label: string | null
  readonly critical: boolean
  /** open: not decided yet · taken: its event has happened · dead: its event can no longer happen */
  readonly state: 'open' | 'taken' | 'dead'
  readonly flowing: boolean
  readonly change?: Change
  /** The edges that it stands for; absent: itself. */
  readonly ids?: readonly string[]
}

export type Drawing = { readonly nodes: readonly DrawnNode[]; readonly edges: readonly DrawnEdge[] }

const known = new Set<string>([
  'completed',
  'failed',
  'skipped',
  'approved',
  'rejected',
  'timeout',
  'cancelled',
  'started',
])

export const isOutcome = (word: string): word is Outcome => known.has(word)

function outcomeOf(eventType: string): Outcome {
  const word = eventNameOf(eventType)
  return isOutcome(word) ? word : 'started'
}

function happened(outcome: Outcome, node: NodeView): 'open' | 'taken' | 'dead' {
  const over = isTerminal(node.status)
  let yes: boolean
  switch (outcome) {
    case 'completed':
    case 'approved':
    case 'reads':
      yes = node.status === 'completed'
      break
    case 'failed':
      yes = node.status === 'failed'
      break
    case 'rejected':
    case 'timeout':
      yes = node.status === 'failed' && node.error?.kind === outcome
      break
    case 'skipped':
    case 'cancelled':
      yes = node.status === outcome
      break
    case 'started':
      yes = node.started_at !== null
      break
  }
  return yes ? 'taken' : over ? 'dead' : 'open'
}

/** Whether the result of a node was taken over: it ended before this instant (ISO 8601; null: nothing was taken over). */
export const isReused = ({ status, finished_at: at }: NodeView, before: string | null): boolean =>
  before !== null && at !== null && at < before && (status === 'completed' || status === 'failed')

function noteOf(node: NodeView, nameOf: (id: string) => string): string | null {
  if (node.error !== null) return node.error.message
  if (node.status === 'skipped') return skipText(node, nameOf)
  if (node.progress?.message != null) return node.progress.message
  if (isTerminal(node.status) || node.status === 'running') return null
  const waits = node.waiting_for
  if (node.status === 'retrying' || waits === null || waits.kind === 'timer') return null
  // The run itself waits for a slot, as its header shows; its nodes have not started.
  if (node.status === 'pending' && waits.kind === 'slot') return 'not started'
  return waitText(waits, nameOf)
}

/** The progress of a forEach as text, without zero counts. */
export function itemsText({ total, completed, failed, running }: NonNullable<NodeView['items']>): string {
  const parts = [`${completed} of ${total} completed`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (running > 0) parts.push(`${running} running`)
  return parts.join(', ')
}

const external = /^external\./

/** The part of a drawing that is the same in every run, and the last drawing. */
type Shape = {
  /** All events of one node that another waits for are one edge, labelled with the outcomes. */
  readonly links: readonly Link[]
  readonly signals: readonly DrawnNode[]
  readonly nodes: readonly {
    readonly node: CompiledNode
    readonly still: Pick<DrawnNode, 'gate' | 'outcomes'>
  }[]
  last: Last | null
}

type Link = {
  readonly edge: Omit<DrawnEdge, 'critical' | 'state' | 'flowing'>
  /** The indexes of its nodes; `from` null: it is an external event. */
  readonly from: number | null
  readonly to: number
  readonly outcomes: readonly Outcome[]
}

/** What an edge says: its outcomes, with their signs and conditions where its gate has some. */
function labelOf(
  { gate, definition }: CompiledNode,
  from: string,
  outcomes: readonly Outcome[],
): string | null {
  const isPlain = gateMarks(gate).every((mark) => mark === 'or')
  const shape = isPlain ? null : gateShape(definition.startWhen)
  if (shape === null || !shape.ok)
    return edgeText(outcomes.map((outcome) => ({ outcome, negated: false, conditions: [] })))
  const { edges } = shape.value
  return edgeText(
    edges.flatMap(({ type, negated }, at) => {
      const { level, node } = eventTypeOf(type)
      if (level === 'pipeline' || level === 'external' || node !== from) return []
      return [{ outcome: eventNameOf(type), negated, conditions: conditionsAt(shape.value, at) }]
    }),
  )
}

type Last = {
  readonly views: readonly (NodeView | undefined)[]
  readonly path: readonly string[]
  readonly before: string | null
  readonly drawing: Drawing
}

const shapes = new WeakMap<CompiledPipeline, Shape>()

function shapeOf(pipeline: CompiledPipeline): Shape {
  let shape = shapes.get(pipeline)
  if (shape === undefined) shapes.set(pipeline, (shape = makeShape(pipeline)))
  return shape
}

function makeShape(pipeline: CompiledPipeline): Shape {
  const links = new Map<string, { from: string; to: string; outcomes: Outcome[] }>()
  const link = (from: string, to: string, outcome: Outcome) => {
    const id = `${from}>${to}`
    const known = links.get(id)
    if (known === undefined) links.set(id, { from, to, outcomes: [outcome] })
    else if (outcome !== 'reads' && !known.outcomes.includes(outcome)) known.outcomes.push(outcome)
  }
  for (const edge of pipeline.edges)
    if (edge.kind === 'event' && pipeline.nodes.has(edge.from))
      link(edge.from, edge.to, outcomeOf(edge.label))
  const comesAfter = reachability([...links.values()])
  for (const edge of pipeline.edges)
    if (
      edge.kind === 'variable' &&
      pipeline.nodes.has(edge.from) &&
      // Most readers wait for the writer directly, and need no search for a path.
      !links.has(`${edge.from}>${edge.to}`) &&
      !comesAfter(edge.from, edge.to)
    )
      link(edge.from, edge.to, 'reads')

  const ends = new Map<string, Set<Outcome>>()
  for (const { from, outcomes } of links.values()) {
    const first = outcomes[0] ?? 'completed'
    if (first !== 'reads') ends.set(from, (ends.get(from) ?? new Set()).add(first))
  }
  const outcomesOf = (id: string) => [...(ends.get(id) ?? [])]
  const index = new Map([...pipeline.nodes.keys()].map((id, at) => [id, at]))
  const signals = [...pipeline.listeners.keys()].filter((type) => external.test(type)).map(signal)
  const signalled = signals.flatMap(({ id: from }) =>
    (pipeline.listeners.get(from) ?? []).map((to): Link => {
      const edge = {
        id: `${from}>${to}`,
        from,
        to,
        outcome: 'completed',
        port: 'completed',
        label: null,
      } as const
      return { edge, from: null, to: index.get(to)!, outcomes: [] }
    }),
  )
  return {
    links: [
      ...[...links].map(([id, { from, to, outcomes }]): Link => {
        const outcome = outcomes[0] ?? 'completed'
        const port = outcome === 'reads' ? (outcomesOf(from)[0] ?? 'completed') : outcome
        const label = outcome === 'reads' ? null : labelOf(pipeline.nodes.get(to)!, from, outcomes)
        const edge = { id, from, to, outcome, port, label }
        return { edge, from: index.get(from)!, to: index.get(to)!, outcomes }
      }),
      ...signalled,
    ],
    signals,
    nodes: [...pipeline.nodes.values()].map((node) => ({
      node,
      still: { gate: gateMarks(node.gate), outcomes: outcomesOf(node.id) },
    })),
    last: null,
  }
}

/**
 * Draws a pipeline; with `run`, as that run stands. A variable that is read gets a line only where no event already puts
 * the reader after the writer: the others would say nothing new. Pure; what is drawn as it was drawn last is the same object, and the
 * same list where that holds of all of it: a commit costs the cards and lines that it touched. `before`: what ended earlier was taken over.
 */
export function draw(
  pipeline: CompiledPipeline,
  run: ExecutionView | null,
  before: string | null = null,
): Drawing {
  const shape = shapeOf(pipeline)
  const { last } = shape
  const views = shape.nodes.map(({ node }) => run?.nodes[node.id])
  const path = run?.critical_path ?? NO_PATH
  const others = views.map((view, at) => last?.before !== before || view !== last.views[at])
  const { signals } = shape
  const nameOf = namesIn(pipeline.nodes)
  const nodes = reuseList(last?.drawing.nodes, signals.length + views.length, (at, old) => {
    const own = at - signals.length
    if (own < 0) return signals[at]!
    if (old !== undefined && !others[own]) return old
    return drawNode(shape.nodes[own]!, views[own], nameOf, before)
  })
  const next = path === last?.path ? null : new Map(path.slice(0, -1).map((id, at) => [id, path[at + 1]]))
  const edges = reuseList(last?.drawing.edges, shape.links.length, (at, old) => {
    const link = shape.links[at]!
    const { edge, from, to } = link
    const critical = next === null ? (old?.critical ?? false) : next.get(edge.from) === edge.to
    const isOther = others[to] || (from !== null && others[from])
    if (old?.critical === critical && !isOther) return old
    const status = views[to]?.status
    const state = stateOf(link, from === null ? undefined : views[from], status)
    const flowing = state === 'taken' && (status === 'running' || status === 'retrying')
    if (old?.critical === critical && old.state === state && old.flowing === flowing) return old
    return { ...edge, critical, state, flowing }
  })
  shape.last = { views, path, before, drawing: { nodes, edges } }
  return shape.last.drawing
}

const NO_PATH: readonly string[] = []

function stateOf(
  { from, outcomes }: Link,
  source: NodeView | undefined,
  status: NodeStatus | undefined,
): DrawnEdge['state'] {
  if (from === null)
    return status === undefined || status === 'pending' ? 'open' : status === 'skipped' ? 'dead' : 'taken'
  if (source === undefined) return 'open'
  const states = outcomes.map((outcome) => happened(outcome, source))
  return states.includes('taken') ? 'taken' : states.includes('open') ? 'open' : 'dead'
}

function drawNode(
  { node, still }: Shape['nodes'][number],
  view: NodeView | undefined,
  nameOf: (id: string) => string,
  before: string | null,
): DrawnNode {
  return {
    id: node.id,
    kind: 'task',
    name: node.definition.name ?? node.id,
    task: node.task,
    child: node.child === null ? null : { pipeline: node.child, execution: view?.child_execution_id ?? null },
    gate: still.gate,
    outcomes: still.outcomes,
    gateText: node.definition.startWhen,
    finally: node.finally,
    each: node.definition.forEach !== undefined,
    status: view?.status ?? null,
    rejected: view?.status === 'failed' && rejectedBy(view.error) !== null,
    handled: view?.handled ?? false,
    byHand: view?.by_hand != null,
    reused: view !== undefined && isReused(view, before),
    madeUp: false,
    critical: view?.critical ?? false,
    slackMs: view === undefined || isTerminal(view.status) ? null : view.slack_ms,
    startedAt: view?.started_at ?? null,
    finishedAt: view?.finished_at ?? null,
    items: view?.items ?? null,
    progress: view?.status === 'running' ? (view.progress?.ratio ?? null) : null,
    note: view === undefined ? null : noteOf(view, nameOf),
    unbegun: view?.waiting_for?.kind === 'worker',
    wakeAt: view === undefined ? null : wakeOf(view),
    nextTry: view?.status === 'retrying' ? view.attempts + 1 : null,
    pinned: false,
    stale: null,
  }
}

/** When its timer ends; null: it waits for something else. */
function wakeOf(node: NodeView): string | null {
  const timed = node.status === 'waiting' && node.waiting_for?.kind === 'timer'
  return timed || node.status === 'retrying' ? node.next_wake_at : null
}

/** The fields of a card outside of a run. */
export const BARE = {
  gate: [],
  gateText: '',
  finally: false,
  each: false,
  status: null,
  rejected: false,
  handled: false,
  byHand: false,
  reused: false,
  madeUp: false,
  critical: false,
  slackMs: null,
  startedAt: null,
  finishedAt: null,
  items: null,
  child: null,
  progress: null,
  note: null,
  unbegun: false,
  wakeAt: null,
  nextTry: null,
  pinned: false,
  stale: null,
} satisfies Partial<DrawnNode>

/** The node of an external event. */
export const signal = (type: string): DrawnNode => ({
  ...BARE,
  id: type,
  kind: 'signal',
  name: eventNameOf(type),
  task: 'external event',
  outcomes: ['completed'],
})
