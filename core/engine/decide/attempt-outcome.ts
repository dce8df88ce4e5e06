import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { evaluateCondition } from '@/core/pipeline/expression/expression'
import type { Scope } from '@/core/pipeline/expression/types'
import { isRecord } from '@/core/pipeline/json'
import { renderTemplate } from '@/core/pipeline/expression/template'
import { boundedError } from './bounded-error'
import type { Json, JsonObject, NodeError, VariableWrite } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { EngineInput } from '@/core/engine/input'
import { clockOf, clockPayload } from './attempt-clock'
import { attemptShortage } from './demand'
import type { Fact } from './fact'
import { nodeFact, rollbackFact, taskFact } from './fact'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import { itemVariable } from './item-variable'
import { sizeOf, variableWrite, type LargeValues, type Sized } from '@/core/engine/large-values'
import { lightOutputs } from './light-outputs'
import { chanceOf, retryDelay } from './retry'
import { retryAfterMs } from './retry-after'
import { localsOfItem, scopeOf } from './scope'
import type { StepContext } from './step-context'
import { nodeOf, type AttemptState, type ExecutionState } from '@/core/engine/state'

type Completion = Extract<EngineInput, { type: 'complete_attempt' }>

/** An attempt came to its end with outputs: they are taken, or it fails because they cannot be [G-8, E-12]. */
export function completeAttempt(
  state: ExecutionState,
  attempt: AttemptState,
  { outputs, handledFailures = 0, byHandBelow = [] }: Omit<Completion, 'type' | 'key'>,
  now: number,
): readonly Fact[] {
  if (attempt.compensates === true) return undone(attempt, now)
  const compiled = compiledOf(state, attempt)
  const scope = scopeOf(state, { locals: localsOfItem(state, compiled, attempt.item) })
  const values = outputVariables(state.values, compiled, scope, outputs)
  if (!values.ok) return failAttempt(state, attempt, values, now)
  const facts = acceptOutputs(state, attempt, values.values, now)
  if (handledFailures === 0 && byHandBelow.length === 0) return facts
  const below = {
    ...(handledFailures === 0 ? {} : { handled_failures: handledFailures }),
    ...(byHandBelow.length === 0 ? {} : { by_hand_below: [...byHandBelow] }),
  }
  return facts.map((fact) =>
    fact.type === `${attempt.node}.task.completed`
      ? { ...fact, payload: { ...fact.payload, ...below } }
      : fact,
  )
}

/** What a node did is undone; what that gave is for nobody. */
function undone(attempt: AttemptState, now: number): readonly Fact[] {
  return [
    taskFact(attempt, 'completed', { duration_ms: elapsedMs(attempt.startedAt, now) }),
    nodeFact(attempt, 'rolled_back', {}),
  ]
}

/** The node (or its item) leaves behind exactly these variables. */
export function acceptOutputs(
  state: ExecutionState,
  attempt: AttemptState,
  values: JsonObject,
  now: number,
): readonly Fact[] {
  const { node, item } = attempt
  const written = outputWrites(state, attempt, values)
  if (!written.ok) {
    const message = `${written.message}; write large data to an artifact and hand that on`
    return failAttempt(state, attempt, { error: { kind: 'output_too_large', message } }, now)
  }
  const { variables } = written
  const duration_ms = elapsedMs(attempt.startedAt, now)
  // An item's outputs are gathered when the last item has ended.
  if (item !== null) return [taskFact(attempt, 'completed', { duration_ms }, { variables })]
  return [
    taskFact(attempt, 'completed', { duration_ms }),
    nodeFact(
      { node, generation: attempt.generation },
      'completed',
      { duration_ms, ...lightOutputs(values, node) },
      { variables },
    ),
  ]
}

/** The variables of these outputs of a node, or of one of its items; or which limit they pass. */
export function outputWrites(
  state: ExecutionState,
  { node, item }: Pick<AttemptState, 'node' | 'item'>,
  values: JsonObject,
):
  | { readonly ok: true; readonly variables: readonly VariableWrite[] }
  | { readonly ok: false; readonly message: string } {
  const refuse = (message: string) => ({ ok: false as const, message })
  const sized: { name: string; value: Json; inline: boolean }[] = []
  const total = { inline: 0, large: 0 }
  for (const [output, value] of Object.entries(values)) {
    const { bytes, inline } = addSize(state.values, total, value)
    if (bytes > state.values.mostBytes)
      return refuse(`output '${output}' is larger than ${state.values.mostBytes} bytes`)
    const passed = limitPassed(total)
    if (passed !== null) return refuse(`the outputs together are larger than ${passed} bytes`)
    sized.push({
      name: item === null ? `${node}.${output}` : itemVariable(node, item, output),
      value,
      inline,
    })
  }
  if (state.variableBytes + total.inline > LIMITS.stateBytes)
    return refuse(
      `with these outputs the variables of the execution are larger than ${LIMITS.stateBytes} bytes`,
    )
  return { ok: true, variables: sized.map((write) => variableWrite(state.values, { ...write, node })) }
}

