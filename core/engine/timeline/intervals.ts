import { instantOf } from '@/core/engine/fold/set-node'
import { parseInstant } from '@/core/engine/instant'
import { unreachable, type NodeEvent, type PayloadOf, type TaskEvent } from '@/core/engine/typed-event'

/** How a stretch of a node's time ended; null while it goes on, or where what follows says enough (a slot was free). */
export type Outcome =
  | 'completed'
  | 'by_hand'
  | 'failed'
  | 'approved'
  | 'rejected'
  | 'timeout'
  | 'lost'
  | 'stopped'
  | 'skipped'
  | 'cancelled'
  | 'reset'

/**
 * A stretch of the time of a node, or of one item of its forEach. Instants are milliseconds since the epoch; `to` is null while it goes on.
 * queued: ready, waits for a slot. running: an attempt. retrying: between two attempts. waiting: for people, a time, an event from
 * outside, or the run of another pipeline; of the last two kinds of work (time, child) it is an attempt, too. begin: an attempt was handed to a
 * worker, and its work has not begun: a process, its files or the end of an earlier attempt are missing.
 */
export type Interval = {
  readonly kind: 'queued' | 'running' | 'retrying' | 'waiting'
  readonly waitsFor: 'people' | 'time' | 'event' | 'child' | 'begin' | null
  readonly generation: number
  /** null: of the node itself. */
  readonly item: number | null
  /** Number of the attempt that runs, or that is waited for; null where there are none (an approval). */
  readonly attempt: number | null
  readonly from: number
  readonly to: number | null
  readonly outcome: Outcome | null
  readonly error: string | null
  /** The execution that does the work. */
  readonly child: string | null
  /** When a wait is over by itself; null: never. */
  readonly dueAt: number | null
}

/** A stretch in which a node as a whole did one thing. run: some attempt has its slot. wait: all that is open waits. queue: a slot is missing. */
export type Piece = {
  readonly kind: 'run' | 'queue' | 'wait'
  readonly from: number
  readonly to: number | null
}

/** All that a node did in one generation. Pieces are in order and do not overlap; none is empty. */
export type Span = {
  readonly node: string
  readonly generation: number
  readonly from: number
  readonly end: number | null
  /** The seq that ended it, and how. */
  readonly endSeq: number | null
  readonly outcome: Outcome | null
  readonly pieces: readonly Piece[]
  /** What let it begin: another span (or an earlier one of this node), and when. null: the start of the run. */
  readonly cause: { readonly span: Span; readonly at: number } | null
  /** Did it begin, or was it only skipped? */
  readonly began: boolean
}

type Draft<T> = { -readonly [key in keyof T]: T[key] }
type OpenSpan = Omit<Draft<Span>, 'pieces'> & { pieces: Draft<Piece>[]; items: boolean }

/** What one node did, folded event by event. Belongs to the fold; others read it. */
export type NodeIntervals = {
  readonly id: string
  /** In the order in which they began. */
  readonly all: Interval[]
  /** The same by item; under null what is about no item. */
  readonly byItem: Map<number | null, Interval[]>
  readonly spans: OpenSpan[]
  readonly open: Map<number | null, Draft<Interval>>
  readonly counts: Record<Interval['kind'], number>
  /** Of what happens next. */
  generation: number
  /** Open intervals that only people or the outside can end. */
  idle: number
}

export function newNodeIntervals(id: string): NodeIntervals {
  const counts = { queued: 0, running: 0, retrying: 0, waiting: 0 }
  return { id, all: [], byItem: new Map(), spans: [], open: new Map(), counts, generation: 1, idle: 0 }
}

/**
 * A copy that goes on by itself. `spanOf` is filled with the copies of its spans; what let each begin is still the old one, because
 * that may belong to another node.
 */
export function copyOfIntervals(node: NodeIntervals, spanOf: Map<Span, Span>): NodeIntervals {
  const copies = new Map(node.all.map((interval) => [interval, { ...interval }]))
  const spans = node.spans.map((span) => ({ ...span, pieces: span.pieces.map((piece) => ({ ...piece })) }))
  for (const [index, span] of node.spans.entries()) spanOf.set(span, spans[index]!)
  return {
    ...node,
    all: [...copies.values()],
    byItem: new Map([...node.byItem].map(([item, own]) => [item, own.map((each) => copies.get(each)!)])),
    spans,
    open: new Map([...node.open].map(([item, each]) => [item, copies.get(each)!])),
    counts: { ...node.counts },
  }
}

/** The span that goes on, or undefined. */
export function openSpan(node: NodeIntervals): OpenSpan | undefined {
  const last = node.spans.at(-1)
  return last?.end === null ? last : undefined
}

/** Does something go on that moves by itself: an attempt, a timer, a queue? */
export const isActive = (node: NodeIntervals): boolean =>
  node.open.size > node.idle || (node.open.size === 0 && openSpan(node)?.items === true)

