import { attemptId, type ExecutionState } from '@/core/engine/state'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { completeAttempt, failAttempt } from './attempt-outcome'
import type { Fact } from './fact'
import { resolveInput } from './start-attempt'
import type { StepContext } from './step-context'

/** The key of the attempt that a fact has begun when its task is pure: nobody has to be asked for its result. Null otherwise. */
export function pureAttemptBegunBy(state: ExecutionState, fact: Fact): string | null {
  const { source, type, item = null } = fact
  if (source.entity_type !== 'task' || state.pipeline.nodes.get(source.entity_id)?.contract.pure !== true)
    return null
  return eventTypeOf(type).word === 'started' ? attemptId(source.entity_id, item) : null
}

/**
 * The end of an attempt whose task is pure, in the commit of its beginning. Its result follows from its input, so that nothing is lost
 * when the commit is. Attempts for which `context.computing` has nothing left are `wanted` like any other, and a worker computes them.
 */
export function computeAttempt(state: ExecutionState, key: string, context: StepContext): readonly Fact[] {
  const attempt = state.inFlight.get(key)
  if (attempt === undefined) return []
  context.computing.left -= 1
  const compiled = state.pipeline.nodes.get(attempt.node)!
  const resolved = resolveInput(state, compiled, { upTo: attempt.startedSeq, item: attempt.item })
  const computed = resolved.ok ? compiled.contract.compute!(resolved.input) : resolved
  return computed.ok
    ? completeAttempt(state, attempt, computed.outputs, context.now)
    : failAttempt(state, attempt, computed, context.now)
}
