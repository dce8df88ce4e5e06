import { isSame, type Identity } from '@/core/engine/principal'
import type { Entry, Json, NodeError, VariableWrite } from '@/core/engine/event'
import { enter } from '@/core/engine/lifecycle'
import { resetNode, restart } from './reset'
import { beginRollback, endRollback, evolveCompensation, leaveRollback } from './rollback'
import { evolveTask } from './task'
import { countFailures, noteFailure, noteHandled } from './handlers'
import { parseInstant } from '@/core/engine/instant'
import type { Mock } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import { armRun, instantOf, setNode, updateItems } from './set-node'
import { mockedValuesOf } from '@/core/engine/mocked-values'
import { isHeld, NO_PAUSES, pausesAfter, type PauseEvent } from '@/core/engine/pauses'
import { nodeOfSnapshot, takeSnapshot } from './snapshot'
import type {
  ApprovalState,
  ExecutionState,
  ItemsState,
  NodeState,
  Origin,
  Parent,
  Vote,
} from '@/core/engine/state'
import { isDecision, isRollingBack, isTerminal, nodeOf } from '@/core/engine/state'
import { writerOf } from './superseded'
import { markGatesDirty } from './wide-gates'
import {
  typedEvent,
  unreachable,
  type ExternalEvent,
  type NodeEvent,
  type PayloadOf,
  type PipelineEvent,
} from '@/core/engine/typed-event'

/**
 * Folds one entry into the state, in place: the caller owns `state` and nobody else may hold it across the call.
 * Total for every log that `step` produced, and deterministic: it evaluates nothing and knows no time but the entry's.
 * A gap in seq or an entry that cannot follow is a broken invariant and throws.
 */
export function evolve(state: ExecutionState, entry: Entry): void {
  const { event } = entry
  if (event.seq !== state.seq + 1) {
    throw new Error(`invariant: ${state.executionId} is at seq ${state.seq} and cannot fold seq ${event.seq}`)
  }
  const at = parseInstant(event.timestamp)
  state.seq = event.seq
  state.updatedAt = at
  for (const write of entry.variables) {
    if (nodeOfSnapshot(write.name) === null) evolveVariable(state, write, event.seq)
  }
  state.events.set(event.type, event.seq)
  const typed = typedEvent(event)
  markGatesDirty(state, state.pipeline.listeners.get(event.type), typed.node)
  switch (typed.level) {
    case 'pipeline':
      return evolvePipeline(state, typed, entry, at)
    case 'external':
      return evolveVote(state, typed, at)
    case 'task':
      return evolveTask(state, typed, at)
    case 'rollback':
      return evolveCompensation(state, typed, at)
    case 'node':
      return evolveNode(state, typed, entry, at)
  }
}

function evolveVariable(state: ExecutionState, { name, value, ref }: VariableWrite, seq: number): void {
  state.variables.set(name, ref === undefined ? { value, seq } : { value, ref, seq })
  state.variableBytes += jsonBytes(value, Infinity)
  const writer = writerOf(name)
  if (!state.nodes.has(writer)) return
  const written = state.writes.get(writer)
  if (written === undefined) state.writes.set(writer, [name])
  else written.push(name)
}

const actorOf = ({ actor, actor_id }: Entry['event']): Identity => ({
  id: actor_id ?? null,
  name: actor ?? '',
})

/** Each person once, however often they run it again. */
function addRequester(state: ExecutionState, actor: Identity): void {
  if (!state.requesters.some((known) => isSame(known, actor))) state.requesters = [...state.requesters, actor]
}

