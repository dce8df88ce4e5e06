import type { JsonObject } from '@/core/engine/event'
import { attemptId, type ExecutionState } from '@/core/engine/state'
import { completeAttempt, failAttempt } from './attempt-outcome'
import type { Fact } from './fact'
import type { StepContext } from './step-context'

/** The beginning of an attempt whose task is pure: nobody has to be asked for its result. */
export type PureBeginning = Fact & { readonly pureInput: JsonObject }

export const beginsPureAttempt = (fact: Fact): fact is PureBeginning => fact.pureInput !== undefined

/**
 * The end of an attempt whose task is pure, in the commit of its beginning. Its result follows from its input, so that nothing is lost
 * when the commit is. Attempts for which `context.computing` has nothing left are `wanted` like any other, and a worker computes them.
 */
export function computeAttempt(
  state: ExecutionState,
  { source, item = null, pureInput }: PureBeginning,
  context: StepContext,
): readonly Fact[] {
  const attempt = state.inFlight.get(attemptId(source.entity_id, item))
  if (attempt === undefined) return []
  context.computing.left -= 1
  const computed = state.pipeline.nodes.get(attempt.node)!.contract.compute!(pureInput)
  return computed.ok
    ? completeAttempt(state, attempt, computed, context.now)
    : failAttempt(state, attempt, computed, context.now)
}