type Total = { inline: number; large: number }

function addSize(values: LargeValues, total: Total, value: Json): Sized {
  const sized = sizeOf(values, value)
  total[sized.inline ? 'inline' : 'large'] += sized.bytes
  return sized
}

/** The limit that the outputs of one node have passed together, or null. */
function limitPassed(total: Total): number | null {
  if (total.inline > LIMITS.nodeVariablesBytes) return LIMITS.nodeVariablesBytes
  return total.large > LIMITS.nodeLargeBytes ? LIMITS.nodeLargeBytes : null
}

/** Why an attempt failed. `noChild`: the child that its start names never began. `final`: it is not tried again. */
type Failure = Pick<Extract<EngineInput, { type: 'fail_attempt' }>, 'error' | 'noChild' | 'final'>

/**
 * An attempt failed: it is tried again as the node's `retry` says, else the failure is final [R-8, G-10]. A failed attempt writes
 * no outputs. Work that a cancel ended is cancelled, not failed.
 */
export function failAttempt(
  state: ExecutionState,
  attempt: AttemptState,
  failure: Failure,
  now: number,
): readonly Fact[] {
  const { error } = failure
  if (attempt.stopping && error.kind === 'cancelled')
    return [failedTask(attempt, failure, now), ...cancelledNode(state, attempt)]
  const next = failure.final === true ? null : nextTry(state, attempt, error, now)
  if (next === null) return failForGood(attempt, failure, now)
  return 'type' in next
    ? [failedTask(attempt, failure, now, false), next]
    : failForGood(attempt, { ...failure, error: next }, now)
}

/** A failure that no `retry` can make good. */
export function failForGood(attempt: AttemptState, failure: Failure, now: number): readonly Fact[] {
  return [failedTask(attempt, failure, now), ...failedNode(attempt, failure.error)]
}

function failedTask(attempt: AttemptState, { error, noChild }: Failure, now: number, final = true): Fact {
  return taskFact(attempt, 'failed', {
    error: boundedError(error),
    duration_ms: elapsedMs(attempt.startedAt, now),
    final,
    ...(noChild === true ? { child_execution_id: null } : {}),
  })
}

/**
 * The worker of an attempt died. The same attempt goes on under a new token, at most three times, unless the node says
 * `onLost: fail` or the run is being cancelled. What is lost too often has failed, and may be retried as such.
 */
export function loseAttempt(
  state: ExecutionState,
  attempt: AttemptState,
  reason: string,
  context: Pick<StepContext, 'now' | 'shortage'>,
): readonly Fact[] {
  const { now } = context
  const compiled = compiledOf(state, attempt)
  const losses = attempt.losses + 1
  const lost = (final: boolean) => taskFact(attempt, 'lost', { token: attempt.token, losses, reason, final })
  if (attempt.stopping) return [lost(true), ...cancelledNode(state, attempt)]
  if (compiled.onLost === 'fail' || losses > LIMITS.lostAttempts) {
    const times = losses === 1 ? 'once' : `${losses} times`
    const error = {
      kind: 'lost',
      message: `the worker of attempt ${attempt.attempt} was lost ${times}: ${reason}`,
    }
    const next = nextTry(state, attempt, error, now)
    if (next !== null && 'type' in next) return [lost(false), next]
    return [lost(true), ...failedNode(attempt, next ?? error)]
  }
  // Pools may have become smaller while the server was away: then it competes again, instead of waiting where nobody sees it.
  if (attemptShortage(state, compiled, context, attempt)?.reason === 'full')
    return queueAgain(state, attempt, reason)
  const payload = {
    token: attempt.token,
    losses,
    reason,
    final: false,
    next_token: attempt.token + 1,
    ...clockPayload(clockOf(compiled, now)),
  }
  return [taskFact(attempt, 'lost', payload)]
}

/** The attempt ends, and is tried again under a new token when it may; that does not count as lost. */
export function queueAgain(state: ExecutionState, attempt: AttemptState, reason: string): readonly Fact[] {
  const node = nodeOf(state, attempt.node)
  const gate = 'gate' in node ? node.gate : { events: [], conditions: [] }
  const { token, losses, item } = attempt
  const lost = taskFact(attempt, 'lost', { token, losses, reason, final: false })
  if (attempt.compensates === true)
    return [lost, rollbackFact(attempt, 'queued', { attempt: attempt.attempt })]
  return [
    lost,
    nodeFact(
      { node: attempt.node, generation: node.generation },
      'queued',
      { gate, attempt: attempt.attempt },
      { item },
    ),
  ]
}