function evolvePipeline(state: ExecutionState, typed: PipelineEvent, entry: Entry, at: number): void {
  switch (typed.word) {
    case 'created': {
      const { payload, event } = typed
      state.createdAt = at
      state.priority = payload.priority
      state.labels = payload.labels
      // A node may be called as what every object has.
      state.mocks = Object.assign(Object.create(null) as Record<string, Mock>, payload.mocks)
      state.mockedInputs = payload.mocked_inputs ?? []
      state.byHandAbove = payload.by_hand_above ?? []
      if (payload.sub_pipelines !== undefined)
        state.subPipelines = new Map(Object.entries(payload.sub_pipelines))
      state.subOutputs = new Map(Object.entries(payload.sub_outputs ?? {}))
      state.requestedBy = actorOf(event)
      state.requesters = [state.requestedBy, ...(payload.also_requested_by ?? [])]
      state.parent = parentOf(payload.parent)
      state.origin = originOf(payload.origin)
      state.traceParent = payload.trace_parent ?? null
      return takeSnapshot(state, payload.events ?? [], entry)
    }
    case 'restarted':
      // A run that rolled back begins again by itself.
      if (typed.payload.after_rollback === undefined || state.rollback?.plan.trigger === 'manual')
        addRequester(state, actorOf(typed.event))
      return restart(state, typed)
    case 'scheduled':
      enter(state, 'SCHEDULING')
      return
    case 'started':
      enter(state, 'EXECUTING')
      state.firstStartedAt ??= at
      state.startedAt = at
      for (const node of state.pipeline.nodes.values()) if (!node.finally) state.dirty.add(node.id)
      armRun(state, typed.payload)
      return
    case 'paused':
      return evolvePauses(state, typed)
    case 'resumed':
      evolvePauses(state, typed)
      for (const [id, node] of state.nodes) if (!isTerminal(node.status)) state.dirty.add(id)
      return
    case 'rolling_back':
      return beginRollback(state, typed, { actor: actorOf(typed.event), at })
    case 'rolled_back':
      endRollback(state, typed.payload)
      if (typed.payload.then === 'end') finish(state, 'ROLLBACK', at, state.rollback?.plan.cause ?? null)
      return
    case 'cancelling':
      if (state.rollback !== null && isRollingBack(state))
        state.rollback = { ...state.rollback, stopped: { reason: typed.payload.reason } }
      state.cancelling = {
        reason: typed.payload.reason,
        timedOut: typed.payload.timed_out === true,
      }
      for (const [id, attempt] of state.inFlight) {
        state.inFlight.set(id, { ...attempt, stopping: true })
        state.touched.add(id)
      }
      state.timers.disarm('run', '')
      for (const [id, node] of state.nodes) if (node.items !== null) state.dirty.add(id)
      return
    case 'verifying':
      enter(state, 'VERIFYING')
      state.checks = typed.payload.checks ?? []
      return
    case 'completed':
      return finish(state, 'COMMIT', at, null)
    case 'failed':
      return finish(state, 'FAILED', at, typed.payload.error)
    case 'cancelled':
      return finish(state, 'CANCELLED', at, null)
    case 'closed':
      state.closedAt = at
      return
    default:
      return unreachable(typed)
  }
}

/** Its children are wanted in another state from now on. */
function evolvePauses(state: ExecutionState, typed: PauseEvent): void {
  state.pauses = pausesAfter(state.pauses, typed)
  state.paused = isHeld(state.pauses)
  for (const [key, { child }] of state.inFlight) if (child !== null) state.touched.add(key)
}

function parentOf(parent: PayloadOf<'pipeline', 'created'>['parent']): Parent | null {
  if (parent === undefined) return null
  const { execution_id, node_id, generation, item, attempt, token, depth } = parent
  return { executionId: execution_id, key: { node: node_id, generation, item, attempt, token }, depth }
}

function originOf(origin: PayloadOf<'pipeline', 'created'>['origin']): Origin | null {
  return origin === undefined ? null : { executionId: origin.execution_id, seq: origin.seq }
}

function finish(
  state: ExecutionState,
  lifecycle: 'COMMIT' | 'FAILED' | 'CANCELLED' | 'ROLLBACK',
  at: number,
  error: NodeError | null,
): void {
  leaveRollback(state)
  enter(state, lifecycle)
  state.finishedAt = at
  state.error = error
  state.handledFailures = lifecycle === 'COMMIT' ? countFailures(state) : 0
  // A pause holds the run; what comes after its outcome is not held.
  state.pauses = NO_PAUSES
  state.paused = false
  state.timers.disarm('run', '')
  for (const node of state.pipeline.finallyNodes) state.dirty.add(node)
}

