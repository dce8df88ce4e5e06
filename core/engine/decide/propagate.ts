import type { CompiledNode } from '@/core/pipeline/definition/compile'
import type { Shortage } from '@/core/pipeline/definition/demand'
import { attemptShortage, poolOf } from './demand'
import { renderTemplate } from '@/core/pipeline/expression/template'
import type { JsonObject, NodeError, VariableWrite } from '@/core/engine/event'
import { LIMITS } from '@/core/engine/event'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { countFailures, failureNamedBy } from '@/core/engine/fold/handlers'
import { boundedError } from './bounded-error'
import { errorOfChecks, resultsOfChecks } from './checks'
import type { Fact } from './fact'
import { nodeFact, pipelineFact } from './fact'
import { reevaluateGate, mayHandleFailures, recordOf, skipReasonOf } from './gate'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import { sizeOf, variableWrite } from '@/core/engine/large-values'
import { isMocked } from '@/core/engine/mocked-values'
import { lightOutputs } from './light-outputs'
import { propagateRollback, rollBackByPolicy, triggerOf, type RunFailure } from './rollback'
import { scopeOf } from './scope'
import { propagateItems } from './items'
import { gateAtStart, startNode, startQueued } from './start-node'
import type { StepContext } from './step-context'
import type { ExecutionState, NodeState } from '@/core/engine/state'
import type { SkipReason } from '@/core/engine/typed-event'
import { isFinished, isRollingBack, nodeOf } from '@/core/engine/state'

const NOTHING: readonly Fact[] = []

/**
 * What follows from the state by itself: the next node that starts, queues or is skipped, or the end of the run.
 * * Called until it answers with nothing; checks only nodes that something touched. It drops what it has checked
 * from `state.dirty` and changes nothing else but what is remembered of wide gates.
 */
export function propagate(state: ExecutionState, context: StepContext): readonly Fact[] {
  if (state.closedAt !== null) return NOTHING
  // Nothing starts before the run is admitted; one that is cancelled meanwhile ends as any other.
  if ((state.lifecycle === 'PENDING' || state.lifecycle === 'SCHEDULING') && state.cancelling === null)
    return NOTHING
  if (isRollingBack(state) && state.open === 0) return propagateRollback(state, context)
  for (const id of state.dirty) {
    const compiled = state.pipeline.nodes.get(id)
    const facts = compiled === undefined ? NOTHING : propagateNode(state, compiled, context)
    if (facts.length > 0) return facts
    state.dirty.delete(id)
  }
  if (!isFinished(state)) return state.open === 0 ? outcome(state, context.now) : NOTHING
  return state.openFinally === 0 ? [pipelineFact(state, 'closed', {})] : NOTHING
}

function propagateNode(state: ExecutionState, compiled: CompiledNode, context: StepContext): readonly Fact[] {
  const node = nodeOf(state, compiled.id)
  if (compiled.finally !== isFinished(state)) return NOTHING
  if (node.status === 'running' && node.items !== null)
    return propagateItems(state, compiled, { ...node, items: node.items }, context)
  if (node.status === 'queued') return propagateQueued(state, compiled, node, context)
  if (node.status !== 'pending' || (state.cancelling !== null && !compiled.finally)) return NOTHING
  if (failingFast(state, compiled) && !mayHandleFailures(compiled.gate))
    return [skip(compiled, node, 'fail_fast', state.firstFailure)]

  const gate = reevaluateGate(state, compiled)
  if (gate.error !== undefined) {
    const error = { kind: gate.error.kind, message: `startWhen of '${compiled.id}': ${gate.error.message}` }
    return [
      nodeFact({ node: compiled.id, generation: node.generation }, 'failed', {
        error: boundedError(error),
        attempts: 0,
      }),
    ]
  }
  switch (gate.truth) {
    case 'pending':
      return gate.onlyExternalPending ? armStartTimeout(compiled, node, context.now) : NOTHING
    case 'dead': {
      const cause = gate.cause === undefined ? null : (gate.cause.negated ? '!' : '') + gate.cause.atom
      return [skip(compiled, node, skipReasonOf(state, gate.cause), cause)]
    }
    case 'true': {
      if (failingFast(state, compiled) && !handlesAFailure(state, gate.trueEvents)) {
        return [skip(compiled, node, 'fail_fast', state.firstFailure)]
      }
      if (state.paused) return NOTHING
      const record = recordOf(gate)
      const shortage = shortageOf(state, compiled, context)
      if (shortage !== null) {
        const payload = { gate: record, attempt: node.attempts + 1, ...poolOf(shortage) }
        return [nodeFact({ node: compiled.id, generation: node.generation }, 'queued', payload)]
      }
      return startNode(state, compiled, record, context)
    }
  }
}

