import type { CompiledNode } from '@/core/pipeline/compile'
import { renderTemplate } from '@/core/pipeline/template'
import type { JsonObject, NodeError, VariableWrite } from './event'
import { LIMITS } from './event'
import type { Fact } from './fact'
import { nodeFact, taskFact } from './fact'
import { formatInstant } from './instant'
import { jsonBytes } from './json-bytes'
import { lightOutputs } from './light-outputs'
import { scopeOf } from './scope'
import type { AttemptState, ExecutionState } from './state'

/** An attempt came to its end with outputs: the node completes with them, or fails because they cannot be taken [G-8, E-12]. */
export function completeAttempt(
  state: ExecutionState,
  compiled: CompiledNode,
  attempt: AttemptState,
  outputs: JsonObject,
  now: number,
): readonly Fact[] {
  const values = outputVariables(state, compiled, outputs)
  return values.ok
    ? completeNode(state, attempt, values.values, now)
    : failAttempt(state, attempt, values.error, now)
}

/** The node completes with exactly these variables `{node}.{name}`. */
export function completeNode(
  state: ExecutionState,
  attempt: AttemptState,
  values: JsonObject,
  now: number,
): readonly Fact[] {
  const { node } = attempt
  const tooLarge = (what: string): readonly Fact[] =>
    failAttempt(
      state,
      attempt,
      { kind: 'output_too_large', message: `${what}; write large data to an artifact and hand that on` },
      now,
    )
  const variables: VariableWrite[] = []
  let total = 0
  for (const [name, value] of Object.entries(values)) {
    const bytes = jsonBytes(value, LIMITS.inlineVariableBytes)
    total += bytes
    if (bytes > LIMITS.inlineVariableBytes)
      return tooLarge(`output '${name}' is larger than ${LIMITS.inlineVariableBytes} bytes`)
    if (total > LIMITS.nodeVariablesBytes)
      return tooLarge(`the outputs together are larger than ${LIMITS.nodeVariablesBytes} bytes`)
    variables.push({ name: `${node}.${name}`, value })
  }
  if (state.variableBytes + total > LIMITS.stateBytes)
    return tooLarge(
      `with these outputs the variables of the execution are larger than ${LIMITS.stateBytes} bytes`,
    )
  const duration_ms = Math.max(0, now - attempt.startedAt)
  return [
    taskFact(attempt, 'completed', { duration_ms }),
    nodeFact(
      node,
      'completed',
      attempt.generation,
      { duration_ms, ...lightOutputs(values, node) },
      { variables },
    ),
  ]
}

/** An attempt failed for good, or was ended by a cancel; a failed attempt writes no outputs [R-7, R-8]. */
export function failAttempt(
  state: ExecutionState,
  attempt: AttemptState,
  error: NodeError,
  now: number,
): readonly Fact[] {
  const duration_ms = Math.max(0, now - attempt.startedAt)
  const told = boundedError(error) as unknown as JsonObject
  const failed = taskFact(attempt, 'failed', { error: told, duration_ms })
  if (attempt.stopping && error.kind === 'cancelled') {
    return [
      failed,
      nodeFact(attempt.node, 'cancelled', attempt.generation, { reason: state.cancelling?.reason ?? null }),
    ]
  }
  return [
    failed,
    nodeFact(attempt.node, 'failed', attempt.generation, { error: told, attempts: attempt.attempt }),
  ]
}

/** An error as an event can carry it: a task may say anything, at any length. What is cut off is said. */
export function boundedError({ kind, message, detail }: NodeError): NodeError {
  const most = LIMITS.textLength
  return {
    kind: kind.slice(0, 100),
    message:
      message.length > most
        ? `${message.slice(0, most)}… (${message.length - most} more characters)`
        : message,
    ...(detail === undefined
      ? {}
      : {
          detail:
            jsonBytes(detail, LIMITS.errorDetailBytes) > LIMITS.errorDetailBytes
              ? `left out: more than ${LIMITS.errorDetailBytes} bytes`
              : detail,
        }),
  }
}

/**
 * The worker of an attempt died. The same attempt goes on under a new token, at most three times, unless the node says
 * `onLost: fail` or the run is being cancelled.
 */
export function loseAttempt(
  state: ExecutionState,
  compiled: CompiledNode,
  attempt: AttemptState,
  reason: string,
  now: number,
): readonly Fact[] {
  const losses = attempt.losses + 1
  const lost = { token: attempt.token, losses, reason }
  if (attempt.stopping) {
    return [
      taskFact(attempt, 'lost', lost),
      nodeFact(attempt.node, 'cancelled', attempt.generation, { reason: state.cancelling?.reason ?? null }),
    ]
  }
  if (compiled.onLost === 'fail' || losses > LIMITS.lostAttempts) {
    const error = {
      kind: 'lost',
      message: `the worker of attempt ${attempt.attempt} was lost ${losses === 1 ? 'once' : `${losses} times`}: ${reason}`,
    }
    return [
      taskFact(attempt, 'lost', lost),
      nodeFact(attempt.node, 'failed', attempt.generation, { error, attempts: attempt.attempt }),
    ]
  }
  const timeout = compiled.timeoutMs === null ? {} : { timeout_at: formatInstant(now + compiled.timeoutMs) }
  return [taskFact(attempt, 'lost', { ...lost, next_token: attempt.token + 1, ...timeout })]
}

type OutputValues =
  { readonly ok: true; readonly values: JsonObject } | { readonly ok: false; readonly error: NodeError }

/** `outputVariables` over the task's result, or the task's outputs by their own names. */
function outputVariables(state: ExecutionState, compiled: CompiledNode, outputs: JsonObject): OutputValues {
  if (compiled.outputVariables === null) return { ok: true, values: outputs }
  const values: Record<string, VariableWrite['value']> = {}
  const scope = scopeOf(state, { locals: { result: outputs } })
  let total = 0
  for (const [name, template] of compiled.outputVariables) {
    const value = renderTemplate(template, scope)
    if (!value.ok) {
      return {
        ok: false,
        error: { kind: value.error.kind, message: `output variable '${name}': ${value.error.message}` },
      }
    }
    values[name] = value.value as VariableWrite['value']
    total += jsonBytes(values[name], LIMITS.inlineVariableBytes)
    // The rest is not made any more; who takes these says what is wrong with them.
    if (total > LIMITS.nodeVariablesBytes) break
  }
  return { ok: true, values }
}