export const isAttempt = ({ kind, waitsFor }: Interval): boolean =>
  kind === 'running' || waitsFor === 'time' || waitsFor === 'child'

/** Begins the span of the present generation. */
export function beginSpan(node: NodeIntervals, from: number, cause: Span['cause']): void {
  node.spans.push({
    node: node.id,
    generation: node.generation,
    from,
    end: null,
    endSeq: null,
    outcome: null,
    pieces: [],
    cause,
    began: false,
    items: false,
  })
}

/** The node waits for an external event, and none of its own events says so. */
export function beginEventWait(node: NodeIntervals, from: number): void {
  begin(node, { kind: 'waiting', waitsFor: 'event', generation: node.generation }, from)
  updatePiece(node, from)
}

/**
 * Folds an event of this node that happened at `at`, in time that does not depend on how much happened before but for what is open.
 * Total: of a log that begins in the middle it shows what that log has.
 */
export function foldEvent(node: NodeIntervals, typed: NodeEvent | TaskEvent, at: number): void {
  const { event } = typed
  if (typed.level === 'node' && typed.word === 'reset') {
    node.generation = event.generation
    // Nothing happened to it in its generation, or it has ended.
    if (openSpan(node) === undefined) return
  }
  if (openSpan(node) === undefined) beginSpan(node, at, null)
  const span = openSpan(node)!
  const ends = typed.level === 'task' ? foldTask(node, typed, at) : foldNode(node, span, typed, at)
  span.began ||= (ends !== 'skipped' && ends !== 'reset') || span.pieces.length > 0
  if (ends !== null) {
    for (const item of [...node.open.keys()]) close(node, item, at, ends)
    span.items = false
    span.end = at
    span.endSeq = event.seq
    span.outcome = ends
  }
  updatePiece(node, at)
}

/** Folds all but the end of the node; answers with how it ended, or null. */
function foldNode(node: NodeIntervals, span: OpenSpan, typed: NodeEvent, at: number): Outcome | null {
  const { generation } = typed.event
  const item = typed.event.item ?? null
  const last = node.open.get(item)
  const about = { generation, item }
  switch (typed.word) {
    case 'started':
      span.items = typed.payload.items !== undefined
      close(node, item, at, null)
      return null
    case 'queued':
      close(node, item, at, null)
      begin(node, { ...about, kind: 'queued', attempt: typed.payload.attempt }, at)
      return null
    case 'retrying': {
      const own = node.byItem.get(item)?.at(-1) as Draft<Interval> | undefined
      // Nobody stopped it: it is tried again because its worker was lost.
      if (own?.outcome === 'stopped') own.outcome = 'lost'
      const { attempt, due_at } = typed.payload
      begin(node, { ...about, kind: 'retrying', attempt, dueAt: parseInstant(due_at) }, at)
      return null
    }
    case 'waiting':
      foldWaiting(node, typed.payload, about, at)
      return null
    case 'approved':
    case 'rejected':
    case 'timeout':
      if (last?.waitsFor === 'people') last.outcome = typed.word
      return null
    case 'completed':
      if (typed.payload.by_hand === undefined) return typed.word
      // A mark of no length: when a person said that it is done.
      begin(node, { ...about, kind: 'waiting', waitsFor: 'people' }, at)
      return 'by_hand'
    case 'failed':
    case 'skipped':
    case 'cancelled':
    case 'reset':
      return typed.word
    case 'rolled_back':
      return null
    default:
      return unreachable(typed)
  }
}

/** Folds what happens to an attempt: no node ends by it. */
function foldTask(node: NodeIntervals, typed: TaskEvent, at: number): null {
  const { generation, attempt } = typed.event
  const item = typed.event.item ?? null
  const last = node.open.get(item)
  const about = { generation, item }
  switch (typed.word) {
    case 'started':
      if (attempt === undefined) return null
      close(node, item, at, null)
      beginAttempt(node, { ...about, attempt }, typed.payload, at)
      return null
    case 'running':
      if (last?.waitsFor === 'begin') beginWork(node, last, at)
      return null
    case 'completed':
      if (last?.waitsFor === 'begin') nobodySaidWhen(last)
      close(node, item, at, 'completed')
      return null
    case 'failed': {
      const { kind, message } = typed.payload.error
      // What was stopped with its run did not go wrong.
      if (last !== undefined) last.error = message
      close(node, item, at, kind === 'cancelled' ? 'cancelled' : 'failed')
      return null
    }
    case 'lost': {
      const { next_token: next, final, reason } = typed.payload
      if (last !== undefined) last.error = reason
      close(node, item, at, next === undefined && final === false ? 'stopped' : 'lost')
      // The same attempt goes on under the next token, without a start of its own.
      if (next !== undefined && last?.attempt != null)
        beginAttempt(
          node,
          { ...about, attempt: last.attempt },
          { ...typed.payload, ...(last.child === null ? {} : { child_execution_id: last.child }) },
          at,
        )
      return null
    }
    default:
      return unreachable(typed)
  }
}

