import type { CompiledNode } from '@/core/pipeline/compile'
import { parseDuration } from '@/core/pipeline/duration'
import { renderTemplate } from '@/core/pipeline/template'
import { boundedError, completeNode, failAttempt } from './attempt-outcome'
import type { JsonObject, NodeError } from './event'
import { LIMITS } from './event'
import type { Fact } from './fact'
import { nodeFact, taskFact } from './fact'
import { formatInstant, parseInstant } from './instant'
import { jsonBytes } from './json-bytes'
import { scopeOf } from './scope'
import type { AttemptState, ExecutionState, GateRecord, NodeState } from './state'

export type ResolvedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly error: NodeError }

/**
 * The input of a node's task: bindings rendered over the variables written up to `upTo` (all, when absent), then held
 * against the task's schema [G-8, G-9, N-O6]. The same answer whenever it is asked for the same attempt.
 */
export function resolveInput(state: ExecutionState, compiled: CompiledNode, upTo?: number): ResolvedInput {
  const rendered = renderTemplate(compiled.bindings, scopeOf(state, upTo === undefined ? {} : { upTo }))
  if (!rendered.ok)
    return { ok: false, error: { kind: rendered.error.kind, message: rendered.error.message } }
  const parsed = compiled.contract.input.safeParse(rendered.value)
  if (parsed.success) return { ok: true, input: parsed.data as JsonObject }
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`)
  return { ok: false, error: { kind: 'invalid_input', message: issues.slice(0, 5).join('; ') } }
}

/** The facts of a node that starts: `started`, then its first attempt, its wait, its open approval, or its failure. */
export function startNode(
  state: ExecutionState,
  compiled: CompiledNode,
  node: NodeState,
  gate: GateRecord,
  now: number,
): readonly Fact[] {
  const { id } = compiled
  const mock = state.mocks[id]
  const started = nodeFact(id, 'started', node.generation, {
    gate: gate as unknown as JsonObject,
    ...(mock === undefined ? {} : { mocked: true }),
  })
  const fail = (error: NodeError): Fact[] => [
    started,
    nodeFact(id, 'failed', node.generation, {
      error: boundedError(error) as unknown as JsonObject,
      attempts: node.attempts,
    }),
  ]
  const attempt = firstAttempt(compiled, node, now)
  if (mock !== undefined) {
    const result =
      'outputs' in mock
        ? completeNode(state, attempt, mock.outputs, now)
        : failAttempt(
            state,
            attempt,
            { kind: mock.error.kind ?? 'task_failed', message: mock.error.message },
            now,
          )
    return [started, attemptStarted(attempt), ...result]
  }
  const resolved = resolveInput(state, compiled)
  if (!resolved.ok) return fail(resolved.error)
  switch (compiled.kind) {
    case 'task':
      return [started, attemptStarted(attempt)]
    case 'wait': {
      const due = waitUntil(resolved.input, now)
      if (typeof due !== 'number') return fail(due)
      const waiting = nodeFact(id, 'waiting', node.generation, { for: 'time', due_at: formatInstant(due) })
      return [started, attemptStarted(attempt), waiting]
    }
    case 'approval': {
      const request = openApproval(resolved.input, now)
      if (jsonBytes(request, LIMITS.eventPayloadBytes) > LIMITS.eventPayloadBytes) {
        return fail({
          kind: 'invalid_input',
          message: `what the approvers would see is larger than ${LIMITS.eventPayloadBytes} bytes`,
        })
      }
      return [started, nodeFact(id, 'waiting', node.generation, request)]
    }
  }
}

function firstAttempt(compiled: CompiledNode, node: NodeState, now: number): AttemptState {
  return {
    node: compiled.id,
    item: null,
    generation: node.generation,
    attempt: node.attempts + 1,
    token: node.token + 1,
    losses: 0,
    startedAt: now,
    startedSeq: 0,
    deadline: compiled.timeoutMs === null ? null : now + compiled.timeoutMs,
    holdsSlot: compiled.contract.holdsSlot,
    placement: compiled.contract.placement,
    stopping: false,
    progress: null,
  }
}

function attemptStarted(attempt: AttemptState): Fact {
  const payload = {
    token: attempt.token,
    ...(attempt.deadline === null ? {} : { timeout_at: formatInstant(attempt.deadline) }),
  }
  return taskFact(attempt, 'started', payload)
}

/** When a `wait` is over: its absolute time is recorded, so that a restart does not begin anew. */
function waitUntil(input: JsonObject, now: number): number | NodeError {
  if (typeof input['until'] === 'string') {
    const until = parseInstant(input['until'])
    return Number.isNaN(until)
      ? { kind: 'invalid_input', message: `until: '${input['until']}' is not a time` }
      : until
  }
  const duration = durationMs(input['duration'])
  return duration === null
    ? { kind: 'invalid_input', message: `duration: '${String(input['duration'])}' is not a duration` }
    : now + duration
}

/** An approval opens with everything rendered; nothing of it changes while people look at it. */
function openApproval(input: JsonObject, now: number): JsonObject {
  const timeout = durationMs(input['timeout'])
  return {
    for: 'people',
    message: (input['message'] as string | undefined) ?? '',
    approvers: input['approvers'] ?? [],
    quorum: input['quorum'] ?? 1,
    reject_quorum: input['rejectQuorum'] ?? 1,
    on_timeout: input['onTimeout'] ?? 'fail',
    exclude_requester: input['excludeRequester'] ?? false,
    form: input['form'] ?? null,
    due_at: timeout === null ? null : formatInstant(now + timeout),
  }
}

function durationMs(value: unknown): number | null {
  return typeof value === 'string' ? parseDuration(value) : null
}
