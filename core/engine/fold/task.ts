import type { Event, NodeError } from '@/core/engine/event'
import { instantOf, place, placeItems } from './place'
import type { AttemptState, ExecutionState, ItemsState, NodeState } from '@/core/engine/state'
import { attemptId, nodeOf } from '@/core/engine/state'

/** What an event of an attempt changes: what is in flight, and where its node or its item stands. */
export function evolveTask(state: ExecutionState, event: Event, at: number): void {
  const id = event.source.entity_id
  const item = event.item ?? null
  const key = attemptId(id, item)
  const compiled = state.pipeline.nodes.get(id)
  const node = nodeOf(state, id)
  const payload = event.payload
  const name = event.type.slice(id.length + '.task.'.length)
  if (name === 'started') {
    if (compiled === undefined || event.attempt === undefined)
      throw new Error(`invariant: ${event.id} names no attempt`)
    const token = payload['token'] as number
    const child = (payload['child_execution_id'] ?? null) as string | null
    begin(state, key, {
      node: id,
      item,
      generation: event.generation,
      attempt: event.attempt,
      token,
      losses: 0,
      startedAt: at,
      startedSeq: event.seq,
      deadline: instantOf(payload['timeout_at']),
      holdsSlot: compiled.contract.holdsSlot,
      placement: compiled.contract.placement,
      stopping: false,
      progress: null,
      child,
    })
    place(
      state,
      id,
      runningAgain({
        ...node,
        token,
        attempts: Math.max(node.attempts, event.attempt),
        child: child ?? node.child,
      }),
    )
    if (item !== null) placeItems(state, id, (items) => itemStarted(items, item))
    return
  }
  const attempt = state.inFlight.get(key)
  if (attempt === undefined)
    throw new Error(`invariant: ${event.id} (${event.type}) is about no attempt in flight`)
  switch (name) {
    case 'running':
      state.inFlight.set(key, {
        ...attempt,
        progress: { ratio: payload['ratio'] as number | null, message: payload['message'] as string | null },
      })
      return
    case 'completed':
      endAttempt(state, key)
      if (item !== null)
        placeItems(state, id, (items) => ({
          ...items,
          running: items.running - 1,
          completed: items.completed + 1,
        }))
      return
    case 'failed':
    case 'lost': {
      endAttempt(state, key)
      if (payload['child_execution_id'] === null && node.child === attempt.child)
        place(state, id, { ...node, child: null })
      const next = payload['next_token'] as number | undefined
      if (next !== undefined) {
        const deadline = instantOf(payload['timeout_at'])
        begin(state, key, {
          ...attempt,
          token: next,
          losses: payload['losses'] as number,
          deadline,
          progress: null,
        })
        place(state, id, { ...node, token: next })
      } else if (item !== null) {
        const error = (payload['error'] ?? {
          kind: 'lost',
          message: payload['reason'],
        }) as unknown as NodeError
        if (payload['final'] === true) node.items?.errors.push({ item, error })
        placeItems(state, id, (items) => ({ ...items, running: items.running - 1 }))
      }
      return
    }
    default:
      throw new Error(`invariant: unknown event ${event.type}`)
  }
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

function begin(state: ExecutionState, key: string, attempt: AttemptState): void {
  state.inFlight.set(key, attempt)
  state.touched.add(key)
  if (attempt.holdsSlot) state.slots += 1
  state.timers.disarm('retry', attempt.node, attempt.item)
  if (attempt.deadline !== null) {
    state.timers.arm({
      kind: 'attempt_timeout',
      node: attempt.node,
      item: attempt.item,
      dueAt: attempt.deadline,
    })
  }
}

/** Nobody is at the attempt any more; its slot is free and its timers are off. Nothing when there is none. */
export function endAttempt(state: ExecutionState, key: string): void {
  const attempt = state.inFlight.get(key)
  if (attempt === undefined) return
  state.inFlight.delete(key)
  state.touched.add(key)
  if (attempt.holdsSlot) state.slots -= 1
  state.timers.disarm('attempt_timeout', attempt.node, attempt.item)
  state.timers.disarm('wait', attempt.node, attempt.item)
}
