import type { PipelineEvent } from '@/core/engine/typed-event'
import { EVENT_TABLE } from '@/core/engine/event-table'
import { enter } from '@/core/engine/lifecycle'
import { leaveRollback } from './rollback'
import { endAttempt } from './task'
import { forgetFailure, forgetHandled } from './handlers'
import { jsonBytes } from '@/core/engine/json-bytes'
import { armRun, setNode } from './set-node'
import type { ExecutionState } from '@/core/engine/state'
import { attemptId, isFinished, isRollingBack, nodeOf, pendingNode } from '@/core/engine/state'
import { SUPERSEDED_BY_RESTART } from './superseded'

/** Everything that a node or its attempts can have said, but that it was reset. */
const NODE_WORDS = [
  ...Object.keys(EVENT_TABLE.node).filter((word) => word !== 'reset'),
  ...Object.keys(EVENT_TABLE.task).map((word) => `task.${word}`),
  ...Object.keys(EVENT_TABLE.rollback).map((word) => `rollback.${word}`),
].map((word) => `.${word}`)

/** The run begins its next generation: how it ended before counts no more. */
export function restart(
  state: ExecutionState,
  { event, payload }: Extract<PipelineEvent, { word: 'restarted' }>,
): void {
  for (const type of SUPERSEDED_BY_RESTART) state.events.delete(type)
  for (const name of state.pipeline.outputs.keys()) hide(state, `pipeline.output.${name}`)
  if (isFinished(state) || isRollingBack(state)) {
    leaveRollback(state)
    enter(state, 'PENDING')
    state.startedAt = null
  } else if (state.lifecycle === 'VERIFYING') enter(state, 'EXECUTING')
  state.generation = event.generation
  state.finishedAt = null
  state.closedAt = null
  state.error = null
  state.checks = []
  state.rollback = null
  state.rollbacks = payload.after_rollback ?? 0
  state.handledFailures = 0
  state.cancelling = null
  // Only finally nodes warn, and all of them are reset.
  state.warnings = []
  armRun(state, payload)
  state.wideWaits.clear()
  // Whether failures stop the rest is another question now.
  for (const id of state.nodes.keys()) state.dirty.add(id)
}

/** The node is as if it had never been looked at, but for its tokens: they are never used again. */
export function resetNode(state: ExecutionState, id: string, generation: number, token: number): void {
  const node = nodeOf(state, id)
  if (node.items === null) endAttempt(state, attemptId(id, null))
  else for (const [key, attempt] of state.inFlight) if (attempt.node === id) endAttempt(state, key)
  for (const kind of ['start', 'approval', 'retry'] as const) state.timers.disarm(kind, id)
  for (const item of node.items?.retries.keys() ?? []) state.timers.disarm('retry', id, item)
  setNode(state, id, pendingNode(generation, token))
  forgetHandled(state, id)
  forgetFailure(state, id)
  for (const word of NODE_WORDS) state.events.delete(id + word)
  if (state.pipeline.nodes.get(id)?.kind === 'approval')
    for (const word of ['approved', 'rejected']) state.events.delete(`external.${id}.${word}`)
  for (const name of state.writes.get(id) ?? []) hide(state, name)
  state.writes.delete(id)
  state.itemLists.delete(id)
  // What was decided of its events is open again, in every gate that names them.
  state.wideWaits.clear()
  state.awaitingSlot.delete(id)
  state.dirty.add(id)
}

function hide(state: ExecutionState, name: string): void {
  const variable = state.variables.get(name)
  if (variable === undefined) return
  state.variables.delete(name)
  state.variableBytes -= jsonBytes(variable.value, Infinity)
}