/** It waits for a slot, or waited until the run was resumed. */
function propagateQueued(
  state: ExecutionState,
  compiled: CompiledNode,
  node: NodeState & { status: 'queued' },
  context: StepContext,
): readonly Fact[] {
  const fresh = node.startedAt === null
  if (
    fresh &&
    failingFast(state, compiled) &&
    !handlesAFailure(state, gateAtStart(state, compiled, node).events)
  ) {
    return [skip(compiled, node, 'fail_fast', state.firstFailure)]
  }
  if (state.paused || (state.cancelling !== null && !compiled.finally)) return NOTHING
  if (shortageOf(state, compiled, context) === null) return startQueued(state, compiled, node, context)
  state.awaitingSlot.add(compiled.id)
  return NOTHING
}

/** A mocked node does no work, and a forEach demands for each of its items. */
function shortageOf(state: ExecutionState, compiled: CompiledNode, context: StepContext): Shortage | null {
  const works = compiled.forEach === null && state.mocks[compiled.id] === undefined
  return works ? attemptShortage(state, compiled, context) : null
}

function failingFast(state: ExecutionState, compiled: CompiledNode): boolean {
  return state.pipeline.failFast && state.firstFailure !== null && !compiled.finally
}

function handlesAFailure(state: ExecutionState, events: readonly string[]): boolean {
  return events.some((type) => {
    const { level, node, word } = eventTypeOf(type)
    const isFailure = failureNamedBy(type) !== null || (level === 'task' && word === 'failed')
    return isFailure && state.nodes.get(node)?.status === 'failed'
  })
}

function skip(compiled: CompiledNode, node: NodeState, reason: SkipReason, cause: string | null): Fact {
  return nodeFact({ node: compiled.id, generation: node.generation }, 'skipped', { reason, cause })
}

/** When nothing but external events keeps the node pending, its start timeout runs. */
function armStartTimeout(compiled: CompiledNode, node: NodeState, now: number): readonly Fact[] {
  if (compiled.startTimeoutMs === null || node.status !== 'pending' || node.startDeadline !== null)
    return NOTHING
  const events = compiled.gateEvents.filter(isExternal)
  const due_at = formatInstant(now + compiled.startTimeoutMs)
  return [
    nodeFact({ node: compiled.id, generation: node.generation }, 'waiting', { for: 'event', events, due_at }),
  ]
}

/** Every node of the run is terminal: what it comes to. */
function outcome(state: ExecutionState, now: number): readonly Fact[] {
  const duration_ms = elapsedMs(state.startedAt ?? now, now)
  const { cancelling } = state
  if (cancelling !== null && !cancelling.timedOut)
    return [pipelineFact(state, 'cancelled', { reason: cancelling.reason, duration_ms })]
  const failed = cancelling === null ? unhandledFailures(state) : []
  const failure =
    cancelling === null
      ? failureOfNodes(state, failed)
      : runFailure('timeout', { kind: 'timeout', message: cancelling.reason ?? 'the run took too long' })
  if (failure !== null) return [failOrRollBack(state, failure, { duration_ms, failed })]
  if (state.lifecycle === 'EXECUTING') {
    const checks = resultsOfChecks(state)
    return [pipelineFact(state, 'verifying', checks.length === 0 ? {} : { checks })]
  }
  const error = errorOfChecks(state.checks)
  return error === null
    ? complete(state, duration_ms)
    : [failOrRollBack(state, runFailure('verify_failed', error), { duration_ms })]
}