/** A crash may be a matter of memory, so it is tried once more; one that comes again would come every time. */
const CRASHED_ATTEMPTS = 2

/** Whether the process of the attempt crashed: the runner says so in the detail. */
function isCrash({ detail }: NodeError): boolean {
  return typeof detail === 'object' && detail !== null && 'crash' in detail
}

/** The fact that the attempt is tried again; the error of its `when`; or null when the failure stands. */
function nextTry(
  state: ExecutionState,
  attempt: AttemptState,
  error: NodeError,
  now: number,
): Fact | NodeError | null {
  const { retry, id } = compiledOf(state, attempt)
  const { compensates } = attempt
  const tries = triesOf(state, attempt)
  // Nodes that end with the run are not tried again; what undoes them is.
  const isEnding = compensates === true ? state.rollback?.stopped != null : state.cancelling !== null
  if (retry === null || tries >= retry.maxAttempts || attempt.stopping || isEnding) return null
  if (tries >= CRASHED_ATTEMPTS && isCrash(error)) return null
  if (retry.when !== null) {
    const locals = { error: { ...boundedError(error) } as JsonObject, attempts: tries }
    const wanted = evaluateCondition(retry.when, scopeOf(state, { locals }))
    if (!wanted.ok)
      return {
        kind: 'expression_error',
        message: `retry.when of '${id}': ${wanted.error.message}; asked because of: ${error.message}`,
      }
    if (!wanted.value) return null
  }
  const chance = chanceOf(
    `${state.executionId}/${id}/${attempt.generation}/${attempt.item}/${attempt.attempt}`,
  )
  const asked = isRecord(error.detail) ? retryAfterMs(error.detail['retry_after'], now) : 0
  const delay_ms = Math.max(retryDelay(retry, tries, chance), asked)
  const payload = { attempt: attempt.attempt + 1, delay_ms, due_at: formatInstant(now + delay_ms) }
  if (compensates === true) return rollbackFact(attempt, 'retrying', payload)
  return nodeFact({ node: id, generation: attempt.generation }, 'retrying', payload, { item: attempt.item })
}

/** How often it was tried: attempts to undo a node are numbered after those of its work. */
function triesOf({ rollback }: ExecutionState, { node, attempt, compensates }: AttemptState): number {
  const first = compensates === true ? (rollback?.steps.get(node)?.first ?? 1) : 1
  return attempt - first + 1
}

/** An item's failure is the node's only when every item has ended; a node that cannot be undone has not failed. */
export function failedNode(
  { node, item, generation, attempt, compensates }: AttemptState,
  error: NodeError,
): readonly Fact[] {
  if (item !== null || compensates === true) return []
  return [nodeFact({ node, generation }, 'failed', { error: boundedError(error), attempts: attempt })]
}

function cancelledNode(state: ExecutionState, attempt: AttemptState): readonly Fact[] {
  if (attempt.item !== null || attempt.compensates === true) return []
  return [
    nodeFact({ node: attempt.node, generation: attempt.generation }, 'cancelled', {
      reason: state.cancelling?.reason ?? null,
    }),
  ]
}

/** What the attempt works at: the node, or what undoes it. */
export function compiledOf({ pipeline }: ExecutionState, { node, compensates }: AttemptState): CompiledNode {
  const compiled = pipeline.nodes.get(node)!
  return compensates === true ? compiled.compensation! : compiled
}

export type OutputValues =
  { readonly ok: true; readonly values: JsonObject } | { readonly ok: false; readonly error: NodeError }

/** `outputVariables` over the task's result, or the task's outputs by their own names. */
export function outputVariables(
  large: LargeValues,
  compiled: CompiledNode,
  over: Scope,
  outputs: JsonObject,
): OutputValues {
  if (compiled.outputVariables === null) return { ok: true, values: outputs }
  const values: Record<string, VariableWrite['value']> = {}
  const scope = { ...over, locals: { result: outputs, ...over.locals } }
  const total = { inline: 0, large: 0 }
  for (const [name, template] of compiled.outputVariables) {
    const value = renderTemplate(template, scope)
    if (!value.ok) {
      return {
        ok: false,
        error: { kind: value.error.kind, message: `output variable '${name}': ${value.error.message}` },
      }
    }
    values[name] = value.value as VariableWrite['value']
    addSize(large, total, values[name])
    // The rest is not made any more; who takes these says what is wrong with them.
    if (limitPassed(total) !== null) break
  }
  return { ok: true, values }
}