/** An external event that names a waiting approval is a vote; every other only counts for gates. */
function evolveVote(
  state: ExecutionState,
  { node: id, word, payload, event }: ExternalEvent,
  at: number,
): void {
  if (!isDecision(word)) return
  const node = state.nodes.get(id)
  if (node?.status !== 'waiting' || node.approval === null) return
  const { comment, form = null } = payload
  const approver = { id: event.actor_id ?? null, name: textOf(payload['approver']) ?? '' }
  const vote: Vote = { approver, decision: word, comment: textOf(comment), form, at }
  state.nodes.set(id, { ...node, approval: { ...node.approval, votes: [...node.approval.votes, vote] } })
}

/** External payloads are free; the decision of an approval writes both of these as text. */
const textOf = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null)

function evolveNode(state: ExecutionState, typed: NodeEvent, entry: Entry, at: number): void {
  const { node: id, event } = typed
  if (event.item !== undefined) return evolveItem(state, typed, event.item)
  if (typed.word === 'reset') return resetNode(state, id, event.generation, typed.payload.token)
  if (typed.word === 'rolled_back') return undo(state, id, at)
  setNode(state, id, nextNode(state, typed, entry, at))
}

/** It had ended, and stays so: nothing that is counted changes. */
function undo(state: ExecutionState, id: string, at: number): void {
  const node = nodeOf(state, id)
  const { generation, token, attempts, child, items } = node
  const ended = { generation, token, attempts, child, items, finishedAt: at }
  state.nodes.set(id, { ...ended, status: 'rolled_back', startedAt: startOf(node) })
}

/** What happens to one item of a forEach between its attempts. */
function evolveItem(state: ExecutionState, typed: NodeEvent, item: number): void {
  const { node: id } = typed
  switch (typed.word) {
    case 'waiting': {
      const dueAt = instantOf(typed.payload.due_at)
      if (dueAt !== null) state.timers.arm({ kind: 'wait', node: id, item, dueAt })
      return
    }
    case 'retrying': {
      const { attempt, due_at } = typed.payload
      state.timers.arm({ kind: 'retry', node: id, item, dueAt: parseInstant(due_at) })
      nodeOf(state, id).items?.retries.set(item, attempt)
      return
    }
    case 'queued': {
      const { attempt } = typed.payload
      state.timers.disarm('retry', id, item)
      return updateItems(state, id, (items) => {
        items.retries.delete(item)
        return { ...items, queued: [...items.queued, { item, attempt }] }
      })
    }
    default:
      throw new Error(`invariant: ${typed.event.type} is about no item`)
  }
}

type NextNodeEvent = Exclude<NodeEvent, { word: 'reset' | 'rolled_back' }>
type EndWord = 'completed' | 'failed' | 'skipped' | 'cancelled'
type EndOfNode = Extract<NextNodeEvent, { word: EndWord }>

/** The states are written out rather than spread: this runs for every event of every node, and a spread costs several times as much. */
function nextNode(state: ExecutionState, typed: NextNodeEvent, entry: Entry, at: number): NodeState {
  const { node: id } = typed
  const node = nodeOf(state, id)
  const { generation, token, attempts, child, items } = node
  switch (typed.word) {
    case 'queued': {
      const { gate, attempt, pool = null } = typed.payload
      state.timers.disarm('start', id)
      state.timers.disarm('retry', id)
      state.dirty.add(id)
      const startedAt = startOf(node)
      const since = at
      const status = 'queued'
      return { generation, token, attempts, child, items, status, since, pool, gate, startedAt, attempt }
    }
    case 'retrying': {
      const { attempt, due_at } = typed.payload
      state.timers.arm({ kind: 'retry', node: id, item: null, dueAt: parseInstant(due_at) })
      const gate = 'gate' in node ? node.gate : { events: [], conditions: [] }
      const startedAt = startOf(node) ?? at
      return { generation, token, attempts, child, items, status: 'retrying', startedAt, gate, attempt }
    }
    case 'started': {
      const { gate, items: total } = typed.payload
      noteHandled(state, id, gate.events)
      if (total !== undefined) state.dirty.add(id)
      state.timers.disarm('start', id)
      const begun = total === undefined ? null : newItems(total)
      return { generation, token, attempts, child, items: begun, status: 'running', startedAt: at, gate }
    }
    case 'waiting':
      return waiting(state, id, node, typed.payload)
    case 'approved':
    case 'rejected':
    case 'timeout':
      return node
    case 'completed':
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return endedNode(state, typed, entry, at)
    default:
      return unreachable(typed)
  }
}

