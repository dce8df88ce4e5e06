import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import type { Entry, VariableWrite } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { isHeld, NO_PAUSES, pausesAfter, type Pauses } from '@/core/engine/pauses'
import {
  beginEventWait,
  beginSpan,
  copyOfIntervals,
  foldEvent,
  isActive,
  newNodeIntervals,
  openSpan,
  type NodeIntervals,
  type Span,
} from './intervals'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import {
  typedEvent,
  unreachable,
  type NodeEvent,
  type PipelineEvent,
  type TaskEvent,
} from '@/core/engine/typed-event'

/** A stretch in which nothing moved by itself: nothing was open, or all that was waited for people or the outside. */
export type Idle = { readonly from: number; readonly to: number | null }

/** As much of a pipeline as a timeline needs: none of it has to be compiled anew where it is drawn. */
export type TimelinePipeline = Pick<
  CompiledPipeline,
  'levels' | 'listeners' | 'successors' | 'predecessors'
> & { readonly nodes: ReadonlyMap<string, Pick<CompiledNode, 'definition' | 'finally' | 'gateEvents'>> }

/**
 * What happened in a run, over time: a fold beside `evolve`, for the eye. Instants are milliseconds since the epoch and never go
 * back: a time before the latest one, by a clock that was set back, counts as the latest one.
 */
export type Timeline = {
  readonly pipeline: TimelinePipeline
  readonly nodes: ReadonlyMap<string, NodeIntervals>
  /** Of the latest event. */
  at: number
  /** Of the first event; 0 before there is one. */
  createdAt: number
  /** When the run began last, and what it came to since; null: not yet. */
  startedAt: number | null
  finishedAt: number | null
  closedAt: number | null
  readonly idle: readonly Idle[]
  /** Spans of the run (not of finally nodes) that go on, in the order in which they began. */
  readonly open: Set<Span>
  /** The one that ended last. */
  lastEnded: Span | null
}

type Seen = { readonly seq: number; readonly at: number }
type Draft = Omit<Timeline, 'idle'> & {
  readonly idle: { from: number; to: number | null }[]
  /** Latest occurrence of every event type that some gate names. */
  readonly seen: Map<string, Seen>
  readonly ended: Set<string>
  /** Nodes that move by themselves. */
  active: number
  pauses: Pauses
}

export function newTimeline(pipeline: TimelinePipeline): Timeline {
  const timeline: Draft = {
    pipeline,
    nodes: new Map([...pipeline.nodes.keys()].map((id) => [id, newNodeIntervals(id)])),
    at: 0,
    createdAt: 0,
    startedAt: null,
    finishedAt: null,
    closedAt: null,
    idle: [],
    open: new Set(),
    lastEnded: null,
    seen: new Map(),
    ended: new Set(),
    active: 0,
    pauses: NO_PAUSES,
  }
  return timeline
}

/** Folds the next entry into the timeline, in place. What it costs does not grow with the length of the run. */
export function follow(timeline: Timeline, { event, variables }: Entry): void {
  const draft = timeline as Draft
  const at = Math.max(draft.at, parseInstant(event.timestamp))
  draft.at = at
  const typed = typedEvent(event)
  switch (typed.level) {
    case 'pipeline':
      followRun(draft, typed, variables, at)
      break
    case 'node':
    case 'task':
      followNode(draft, typed, at)
      break
    // What undoes a node is no part of its work.
    case 'rollback':
    case 'external':
      break
  }
  if (draft.pipeline.listeners.has(event.type)) draft.seen.set(event.type, { seq: event.seq, at })
}

/** A copy that goes on by itself. */
export function copyOfTimeline(timeline: Timeline): Timeline {
  const draft = timeline as Draft
  const spanOf = new Map<Span, Span>()
  const nodes = new Map([...draft.nodes].map(([id, node]) => [id, copyOfIntervals(node, spanOf)]))
  for (const { spans } of nodes.values())
    for (const span of spans)
      if (span.cause !== null) span.cause = { ...span.cause, span: spanOf.get(span.cause.span)! }
  const copy: Draft = {
    ...draft,
    nodes,
    idle: draft.idle.map((idle) => ({ ...idle })),
    open: new Set([...draft.open].map((span) => spanOf.get(span)!)),
    lastEnded: draft.lastEnded && spanOf.get(draft.lastEnded)!,
    seen: new Map(draft.seen),
    ended: new Set(draft.ended),
  }
  return copy
}

function followRun(
  draft: Draft,
  typed: PipelineEvent,
  variables: readonly VariableWrite[],
  at: number,
): void {
  switch (typed.word) {
    case 'created':
      draft.createdAt = at
      draft.idle.push({ from: at, to: null })
      // What a fork takes over ended in another run.
      for (const { name } of variables) {
        const node = nodeOfSnapshot(name)
        if (node !== null) draft.ended.add(node)
      }
      return
    case 'scheduled':
    case 'verifying':
    case 'cancelling':
      return
    case 'rolling_back':
      draft.finishedAt = null
      draft.closedAt = null
      draft.pauses = { ...NO_PAUSES, parent: draft.pauses.parent }
      return
    case 'rolled_back':
      if (typed.payload.then === 'end') draft.finishedAt = at
      return
    case 'started':
      draft.startedAt = at
      return beginEventWaits(draft, at)
    case 'paused':
      draft.pauses = pausesAfter(draft.pauses, typed)
      return
    case 'resumed':
      draft.pauses = pausesAfter(draft.pauses, typed)
      return isHeld(draft.pauses) ? undefined : beginEventWaits(draft, at)
    case 'restarted':
      if (draft.finishedAt !== null || typed.payload.after_rollback !== undefined) {
        draft.startedAt = null
        draft.lastEnded = null
      }
      draft.finishedAt = null
      draft.closedAt = null
      return
    case 'completed':
    case 'failed':
    case 'cancelled':
      draft.finishedAt = at
      draft.pauses = NO_PAUSES
      return
    case 'closed':
      draft.closedAt = at
      return
    default:
      return unreachable(typed)
  }
}

