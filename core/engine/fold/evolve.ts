import type { Entry, Event, Json, JsonObject, NodeError, VariableWrite } from '@/core/engine/event'
import { resetNode, restart } from './reset'
import { evolveTask } from './task'
import { noteFailure, noteHandled } from './handlers'
import { parseInstant } from '@/core/engine/instant'
import type { Mock } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import { armRun, instantOf, place, placeItems } from './place'
import { isHeld, NO_PAUSES, pausesAfter } from '@/core/engine/pauses'
import { nodeOfSnapshot, takeSnapshot } from './snapshot'
import type {
  ApprovalState,
  ExecutionState,
  GateRecord,
  ItemsState,
  NodeState,
  Origin,
  Parent,
  SkipReason,
} from '@/core/engine/state'
import { isTerminal, nodeOf } from '@/core/engine/state'
import { writerOf } from './superseded'

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
  for (const listener of state.pipeline.listeners.get(event.type) ?? []) state.dirty.add(listener)
  switch (event.source.entity_type) {
    case 'pipeline':
      return evolvePipeline(state, entry, at)
    case 'external':
      return evolveVote(state, event, at)
    case 'task':
      return evolveTask(state, event, at)
    case 'node':
      return evolveNode(state, entry, at)
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

function evolvePipeline(state: ExecutionState, entry: Entry, at: number): void {
  const { event } = entry
  const payload = event.payload
  switch (event.type) {
    case 'pipeline.created':
      state.createdAt = at
      state.priority = payload['priority'] as number
      state.labels = payload['labels'] as Record<string, string>
      // A node may be called as what every object has.
      state.mocks = Object.assign(Object.create(null) as Record<string, Mock>, payload['mocks'])
      state.requestedBy = { id: event.actor_id ?? null, name: event.actor ?? '' }
      state.parent = parentOf(payload['parent'] as JsonObject | undefined)
      state.origin = originOf(payload['origin'] as JsonObject | undefined)
      return takeSnapshot(state, entry)
    case 'pipeline.restarted':
      return restart(state, event)
    case 'pipeline.scheduled':
      state.lifecycle = 'SCHEDULING'
      return
    case 'pipeline.started':
      state.lifecycle = 'EXECUTING'
      state.firstStartedAt ??= at
      state.startedAt = at
      for (const node of state.pipeline.nodes.values()) if (!node.finally) state.dirty.add(node.id)
      armRun(state, payload)
      return
    case 'pipeline.paused':
      return evolvePauses(state, event)
    case 'pipeline.resumed':
      evolvePauses(state, event)
      for (const [id, node] of state.nodes) if (!isTerminal(node.status)) state.dirty.add(id)
      return
    case 'pipeline.cancelling':
      state.cancelling = {
        reason: payload['reason'] as string | null,
        timedOut: payload['timed_out'] === true,
      }
      for (const [id, attempt] of state.inFlight) {
        state.inFlight.set(id, { ...attempt, stopping: true })
        state.touched.add(id)
      }
      state.timers.disarm('run', '')
      for (const [id, node] of state.nodes) if (node.items !== null) state.dirty.add(id)
      return
    case 'pipeline.verifying':
      state.lifecycle = 'VERIFYING'
      return
    case 'pipeline.completed':
      return finish(state, 'COMMIT', at, null)
    case 'pipeline.failed':
      return finish(state, 'FAILED', at, payload['error'] as unknown as NodeError)
    case 'pipeline.cancelled':
      return finish(state, 'CANCELLED', at, null)
    case 'pipeline.closed':
      state.closedAt = at
      return
    default:
      throw new Error(`invariant: unknown event ${event.type}`)
  }
}

/** Its children are wanted in another state from now on. */
function evolvePauses(state: ExecutionState, event: Event): void {
  state.pauses = pausesAfter(state.pauses, event)
  state.paused = isHeld(state.pauses)
  for (const [key, { child }] of state.inFlight) if (child !== null) state.touched.add(key)
}

function parentOf(parent: JsonObject | undefined): Parent | null {
  if (parent === undefined) return null
  const { execution_id, node_id, generation, item, attempt, token, depth } = parent
  const key = { node: node_id, generation, item, attempt, token } as Parent['key']
  return { executionId: execution_id as string, key, depth: depth as number }
}

function originOf(origin: JsonObject | undefined): Origin | null {
  if (origin === undefined) return null
  return { executionId: origin['execution_id'] as string, seq: origin['seq'] as number }
}

function finish(
  state: ExecutionState,
  lifecycle: 'COMMIT' | 'FAILED' | 'CANCELLED',
  at: number,
  error: NodeError | null,
): void {
  state.lifecycle = lifecycle
  state.finishedAt = at
  state.error = error
  // A pause holds the run; what comes after its outcome is not held.
  state.pauses = NO_PAUSES
  state.paused = false
  state.timers.disarm('run', '')
  for (const node of state.pipeline.finallyNodes) state.dirty.add(node)
}

/** An external event that names a waiting approval is a vote; every other only counts for gates. */
function evolveVote(state: ExecutionState, event: Event, at: number): void {
  const match = /^external\.([a-z][a-z0-9_]*)\.(approved|rejected)$/.exec(event.type)
  if (match === null) return
  const id = match[1]!
  const node = state.nodes.get(id)
  if (node?.status !== 'waiting' || node.approval === null) return
  const vote = {
    approver: { id: event.actor_id ?? null, name: event.payload['approver'] as string },
    decision: match[2] as 'approved' | 'rejected',
    comment: (event.payload['comment'] ?? null) as string | null,
    form: event.payload['form'] ?? null,
    at,
  }
  state.nodes.set(id, { ...node, approval: { ...node.approval, votes: [...node.approval.votes, vote] } })
}

function evolveNode(state: ExecutionState, entry: Entry, at: number): void {
  const { event } = entry
  const id = event.source.entity_id
  if (event.item !== undefined) return evolveItem(state, event, id, event.item)
  if (event.type === `${id}.reset`) return resetNode(state, event)
  place(state, id, nextNode(state, entry, nodeOf(state, id), at))
}

/** What happens to one item of a forEach between its attempts. */
function evolveItem(state: ExecutionState, event: Event, id: string, item: number): void {
  const { payload } = event
  const dueAt = instantOf(payload['due_at'])
  switch (event.type.slice(id.length + 1)) {
    case 'waiting':
      if (dueAt !== null) state.timers.arm({ kind: 'wait', node: id, item, dueAt })
      return
    case 'retrying':
      if (dueAt !== null) state.timers.arm({ kind: 'retry', node: id, item, dueAt })
      nodeOf(state, id).items?.retries.set(item, payload['attempt'] as number)
      return
    case 'queued': {
      const attempt = payload['attempt'] as number
      state.timers.disarm('retry', id, item)
      return placeItems(state, id, (items) => {
        items.retries.delete(item)
        return { ...items, queued: [...items.queued, { item, attempt }] }
      })
    }
    default:
      throw new Error(`invariant: ${event.type} is about no item`)
  }
}

function nextNode(state: ExecutionState, entry: Entry, node: NodeState, at: number): NodeState {
  const { event } = entry
  const id = event.source.entity_id
  const { generation, token, attempts, child, items } = node
  const base = { generation, token, attempts, child, items }
  const payload = event.payload
  const startedAt = 'startedAt' in node && node.startedAt !== null ? node.startedAt : null
  const approval = 'approval' in node ? node.approval : null
  switch (event.type.slice(id.length + 1)) {
    case 'queued': {
      const gate = payload['gate'] as unknown as GateRecord
      state.timers.disarm('start', id)
      state.timers.disarm('retry', id)
      state.dirty.add(id)
      return { ...base, status: 'queued', since: at, gate, startedAt, attempt: payload['attempt'] as number }
    }
    case 'retrying': {
      const dueAt = instantOf(payload['due_at'])
      if (dueAt !== null) state.timers.arm({ kind: 'retry', node: id, item: null, dueAt })
      const gate = 'gate' in node ? node.gate : { events: [], conditions: [] }
      return {
        ...base,
        status: 'retrying',
        startedAt: startedAt ?? at,
        gate,
        attempt: payload['attempt'] as number,
      }
    }
    case 'started': {
      const gate = payload['gate'] as unknown as GateRecord
      noteHandled(state, id, gate.events)
      if (payload['items'] !== undefined) state.dirty.add(id)
      state.timers.disarm('start', id)
      const total = payload['items'] as number | undefined
      return {
        ...base,
        items: total === undefined ? null : newItems(total),
        status: 'running',
        startedAt: at,
        gate,
      }
    }
    case 'waiting':
      return waiting(state, id, node, payload)
    case 'approved':
    case 'rejected':
    case 'timeout':
      return node
    case 'completed':
      return {
        ...base,
        status: 'completed',
        startedAt: startedAt ?? at,
        finishedAt: at,
        outputs: entry.variables.map((write) => write.name.slice(id.length + 1)),
        approval,
      }
    case 'failed': {
      const compiled = state.pipeline.nodes.get(id)
      const error = payload['error'] as unknown as NodeError
      if (compiled?.finally) state.warnings.push(`${id} failed: ${error.message}`)
      noteFailure(state, id)
      return { ...base, status: 'failed', startedAt, finishedAt: at, error, approval }
    }
    case 'skipped':
      return {
        ...base,
        status: 'skipped',
        finishedAt: at,
        reason: payload['reason'] as SkipReason,
        cause: payload['cause'] as string | null,
      }
    case 'cancelled':
      return { ...base, status: 'cancelled', startedAt: startedAt ?? at, finishedAt: at }
    default:
      throw new Error(`invariant: unknown event ${event.type}`)
  }
}

function newItems(total: number): ItemsState {
  return { total, next: 0, running: 0, retries: new Map(), queued: [], completed: 0, errors: [] }
}

function waiting(state: ExecutionState, id: string, node: NodeState, payload: JsonObject): NodeState {
  const dueAt = instantOf(payload['due_at'])
  if (payload['for'] === 'event') {
    if (node.status !== 'pending')
      throw new Error(`invariant: ${id} waits for its start and is ${node.status}`)
    if (payload['expired'] === true) {
      state.timers.disarm('start', id)
      state.dirty.add(id)
      const expired = (payload['events'] as string[]).filter((type) => !state.events.has(type))
      return { ...node, startExpired: expired }
    }
    if (dueAt !== null) state.timers.arm({ kind: 'start', node: id, item: null, dueAt })
    return { ...node, startDeadline: dueAt }
  }
  if (node.status !== 'running') throw new Error(`invariant: ${id} waits and is ${node.status}`)
  const { status: _, ...rest } = node
  if (payload['for'] === 'time') {
    if (dueAt !== null) state.timers.arm({ kind: 'wait', node: id, item: null, dueAt })
    return { ...rest, status: 'waiting', approval: null }
  }
  const approval: ApprovalState = {
    message: payload['message'] as string,
    approvers: payload['approvers'] as string[],
    quorum: payload['quorum'] as number,
    rejectQuorum: payload['reject_quorum'] as number,
    onTimeout: payload['on_timeout'] as 'fail' | 'approve',
    excludeRequester: payload['exclude_requester'] as boolean,
    form: payload['form'] as { [field: string]: Json } | null,
    dueAt,
    votes: [],
  }
  if (dueAt !== null) state.timers.arm({ kind: 'approval', node: id, item: null, dueAt })
  return { ...rest, status: 'waiting', approval }
}
