import type { EngineInput, Rejection } from '@/core/engine/input'
import { LIMITS, type NodeError } from '@/core/engine/event'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import { jsonBytes } from '@/core/engine/json-bytes'
import { ENGINE } from '@/core/engine/principal'
import {
  isFinished,
  isRollingBack,
  nodeOf,
  type ExecutionState,
  type RollbackState,
  type RollbackStep,
} from '@/core/engine/state'
import type { PayloadOf } from '@/core/engine/typed-event'
import { failForGood } from './attempt-outcome'
import { beginRun } from './begin-run'
import { boundedError } from './bounded-error'
import type { Decision } from './decision'
import { attemptShortage, poolOf } from './demand'
import { endEverything } from './end-everything'
import { nodeFact, pipelineFact, rollbackFact, type Fact } from './fact'
import { closureOf, refusedWhileCancelling, stoppedNodes } from './reset'
import { canUndo, planRollback, type RollbackAsked } from './rollback-plan'
import { attemptStarted, newAttempt, resolveInput } from './start-attempt'
import type { StepContext } from './step-context'

const NOTHING: readonly Fact[] = []

type RollBack = Extract<EngineInput, { type: 'roll_back' }>

/** A person undoes what a run did. What a preview answers and what is done are one plan [H-O5, R-30, R-63]. */
export function rollBack(state: ExecutionState, input: RollBack, context: StepContext): Decision {
  const refused = refusalOf(state)
  if (refused !== null) return { ok: false, rejection: refused }
  const planned = planRollback(state, input)
  if (!planned.ok) return planned
  const { scope, target, madeBy, restart, reason, actor } = input
  const { order, irreversible, uncompensated } = planned.plan
  if (order.length === 0 && !restart) return { ok: false, rejection: nothingToUndo(planned.plan) }
  const payload = {
    ...{ trigger: 'manual' as const, scope, target, order, irreversible, uncompensated },
    ...(madeBy === undefined ? {} : { made_by: madeBy }),
    then: restart ? ('restart' as const) : ('end' as const),
    ...(reason === null ? {} : { reason }),
  }
  if (isTooLarge(payload)) return { ok: false, rejection: TOO_LARGE }
  if (!isFinished(state)) {
    const rolling = pipelineFact(state, 'rolling_back', payload, { actor })
    const why = reason ?? 'the run is rolled back'
    return { ok: true, facts: [rolling, ...endEverything(state, why, context.now, 'rolled_back')] }
  }
  const generation = state.generation + 1
  const facts: Fact[] = [pipelineFact(state, 'rolling_back', payload, { generation, actor })]
  // They follow the end, and there will be another one.
  for (const id of state.pipeline.finallyNodes)
    facts.push(nodeFact({ node: id, generation }, 'reset', { token: nodeOf(state, id).token + 1 }))
  return { ok: true, facts }
}

/** Why a run cannot be rolled back now, or null. */
export function refusalOf(state: ExecutionState): Rejection | null {
  if (isRollingBack(state))
    return { code: 'rolling_back', message: 'the execution is being rolled back already' }
  if (!isFinished(state) && (state.lifecycle === 'PENDING' || state.lifecycle === 'SCHEDULING'))
    return { code: 'nothing_to_roll_back', message: 'the execution has not begun: there is nothing to undo' }
  return refusedWhileCancelling(state)
}

type NotUndone = { readonly irreversible: readonly string[]; readonly uncompensated: readonly string[] }

function nothingToUndo({ irreversible, uncompensated }: NotUndone): Rejection {
  const left = [...irreversible, ...uncompensated]
  const message =
    left.length === 0
      ? 'no node of it has done anything that is to be undone'
      : `nothing undoes what ${listed(left)} did: no rollback task is declared`
  return { code: 'nothing_to_roll_back', message }
}

const TOO_LARGE: Rejection = {
  code: 'payload_too_large',
  message: `the plan is larger than ${LIMITS.eventPayloadBytes} bytes: roll back a phase or a node`,
}

const isTooLarge = (payload: PayloadOf<'pipeline', 'rolling_back'>): boolean =>
  jsonBytes(payload, LIMITS.eventPayloadBytes) > LIMITS.eventPayloadBytes

/** Nodes that one sentence names. */
const MOST_NAMED = 10

