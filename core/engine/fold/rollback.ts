import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Event } from '@/core/engine/event'
import { parseInstant } from '@/core/engine/instant'
import { enter } from '@/core/engine/lifecycle'
import { isHeld, NO_PAUSES } from '@/core/engine/pauses'
import type { Identity } from '@/core/engine/principal'
import type { AttemptState, ExecutionState, RollbackState, RollbackStep } from '@/core/engine/state'
import { nodeOf } from '@/core/engine/state'
import {
  unreachable,
  type PayloadOf,
  type PipelineEvent,
  type RollbackEvent,
} from '@/core/engine/typed-event'
import { instantOf } from './set-node'
import { SUPERSEDED_BY_ROLLBACK } from './superseded'
import { beginAttempt, endAttempt, startedAttempt } from './task'

type RollingBack = Extract<PipelineEvent, { word: 'rolling_back' }>

/** Nothing starts any more; what runs is asked to stop. Of a run that was over, how it ended counts no more [H-11, R-63]. */
export function beginRollback(
  state: ExecutionState,
  { event, payload }: RollingBack,
  { actor, at }: { readonly actor: Identity; readonly at: number },
): void {
  for (const type of SUPERSEDED_BY_ROLLBACK) state.events.delete(type)
  enter(state, 'ROLLBACK')
  state.generation = event.generation
  state.finishedAt = null
  state.closedAt = null
  state.error = null
  state.handledFailures = 0
  state.warnings = []
  // What the run above holds it holds still.
  state.pauses = { ...NO_PAUSES, parent: state.pauses.parent }
  state.paused = isHeld(state.pauses)
  state.timers.disarm('run', '')
  // What runs ends as in a cancel.
  state.cancelling = state.open > 0 ? { reason: payload.reason ?? null, timedOut: false } : null
  for (const [id, attempt] of state.inFlight) {
    state.inFlight.set(id, { ...attempt, stopping: true })
    state.touched.add(id)
  }
  for (const [id, node] of state.nodes) if (node.items !== null) state.dirty.add(id)
  state.rollback = {
    plan: payload,
    actor,
    startedAt: at,
    steps: new Map(payload.order.flat().map((id) => [id, firstStep(nodeOf(state, id).attempts + 1)])),
    after: dependentsIn(state.pipeline, new Set(payload.order.flat())),
    stopped: null,
    ended: false,
  }
}

const firstStep = (attempt: number): RollbackStep => ({
  status: 'pending',
  attempt,
  first: attempt,
  since: null,
  pool: null,
  error: null,
})

/**
 * For each of these nodes those of them that follow it with none of them between: they may have used what it did, so that they are undone
 * before it [H-O7]. By every edge, of events and of variables.
 */
export function dependentsIn(
  { levels, successors }: CompiledPipeline,
  nodes: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, ReadonlySet<string>>()
  const found = new Map<string, readonly string[]>()
  for (const id of levels.flat().toReversed()) {
    const own = new Set<string>()
    for (const after of successors.get(id) ?? [])
      if (nodes.has(after)) own.add(after)
      else for (const other of next.get(after) ?? []) own.add(other)
    next.set(id, own)
    if (nodes.has(id)) found.set(id, [...own])
  }
  return found
}

/** The rollback is over; with `then: restart` the run begins again, at once or at its time. */
export function endRollback(state: ExecutionState, payload: PayloadOf<'pipeline', 'rolled_back'>): void {
  state.rollback = { ...rollbackOf(state), ended: true }
  if (payload.restart_at !== undefined)
    state.timers.arm({ kind: 'restart', node: '', item: null, dueAt: parseInstant(payload.restart_at) })
}

/** The run has its outcome: no try of a compensation follows. */
export function leaveRollback(state: ExecutionState): void {
  for (const id of state.rollback?.steps.keys() ?? []) state.timers.disarm('retry', id)
  state.timers.disarm('restart', '')
}

function rollbackOf(state: ExecutionState): RollbackState {
  if (state.rollback === null) throw new Error(`invariant: ${state.executionId} does not roll back`)
  return state.rollback
}

/** What an attempt to undo a node changes: what is in flight, and how far its step is. */
export function evolveCompensation(state: ExecutionState, typed: RollbackEvent, at: number): void {
  const { node: id, event } = typed
  switch (typed.word) {
    case 'queued':
      state.timers.disarm('retry', id)
      return update(state, id, {
        status: 'queued',
        attempt: typed.payload.attempt,
        since: at,
        pool: typed.payload.pool ?? null,
      })
    case 'started':
      return started(state, typed.payload, event, at)
    case 'running': {
      const attempt = attemptOf(state, event)
      const deadline = instantOf(typed.payload.timeout_at) ?? attempt.deadline
      state.timers.disarm('begin', id)
      state.inFlight.set(id, { ...attempt, beginBy: null, deadline, progress: typed.payload })
      if (deadline !== null)
        state.timers.arm({ kind: 'attempt_timeout', node: id, item: null, dueAt: deadline })
      return
    }
    case 'retrying': {
      const { attempt, due_at } = typed.payload
      state.timers.arm({ kind: 'retry', node: id, item: null, dueAt: parseInstant(due_at) })
      return update(state, id, { status: 'retrying', attempt })
    }
    case 'completed':
      endAttempt(state, id)
      return update(state, id, { status: 'completed' })
    case 'failed': {
      const { error, final } = typed.payload
      endAttempt(state, id)
      return update(state, id, final ? { status: 'failed', error } : { error })
    }
    case 'lost': {
      const { next_token: token, losses, reason, final, timeout_at, begin_by } = typed.payload
      const attempt = attemptOf(state, event)
      endAttempt(state, id)
      if (token === undefined)
        return update(
          state,
          id,
          final ? { status: 'failed', error: { kind: 'lost', message: reason } } : { status: 'pending' },
        )
      const clock = { beginBy: instantOf(begin_by), deadline: instantOf(timeout_at) }
      beginAttempt(state, id, { ...attempt, ...clock, token, losses, progress: null })
      state.nodes.set(id, { ...nodeOf(state, id), token })
      return
    }
    case 'skipped':
      return update(state, id, { status: 'skipped' })
    default:
      return unreachable(typed)
  }
}

function attemptOf(state: ExecutionState, { source, id, type }: Event): AttemptState {
  const attempt = state.inFlight.get(source.entity_id)
  if (attempt?.compensates !== true)
    throw new Error(`invariant: ${id} (${type}) is about no attempt in flight`)
  return attempt
}

function started(
  state: ExecutionState,
  payload: PayloadOf<'rollback', 'started'>,
  event: Event,
  at: number,
): void {
  const id = event.source.entity_id
  const compiled = state.pipeline.nodes.get(id)?.compensation
  if (compiled == null || event.attempt === undefined)
    throw new Error(`invariant: ${event.id} names no attempt`)
  beginAttempt(state, id, { ...startedAttempt(compiled, payload, event, at), compensates: true })
  const node = nodeOf(state, id)
  const attempts = Math.max(node.attempts, event.attempt)
  // Its status stays: neither what is open nor what is active changes.
  state.nodes.set(id, { ...node, token: payload.token, attempts })
  update(state, id, { status: 'running', attempt: event.attempt })
}

function update(state: ExecutionState, id: string, change: Partial<RollbackStep>): void {
  const rollback = rollbackOf(state)
  const step = rollback.steps.get(id)
  if (step === undefined) throw new Error(`invariant: '${id}' is no part of the rollback`)
  const next = new Map(rollback.steps)
  next.set(id, { ...step, ...change })
  state.rollback = { ...rollback, steps: next }
}
