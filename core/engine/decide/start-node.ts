import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { acceptOutputs, failForGood } from './attempt-outcome'
import { boundedError } from './bounded-error'
import type { JsonObject, MockedValue, NodeError } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import type { Fact } from './fact'
import { nodeFact } from './fact'
import { evaluateGate, recordOf } from './gate'
import { formatInstant } from '@/core/engine/instant'
import type { Mock } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'
import { byHandBefore } from '@/core/engine/by-hand-around'
import { mockedPayload, mockedValuesOf } from '@/core/engine/mocked-values'
import { itemsOf } from './scope'
import { attemptStarted, durationMs, newAttempt, resolveInput, startAttempt } from './start-attempt'
import { nodeOf, type ExecutionState, type NodeState } from '@/core/engine/state'
import type { GateRecord, PayloadOf } from '@/core/engine/typed-event'
import type { StepContext } from './step-context'

/** The facts of a node that starts: `started`, then its first attempt, its open approval, its items, or its failure. */
export function startNode(
  state: ExecutionState,
  compiled: CompiledNode,
  gate: GateRecord,
  context: StepContext,
): readonly Fact[] {
  const { id } = compiled
  const { now } = context
  const node = nodeOf(state, id)
  const started = (more: Omit<PayloadOf<'node', 'started'>, 'gate'> = {}) =>
    nodeFact({ node: id, generation: node.generation }, 'started', { gate, ...more })
  const fail = (error: NodeError): Fact =>
    nodeFact({ node: id, generation: node.generation }, 'failed', {
      error: boundedError(error),
      attempts: node.attempts,
    })
  const mock = state.mocks[id]
  if (mock !== undefined) {
    const attempt = newAttempt(compiled, node, { item: null, attempt: node.attempts + 1 }, now)
    const outcome =
      'outputs' in mock
        ? acceptOutputs(state, attempt, mock.outputs, now)
        : failForGood(attempt, { error: errorOfMock(mock.error) }, now)
    return [started({ mocked: true }), attemptStarted(attempt), ...outcome]
  }
  if (compiled.forEach !== null) {
    const list = itemsOf(state, compiled)
    return list.ok
      ? [started({ items: list.items.length })]
      : [started(), fail({ kind: list.kind, message: list.message })]
  }
  if (compiled.kind !== 'approval') {
    return [started(), ...startAttempt(state, compiled, { item: null, attempt: node.attempts + 1 }, context)]
  }
  const resolved = resolveInput(state, compiled)
  if (!resolved.ok) return [started(), fail(resolved.error)]
  const basis = { mocked: mockedValuesOf(state, compiled), byHand: byHandBefore(state, id) }
  const request = openApproval(resolved.input as RenderedApproval, basis, now)
  if (jsonBytes(request, LIMITS.eventPayloadBytes) > LIMITS.eventPayloadBytes) {
    const message = `what the approvers would see is larger than ${LIMITS.eventPayloadBytes} bytes`
    return [started(), fail({ kind: 'invalid_input', message })]
  }
  return [started(), nodeFact({ node: id, generation: node.generation }, 'waiting', request)]
}

const errorOfMock = ({ kind, message }: Extract<Mock, { error: unknown }>['error']): NodeError => ({
  kind: kind ?? 'task_failed',
  message,
})

/** What opened the gate of a queued node, with what has happened since: a failure that came meanwhile is handled. */
export function gateAtStart(
  state: ExecutionState,
  compiled: CompiledNode,
  { gate }: NodeState & { status: 'queued' },
): GateRecord {
  return { ...gate, events: recordOf(evaluateGate(state, compiled)).events }
}

/** A queued node gets its slot: it starts, or its next attempt does. */
export function startQueued(
  state: ExecutionState,
  compiled: CompiledNode,
  node: NodeState & { status: 'queued' },
  context: StepContext,
): readonly Fact[] {
  return node.startedAt === null
    ? startNode(state, compiled, gateAtStart(state, compiled, node), context)
    : startAttempt(state, compiled, { item: null, attempt: node.attempt }, context)
}

/** The input of an approval as its contract let it through; the form stays plain JSON. */
type RenderedApproval = {
  readonly message?: string
  readonly approvers?: readonly string[]
  readonly quorum?: number
  readonly rejectQuorum?: number
  readonly timeout?: string
  readonly onTimeout?: 'fail' | 'approve'
  readonly excludeRequester?: boolean
  readonly form?: JsonObject
}

/** An approval opens with everything rendered; nothing of it changes while people look at it. */
function openApproval(
  input: RenderedApproval,
  { mocked, byHand }: { readonly mocked: readonly MockedValue[]; readonly byHand: readonly string[] },
  now: number,
): PayloadOf<'node', 'waiting'> {
  const timeout = durationMs(input.timeout)
  return {
    for: 'people',
    message: input.message ?? '',
    approvers: input.approvers ?? [],
    quorum: input.quorum ?? 1,
    reject_quorum: input.rejectQuorum ?? 1,
    on_timeout: input.onTimeout ?? 'fail',
    exclude_requester: input.excludeRequester ?? false,
    form: input.form ?? null,
    due_at: timeout === null ? null : formatInstant(now + timeout),
    ...mockedPayload(mocked),
    ...(byHand.length === 0 ? {} : { by_hand: byHand }),
  }
}