const listed = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED
    ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`
    : ids.join(', ')

type Trigger = Exclude<PayloadOf<'pipeline', 'rolling_back'>['trigger'], 'manual'>

/**
 * What follows a rollback of each trigger [H-O6]. restart: what was rolled back runs again. later: the same, after a pause that grows. person: nothing
 * runs again before a person says so.
 */
export const ROLLBACK_ACTIONS: Readonly<Record<Trigger, 'restart' | 'later' | 'person'>> = {
  verify_failed: 'restart',
  failed: 'restart',
  timeout: 'restart',
  resource_exhaustion: 'later',
  security: 'person',
}

/** Error kinds of nodes that are a class of their own. The detail of the error says that a process crashed. */
const TRIGGER_OF_KIND: Readonly<Record<string, Trigger>> = {
  timeout: 'timeout',
  output_too_large: 'resource_exhaustion',
  egress_refused: 'security',
  publish_fence: 'security',
}

export function triggerOf({ kind, detail }: NodeError): Trigger {
  const isCrash = typeof detail === 'object' && detail !== null && 'crash' in detail
  return isCrash ? 'resource_exhaustion' : (TRIGGER_OF_KIND[kind] ?? 'failed')
}

/** Why a run would fail, and by which class of failures. */
export type RunFailure = {
  readonly error: NodeError
  readonly trigger: Trigger
  /** The first node that failed it; null: no node did. */
  readonly node: string | null
}

/**
 * The rollback that a failure begins by the policy of the pipeline; or why there is none although the policy asks for one; null: it does not. All
 * or nothing: what its authors say is irreversible is not done twice [R-26, H-O7].
 */
export function rollBackByPolicy(state: ExecutionState, failure: RunFailure): Fact | string | null {
  const { rollback } = state.pipeline
  const { trigger, error } = failure
  // `failed` is every failure of a node.
  const isAsked = rollback?.on.has(trigger) || (rollback?.on.has('failed') && trigger !== 'verify_failed')
  if (rollback === null || !isAsked) return null
  const action = ROLLBACK_ACTIONS[trigger]
  if (action !== 'person' && state.rollbacks + 1 >= rollback.passes)
    return `not rolled back: it was tried ${rollback.passes} times, as often as policy.rollback.maxAttempts allows`
  const asked = scopeByPolicy(state, rollback.scope, failure.node)
  const planned = planRollback(state, asked)
  if (!planned.ok) return `not rolled back: ${planned.rejection.message}`
  const { order, irreversible, uncompensated } = planned.plan
  if (action !== 'person' && irreversible.length > 0)
    return `not rolled back: ${listed(irreversible)} cannot be undone, and would be done again`
  const payload = {
    ...{ trigger, ...asked, order, irreversible, uncompensated },
    then: action === 'person' ? ('end' as const) : ('restart' as const),
    cause: boundedError(error),
  }
  if (isTooLarge(payload)) return `not rolled back: ${TOO_LARGE.message}`
  return pipelineFact(state, 'rolling_back', payload, { actor: ENGINE })
}

/** The phase that failed; of a failure without a node the last that has worked. */
function scopeByPolicy(
  { pipeline, nodes }: ExecutionState,
  scope: 'execution' | 'phase',
  failed: string | null,
): RollbackAsked {
  if (scope === 'execution') return { scope, target: null }
  const worked = pipeline.levels.flat().findLast((id) => {
    const status = nodes.get(id)?.status
    return pipeline.nodes.get(id)?.finally === false && status !== 'skipped' && status !== 'pending'
  })
  return { scope, target: pipeline.nodes.get(failed ?? worked ?? '')?.phase ?? null }
}

const isDone = (step: RollbackStep | undefined): boolean =>
  step?.status === 'completed' || step?.status === 'skipped'

/** What follows by itself while a run rolls back and nothing of it runs any more: the next compensation, or the end. */
export function propagateRollback(state: ExecutionState, context: StepContext): readonly Fact[] {
  const { rollback } = state
  if (rollback === null || rollback.ended) return NOTHING
  const { steps, after, stopped } = rollback
  if (stopped !== null || [...steps.values()].some(({ status }) => status === 'failed'))
    return state.inFlight.size > 0 ? NOTHING : [incomplete(state, rollback, context.now)]
  let isOpen = false
  for (const [id, step] of steps) {
    if (isDone(step)) continue
    isOpen = true
    if (step.status === 'queued') {
      const facts = admitStep(state, id, context)
      if (facts !== null) return facts
      state.awaitingSlot.add(id)
    }
    if (step.status === 'pending' && (after.get(id) ?? []).every((other) => isDone(steps.get(other))))
      return beginStep(state, id, step, context)
  }
  return isOpen ? NOTHING : endOf(state, rollback, context.now)
}

function beginStep(
  state: ExecutionState,
  id: string,
  { attempt }: RollbackStep,
  context: StepContext,
): readonly Fact[] {
  const about = { node: id, generation: nodeOf(state, id).generation }
  if (!canUndo(state, id))
    return [rollbackFact(about, 'skipped', { reason: 'it did not complete: it left nothing behind to undo' })]
  const shortage = attemptShortage(state, state.pipeline.nodes.get(id)!.compensation!, context)
  return shortage === null
    ? startCompensation(state, id, attempt, context)
    : [rollbackFact(about, 'queued', { attempt, ...poolOf(shortage) })]
}

/** What cannot even begin has failed for good: its bindings would resolve to the same again. */
function startCompensation(
  state: ExecutionState,
  id: string,
  number: number,
  { now }: StepContext,
): readonly Fact[] {
  const compiled = state.pipeline.nodes.get(id)!.compensation!
  const attempt = {
    ...newAttempt(compiled, nodeOf(state, id), { item: null, attempt: number }, now),
    compensates: true as const,
  }
  const resolved = resolveInput(state, compiled)
  return resolved.ok
    ? [attemptStarted(attempt)]
    : [attemptStarted(attempt), ...failForGood(attempt, { error: resolved.error }, now)]
}

/** A slot is free for a compensation; null: it waits for none, or there is none. */
export function admitStep(state: ExecutionState, id: string, context: StepContext): readonly Fact[] | null {
  const step = state.rollback?.steps.get(id)
  const isEnding = state.rollback?.stopped != null
  if (step?.status !== 'queued' || isEnding) return null
  const compensation = state.pipeline.nodes.get(id)!.compensation!
  return attemptShortage(state, compensation, context) === null
    ? startCompensation(state, id, step.attempt, context)
    : null
}

/** The time of the next try of a compensation has come. */
export function tryStepAgain(state: ExecutionState, id: string, context: StepContext): readonly Fact[] {
  return beginStep(state, id, state.rollback!.steps.get(id)!, context)
}

/** Nodes whose work stays done, whatever became of the rest. */
function leftOf({ plan }: RollbackState): string[] {
  return [...plan.irreversible, ...plan.uncompensated]
}

/** Every compensation has completed: the run has its outcome, or begins again. */
function endOf(state: ExecutionState, rollback: RollbackState, now: number): readonly Fact[] {
  const { plan, startedAt } = rollback
  const at = restartsAt(state, plan.trigger, now)
  const payload = {
    duration_ms: elapsedMs(startedAt, now),
    then: plan.then,
    not_undone: leftOf(rollback),
    ...(at === null ? {} : { restart_at: formatInstant(at) }),
  }
  const ended = pipelineFact(state, 'rolled_back', payload)
  return plan.then === 'restart' && at === null ? [ended, ...restartAfterRollback(state, now)] : [ended]
}

/** Pauses before a run whose resources ran out begins again: 2 s, 4 s, … at most 30 s [H-O1, H-O6]. */
const FIRST_PAUSE_MS = 2_000
const LONGEST_PAUSE_MS = 30_000

function restartsAt({ rollbacks }: ExecutionState, trigger: string, now: number): number | null {
  if (trigger === 'manual' || ROLLBACK_ACTIONS[trigger as Trigger] !== 'later') return null
  return now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** rollbacks)
}

/** What was rolled back, stopped or failed runs again under the next generation, with all that follows it. */
export function restartAfterRollback(state: ExecutionState, now: number): readonly Fact[] {
  const { plan, actor } = state.rollback!
  const { scope, target, made_by: madeBy } = plan
  const asked = { scope, target, ...(madeBy === undefined ? {} : { madeBy }) }
  const planned = planRollback(state, asked)
  const concerned = planned.ok ? planned.plan.nodes : [...state.nodes.keys()]
  const generation = state.generation + 1
  // A person who rolls back gives the run its tries anew.
  const rollbacks = plan.trigger === 'manual' ? 0 : state.rollbacks + 1
  const payload = { nodes: [], after_rollback: rollbacks }
  const facts: Fact[] = [pipelineFact(state, 'restarted', payload, { generation, actor })]
  for (const id of closureOf(state.pipeline, [...concerned, ...stoppedNodes(state)]))
    facts.push(nodeFact({ node: id, generation }, 'reset', { token: nodeOf(state, id).token + 1 }))
  return [...facts, ...beginRun(state, now, { generation })]
}

/** One compensation failed for good, or a person stopped them: what is not undone is named, and who acts next [H-O7, R-30]. */
function incomplete(state: ExecutionState, rollback: RollbackState, now: number): Fact {
  const { steps, startedAt, stopped } = rollback
  const open = [...steps].filter(([, step]) => !isDone(step)).map(([id]) => id)
  const failed = [...steps].filter(([, { status }]) => status === 'failed')
  const left = [...open, ...leftOf(rollback)]
  const duration_ms = elapsedMs(startedAt, now)
  if (stopped !== null) {
    const why = stopped.reason === null ? '' : ` (${stopped.reason})`
    const reason = `the rollback was stopped${why} and is incomplete; not undone: ${listed(left)}`
    return pipelineFact(state, 'cancelled', { reason, duration_ms })
  }
  const causes = failed.map(
    ([id, { error }]) => `the compensation of '${id}' failed: ${error?.message ?? ''}`,
  )
  const message = `rollback incomplete: ${causes.slice(0, MOST_NAMED).join('; ')}. Not undone: ${listed(left)}. A person who may operate runs acts next: correct the cause and roll back again, or undo it by hand`
  const detail = { not_undone: left.slice(0, LIMITS.failedNodesListed) }
  return pipelineFact(state, 'failed', {
    error: boundedError({ kind: 'rollback_incomplete', message, detail }),
    duration_ms,
    failed_nodes: failed.map(([id]) => id).slice(0, LIMITS.failedNodesListed),
  })
}

/** A person ends a rollback: nothing more is undone, and the run says so. */
export function stopRollback(
  state: ExecutionState,
  { reason, actor }: Pick<Extract<EngineInput, { type: 'cancel' }>, 'reason' | 'actor'>,
): Decision {
  if (state.rollback?.stopped != null) return { ok: true, facts: NOTHING }
  return { ok: true, facts: [pipelineFact(state, 'cancelling', { reason }, { actor })] }
}
