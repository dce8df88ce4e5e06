import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { sumOf, type Demand } from '@/core/pipeline/definition/demand'
import type { Event, NodeError } from '@/core/engine/event'
import { instantOf, setNode, updateItems } from './set-node'
import type { AttemptState, ExecutionState, ItemsState, NodeState } from '@/core/engine/state'
import { attemptId, nodeOf } from '@/core/engine/state'
import { unreachable, type PayloadOf, type TaskEvent } from '@/core/engine/typed-event'

/** What an event of an attempt changes: what is in flight, and where its node or its item stands. */
export function evolveTask(state: ExecutionState, typed: TaskEvent, at: number): void {
  const { node: id, event } = typed
  const item = event.item ?? null
  const key = attemptId(id, item)
  if (typed.word === 'started') return evolveStarted(state, typed.payload, event, at)
  const node = nodeOf(state, id)
  const attempt = state.inFlight.get(key)
  if (attempt === undefined)
    throw new Error(`invariant: ${event.id} (${event.type}) is about no attempt in flight`)
  switch (typed.word) {
    case 'running': {
      const { ratio, message, timeout_at } = typed.payload
      const progress = ratio === null && message === null ? attempt.progress : { ratio, message }
      const deadline = timeout_at === undefined ? attempt.deadline : instantOf(timeout_at)
      state.inFlight.set(key, { ...attempt, beginBy: null, deadline, progress })
      state.timers.disarm('begin', id, item)
      return armDeadline(state, id, item, deadline)
    }
    case 'completed':
      endAttempt(state, key)
      if (typed.payload.handled_failures !== undefined) state.handledBelow.add(id)
      if (typed.payload.by_hand_below !== undefined)
        state.byHandBelow.set(id, [
          ...new Set([...(state.byHandBelow.get(id) ?? []), ...typed.payload.by_hand_below]),
        ])
      if (item !== null)
        updateItems(state, id, (items) => ({
          ...items,
          running: items.running - 1,
          completed: items.completed + 1,
        }))
      return
    case 'failed': {
      const { error, final, child_execution_id } = typed.payload
      endAttempt(state, key)
      if (child_execution_id === null && node.child === attempt.child)
        setNode(state, id, { ...node, child: null })
      return endOfItem(state, id, item, final ? error : null)
    }
    case 'lost': {
      const { next_token: next, losses, reason, final, timeout_at, begin_by } = typed.payload
      endAttempt(state, key)
      if (next === undefined)
        return endOfItem(state, id, item, final ? { kind: 'lost', message: reason } : null)
      const clock = { beginBy: instantOf(begin_by), deadline: instantOf(timeout_at) }
      beginAttempt(state, key, { ...attempt, ...clock, token: next, losses, progress: null })
      return setNode(state, id, { ...node, token: next })
    }
    default:
      return unreachable(typed)
  }
}

/** An attempt is in flight from now on. */
function evolveStarted(
  state: ExecutionState,
  payload: PayloadOf<'task', 'started'>,
  event: Event,
  at: number,
): void {
  const id = event.source.entity_id
  const item = event.item ?? null
  const compiled = state.pipeline.nodes.get(id)
  const node = nodeOf(state, id)
  if (compiled === undefined || event.attempt === undefined)
    throw new Error(`invariant: ${event.id} names no attempt`)
  const { token, child_execution_id: child = null } = payload
  beginAttempt(state, attemptId(id, item), { ...startedAttempt(compiled, payload, event, at), child })
  const attempts = Math.max(node.attempts, event.attempt)
  setNode(state, id, runningAgain({ ...node, token, attempts, child: child ?? node.child }))
  if (item !== null) updateItems(state, id, (items) => itemStarted(items, item))
}

/** An attempt as it starts, of the work of a node or of what undoes it. */
export function startedAttempt(
  { demands, contract }: Pick<CompiledNode, 'demands' | 'contract'>,
  { token, begin_by, timeout_at }: Pick<PayloadOf<'task', 'started'>, 'token' | 'begin_by' | 'timeout_at'>,
  event: Event,
  at: number,
): AttemptState {
  if (event.attempt === undefined) throw new Error(`invariant: ${event.id} names no attempt`)
  return {
    node: event.source.entity_id,
    item: event.item ?? null,
    generation: event.generation,
    attempt: event.attempt,
    token,
    losses: 0,
    startedAt: at,
    startedSeq: event.seq,
    beginBy: instantOf(begin_by),
    deadline: instantOf(timeout_at),
    demands,
    placement: contract.placement,
    stopping: false,
    progress: null,
    child: null,
  }
}

/** The attempt of an item is over; with `error` the item has failed for good. Nothing where there are no items. */
function endOfItem(state: ExecutionState, id: string, item: number | null, error: NodeError | null): void {
  if (item === null) return
  if (error !== null) nodeOf(state, id).items?.errors.push({ item, error })
  updateItems(state, id, (items) => ({ ...items, running: items.running - 1 }))
}

/** A node that waited for its next try, or for a slot for it, runs again. */
function runningAgain(node: NodeState): NodeState {
  if (node.status === 'retrying') return { ...node, status: 'running' }
  if (node.status !== 'queued' || node.startedAt === null) return node
  const { generation, token, attempts, child, items, gate, startedAt } = node
  return { generation, token, attempts, child, items, status: 'running', startedAt, gate }
}

function itemStarted(items: ItemsState, item: number): ItemsState {
  items.retries.delete(item)
  const queued = items.queued.some((one) => one.item === item)
    ? items.queued.filter((one) => one.item !== item)
    : items.queued
  return { ...items, queued, next: Math.max(items.next, item + 1), running: items.running + 1 }
}

/** Somebody is at the attempt from now on: it holds its demands, and its timers run. */
export function beginAttempt(state: ExecutionState, key: string, attempt: AttemptState): void {
  state.inFlight.set(key, attempt)
  state.touched.add(key)
  hold(state, attempt.demands, 1)
  const { node, item, beginBy, deadline } = attempt
  state.timers.disarm('retry', node, item)
  if (beginBy !== null) state.timers.arm({ kind: 'begin', node, item, dueAt: beginBy })
  armDeadline(state, node, item, deadline)
}

function armDeadline(state: ExecutionState, node: string, item: number | null, dueAt: number | null): void {
  if (dueAt !== null) state.timers.arm({ kind: 'attempt_timeout', node, item, dueAt })
}

/** Nobody is at the attempt any more; its slot is free and its timers are off. Nothing when there is none. */
export function endAttempt(state: ExecutionState, key: string): void {
  const attempt = state.inFlight.get(key)
  if (attempt === undefined) return
  state.inFlight.delete(key)
  state.touched.add(key)
  hold(state, attempt.demands, -1)
  state.timers.disarm('begin', attempt.node, attempt.item)
  state.timers.disarm('attempt_timeout', attempt.node, attempt.item)
  state.timers.disarm('wait', attempt.node, attempt.item)
}

/** What the attempts in flight hold of each pool; a pool of which they hold nothing has no entry. */
function hold({ held }: ExecutionState, demands: readonly Demand[], sign: 1 | -1): void {
  for (const { pool, amount } of demands) {
    const now = sumOf(held.get(pool) ?? 0, sign * amount)
    if (now === 0) held.delete(pool)
    else held.set(pool, now)
  }
}