const runFailure = (trigger: RunFailure['trigger'], error: NodeError): RunFailure => ({
  error,
  trigger,
  node: null,
})

function failureOfNodes(state: ExecutionState, failed: readonly string[]): RunFailure | null {
  const [node] = failed
  if (node === undefined) return null
  const first = nodeOf(state, node)
  const cause = first.status === 'failed' ? first.error : { kind: 'internal', message: '' }
  const more = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`
  const error = { kind: cause.kind, message: `${node} failed: ${cause.message}${more}` }
  return { error, trigger: triggerOf(cause), node }
}

/** What the run did is undone where its policy says so; otherwise it fails, and says why it was not undone all the same. */
function failOrRollBack(
  state: ExecutionState,
  failure: RunFailure,
  { duration_ms, failed = [] }: { readonly duration_ms: number; readonly failed?: readonly string[] },
): Fact {
  const rolling = rollBackByPolicy(state, failure)
  if (rolling !== null && typeof rolling !== 'string') return rolling
  const { kind, message } = failure.error
  const error = boundedError({ kind, message: rolling === null ? message : `${message}; ${rolling}` })
  const failed_nodes = failed.slice(0, LIMITS.failedNodesListed)
  return pipelineFact(state, 'failed', { error, duration_ms, failed_nodes, ...ofMocks(state) })
}

const ofMocks = (state: ExecutionState): { mocked?: true } => (isMocked(state) ? { mocked: true } : {})

/** Failures that fail the run, in order of the definition. */
function unhandledFailures(state: ExecutionState): string[] {
  return [...state.nodes].flatMap(([id, node]) => (failsRun(state, id, node) ? [id] : []))
}

/** Whether a node has failed so that the run fails by it. */
export function failsRun(state: ExecutionState, id: string, { status }: NodeState): boolean {
  if (status !== 'failed') return false
  const compiled = state.pipeline.nodes.get(id)
  if (compiled === undefined || compiled.finally || compiled.allowFailure) return false
  const handlers = state.handlers.get(id) ?? []
  return state.pipeline.failFast
    ? !handlers.some((handler) => state.nodes.get(handler)?.status === 'completed')
    : handlers.length === 0
}

/** Evaluates the outputs of the pipeline; a required one that cannot be had fails the run. */
function complete(state: ExecutionState, duration_ms: number): readonly Fact[] {
  const outputs: Record<string, unknown> = {}
  const variables: VariableWrite[] = []
  for (const [name, output] of state.pipeline.outputs) {
    const rendered = renderTemplate(output.template, scopeOf(state))
    const value = rendered.ok ? (rendered.value as VariableWrite['value']) : null
    const problem = rendered.ok
      ? output.required && value === null
        ? 'its value is null'
        : tooLarge(state, value)
      : output.required || rendered.error.kind !== 'variable_not_found'
        ? rendered.error.message
        : null
    if (problem !== null) {
      const kind = rendered.ok
        ? value === null
          ? 'variable_not_found'
          : 'output_too_large'
        : rendered.error.kind
      const error: NodeError = { kind, message: `output '${name}' of the pipeline: ${problem}` }
      return [failOrRollBack(state, runFailure('verify_failed', error), { duration_ms })]
    }
    outputs[name] = value
    const { inline } = sizeOf(state.values, value)
    const write = { name: `pipeline.output.${name}`, node: 'pipeline', value, inline }
    variables.push(variableWrite(state.values, write))
  }
  return [
    pipelineFact(
      state,
      'completed',
      {
        duration_ms,
        handled_failures: countFailures(state),
        ...ofMocks(state),
        ...lightOutputs(outputs as JsonObject, 'pipeline.output'),
      },
      { variables },
    ),
  ]
}

function tooLarge(state: ExecutionState, value: VariableWrite['value']): string | null {
  const { mostBytes } = state.values
  return sizeOf(state.values, value).bytes > mostBytes ? `it is larger than ${mostBytes} bytes` : null
}