const startOf = (node: NodeState): number | null => ('startedAt' in node ? node.startedAt : null)

function endedNode(state: ExecutionState, typed: EndOfNode, entry: Entry, at: number): NodeState {
  const { node: id } = typed
  const node = nodeOf(state, id)
  const { generation, token, attempts, child, items } = node
  const approval = 'approval' in node ? node.approval : null
  const finishedAt = at
  if (typed.word === 'completed') {
    const outputs = entry.variables.map((write) => write.name.slice(id.length + 1))
    const status = typed.word
    const startedAt = startOf(node) ?? at
    const { by_hand } = typed.payload
    const byHand = by_hand === undefined ? null : { actor: actorOf(typed.event), reason: by_hand.reason }
    const ended = { generation, token, attempts, child, items, startedAt, finishedAt }
    return { ...ended, status, outputs, approval, byHand }
  }
  const ended = { generation, token, attempts, child, items, finishedAt }
  switch (typed.word) {
    case 'failed': {
      const { error } = typed.payload
      if (state.pipeline.nodes.get(id)?.finally) state.warnings.push(`${id} failed: ${error.message}`)
      noteFailure(state, id)
      return { ...ended, status: 'failed', startedAt: startOf(node), error, approval }
    }
    case 'skipped': {
      const { reason, cause } = typed.payload
      return { ...ended, status: 'skipped', reason, cause }
    }
    case 'cancelled':
      return { ...ended, status: 'cancelled', startedAt: startOf(node) ?? at }
  }
}

function newItems(total: number): ItemsState {
  return { total, next: 0, running: 0, retries: new Map(), queued: [], completed: 0, errors: [] }
}

function waiting(
  state: ExecutionState,
  id: string,
  node: NodeState,
  payload: PayloadOf<'node', 'waiting'>,
): NodeState {
  const dueAt = instantOf(payload.due_at)
  if (payload.for === 'event') {
    if (node.status !== 'pending')
      throw new Error(`invariant: ${id} waits for its start and is ${node.status}`)
    if (payload.expired === true) {
      state.timers.disarm('start', id)
      state.dirty.add(id)
      return { ...node, startExpired: payload.events.filter((type) => !state.events.has(type)) }
    }
    if (dueAt !== null) state.timers.arm({ kind: 'start', node: id, item: null, dueAt })
    return { ...node, startDeadline: dueAt }
  }
  if (node.status !== 'running') throw new Error(`invariant: ${id} waits and is ${node.status}`)
  const { status: _, ...rest } = node
  if (payload.for === 'time') {
    if (dueAt !== null) state.timers.arm({ kind: 'wait', node: id, item: null, dueAt })
    return { ...rest, status: 'waiting', approval: null }
  }
  const approval: ApprovalState = {
    message: payload.message,
    approvers: payload.approvers,
    quorum: payload.quorum,
    rejectQuorum: payload.reject_quorum,
    onTimeout: payload.on_timeout,
    excludeRequester: payload.exclude_requester,
    form: payload.form,
    dueAt,
    // Journals of earlier versions do not say it.
    mocked: payload.mocked ?? mockedValuesOf(state, state.pipeline.nodes.get(id)!),
    votes: [],
    byHand: payload.by_hand ?? [],
  }
  if (dueAt !== null) state.timers.arm({ kind: 'approval', node: id, item: null, dueAt })
  return { ...rest, status: 'waiting', approval }
}