function followNode(draft: Draft, typed: NodeEvent | TaskEvent, at: number): void {
  const { node: id } = typed
  if (typed.level === 'node' && typed.word === 'rolled_back') return
  const node = draft.nodes.get(id)
  if (node === undefined) throw new Error(`invariant: ${typed.event.id} is about no node of the pipeline`)
  const wasActive = isActive(node)
  const isReset = typed.level === 'node' && typed.word === 'reset'
  if (openSpan(node) === undefined && !isReset) open(draft, node, gateEventsOf(typed), at)
  foldEvent(node, typed, at)
  if (openSpan(node) === undefined) closed(draft, node)
  if (isReset) draft.ended.delete(id)
  noteActivity(draft, Number(isActive(node)) - Number(wasActive), at)
  if (!draft.ended.has(id) || isReset) return
  for (const after of draft.pipeline.successors.get(id) ?? []) beginEventWaitIfDue(draft, after, at)
}

/** The events that opened the gate of a node that queues or starts. */
const gateEventsOf = (typed: NodeEvent | TaskEvent): readonly string[] =>
  typed.level === 'node' && (typed.word === 'queued' || typed.word === 'started')
    ? typed.payload.gate.events
    : []

/** A node begins: its span says what let it. */
function open(draft: Draft, node: NodeIntervals, gate: readonly string[], at: number): void {
  const cause = causeOf(draft, node.id, gate)
  const outside = gate.filter(isExternal)
  const came = Math.max(-1, ...outside.map((type) => draft.seen.get(type)?.seq ?? -1))
  // The last that it needed came from outside: it has waited since all else was there.
  const waited = came > (cause?.seq ?? 0)
  const from = waited ? (cause?.at ?? draft.startedAt ?? at) : at
  begin(draft, node, from, cause)
  if (waited && from < at) beginEventWait(node, from)
}

function begin(draft: Draft, node: NodeIntervals, from: number, cause: Span['cause']): void {
  beginSpan(node, from, cause)
  if (!draft.pipeline.nodes.get(node.id)?.finally) draft.open.add(openSpan(node)!)
}

function closed(draft: Draft, node: NodeIntervals): void {
  const span = node.spans.at(-1)
  draft.ended.add(node.id)
  if (span !== undefined && draft.open.delete(span) && span.began) draft.lastEnded = span
}

/**
 * The last thing that had to happen before a node could begin: the end of a node before it, an event of one that goes on and
 * that its gate names, or the end of what it did itself before it was reset.
 */
function causeOf(
  draft: Draft,
  id: string,
  gate: readonly string[],
): (NonNullable<Span['cause']> & { readonly seq: number }) | null {
  let best: (NonNullable<Span['cause']> & { readonly seq: number }) | null = null
  const offer = (span: Span, at: number, seq: number) => {
    if (best === null || seq > best.seq) best = { span, at, seq }
  }
  for (const before of [id, ...(draft.pipeline.predecessors.get(id) ?? [])]) {
    const span = draft.nodes.get(before)?.spans.at(-1)
    if (span?.end != null) offer(span, span.end, span.endSeq ?? 0)
  }
  for (const type of gate) {
    const { level, node } = eventTypeOf(type)
    const span = level === 'external' ? undefined : draft.nodes.get(node)?.spans.at(-1)
    const seen = draft.seen.get(type)
    if (span?.end === null && seen !== undefined) offer(span, seen.at, seen.seq)
  }
  return best
}

/** What would have let a node begin, if it did now; null: the start of the run. */
export const lastBefore = (timeline: Timeline, id: string): Span | null =>
  causeOf(timeline as Draft, id, [])?.span ?? null

/** The run begins or is resumed: nodes that only wait for an external event wait from now on. */
function beginEventWaits(draft: Draft, at: number): void {
  for (const id of draft.nodes.keys()) beginEventWaitIfDue(draft, id, at)
}

/** All its predecessors have ended and it has not begun: only an external event can start it. */
function beginEventWaitIfDue(draft: Draft, id: string, at: number): void {
  const node = draft.nodes.get(id)
  const compiled = draft.pipeline.nodes.get(id)
  if (node === undefined || compiled === undefined || isHeld(draft.pauses) || draft.startedAt === null) return
  if (!compiled.gateEvents.some(isExternal)) return
  if (draft.ended.has(id) || openSpan(node) !== undefined) return
  if (draft.pipeline.predecessors.get(id)?.some((before) => !draft.ended.has(before))) return
  begin(draft, node, at, causeOf(draft, id, []))
  beginEventWait(node, at)
}

function noteActivity(draft: Draft, change: number, at: number): void {
  if (change === 0) return
  const before = draft.active
  draft.active += change
  const last = draft.idle.at(-1)
  if (before === 0 && last?.to === null) {
    if (last.from === at) draft.idle.pop()
    else last.to = at
  } else if (draft.active === 0) {
    // Of one instant to the next step of the same instant nothing was idle.
    if (last?.to === at) last.to = null
    else draft.idle.push({ from: at, to: null })
  }
}