function foldWaiting(
  node: NodeIntervals,
  payload: PayloadOf<'node', 'waiting'>,
  { generation, item }: { readonly generation: number; readonly item: number | null },
  at: number,
): void {
  const last = node.open.get(item)
  const dueAt = instantOf(payload.due_at)
  switch (payload.for) {
    case 'event':
      if (payload.expired === true) return close(node, item, at, 'timeout')
      if (last === undefined) begin(node, { kind: 'waiting', waitsFor: 'event', generation, dueAt }, at)
      else last.dueAt = dueAt
      return
    case 'time':
      if (last === undefined) return
      node.counts[countedAs(last)] -= 1
      node.counts.waiting += 1
      Object.assign(last, { kind: 'waiting', waitsFor: 'time', dueAt })
      return
    case 'people':
      close(node, item, at, null)
      begin(node, { kind: 'waiting', waitsFor: 'people', generation, dueAt }, at)
  }
}

function beginAttempt(
  node: NodeIntervals,
  about: Pick<Interval, 'generation' | 'item' | 'attempt'>,
  {
    child_execution_id: child,
    begin_by,
  }: Pick<PayloadOf<'task', 'started'>, 'child_execution_id' | 'begin_by'>,
  at: number,
): void {
  if (child != null) begin(node, { ...about, kind: 'waiting', waitsFor: 'child', child }, at)
  else if (begin_by !== undefined) begin(node, { ...about, kind: 'waiting', waitsFor: 'begin' }, at)
  else begin(node, { ...about, kind: 'running' }, at)
}

/** The worker has all that the attempt needs. What took no time is not shown. */
function beginWork(node: NodeIntervals, waited: Draft<Interval>, at: number): void {
  const { item, generation, attempt, from } = waited
  close(node, item, at, null)
  if (from === at && node.all.at(-1) === waited) {
    node.all.pop()
    node.byItem.get(item)?.pop()
  }
  begin(node, { item, generation, attempt, kind: 'running' }, at)
}

/** It completed, so its work had begun: with its start, as far as anybody knows. */
const nobodySaidWhen = (attempt: Draft<Interval>): void =>
  void Object.assign(attempt, { kind: 'running', waitsFor: null })

/** An attempt that waits to begin has its slot: for the node as a whole, and for the critical path, it runs. */
const countedAs = ({ kind, waitsFor }: Pick<Interval, 'kind' | 'waitsFor'>): Interval['kind'] =>
  waitsFor === 'begin' ? 'running' : kind

function begin(
  node: NodeIntervals,
  about: Pick<Interval, 'kind' | 'generation'> & Partial<Interval>,
  from: number,
): void {
  const interval: Draft<Interval> = {
    waitsFor: null,
    item: null,
    attempt: null,
    to: null,
    outcome: null,
    error: null,
    child: null,
    dueAt: null,
    ...about,
    from,
  }
  node.all.push(interval)
  const own = node.byItem.get(interval.item)
  if (own === undefined) node.byItem.set(interval.item, [interval])
  else own.push(interval)
  node.open.set(interval.item, interval)
  node.counts[countedAs(interval)] += 1
  if (isIdle(interval)) node.idle += 1
}

const isIdle = ({ waitsFor }: Interval): boolean => waitsFor === 'people' || waitsFor === 'event'

function close(node: NodeIntervals, item: number | null, at: number, outcome: Outcome | null): void {
  const interval = node.open.get(item)
  if (interval === undefined) return
  node.open.delete(item)
  node.counts[countedAs(interval)] -= 1
  if (isIdle(interval)) node.idle -= 1
  interval.to = at
  interval.outcome ??= outcome
  // That it could have waited was only supposed; the event was there already.
  if (interval.waitsFor === 'event' && interval.from === at && node.all.at(-1) === interval) {
    node.all.pop()
    node.byItem.get(item)?.pop()
  }
}

/** Keeps the last piece of the node as its open intervals are. */
function updatePiece(node: NodeIntervals, at: number): void {
  const span = node.spans.at(-1)
  if (span === undefined) return
  const { pieces } = span
  const kind = span.end === null ? kindOf(node, span) : null
  const last = pieces.at(-1)
  if (last?.to === null) {
    if (last.kind === kind) return
    if (last.from === at) pieces.pop()
    else last.to = at
  }
  if (kind === null) return
  const before = pieces.at(-1)
  if (before?.kind === kind && before.to === at) before.to = null
  else pieces.push({ kind, from: Math.max(at, before?.to ?? at), to: null })
}

function kindOf({ counts }: NodeIntervals, span: OpenSpan): Piece['kind'] | null {
  if (counts.running > 0) return 'run'
  if (counts.waiting + counts.retrying > 0) return 'wait'
  // A forEach that has begun and does nothing has got no slot yet.
  return counts.queued > 0 || span.items ? 'queue' : null
}
