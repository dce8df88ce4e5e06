import { beginsPureAttempt, computeAttempt, type PureBeginning } from './decide/compute-attempt'
import { decide } from './decide/decide'
import type { Entry } from './event'
import { evolve } from './fold/evolve'
import type { Fact } from './decide/fact'
import { stamp } from './decide/fact'
import type { EngineInput, Rejection } from './input'
import { propagate } from './decide/propagate'
import type { ExecutionState } from './state'
import type { StepContext } from './decide/step-context'

export type Step =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly rejection: Rejection }

/**
 * One pure step: what an input means, folded, then everything that follows from it by itself, until nothing does. Attempts that only
 * compute are part of that, as far as `context.computing` allows: a chain of them is one step and one commit.
 * Moves `state` (which the caller owns) to after the entries that it answers with; a refusal moves nothing.
 * The orchestrator and the rehearsal call this, so that a rehearsal cannot disagree with a run.
 */
export function step(state: ExecutionState, input: EngineInput, context: StepContext): Step {
  const entries: Entry[] = []
  /** Beginnings of attempts that the step may compute, in their order. */
  const computable: PureBeginning[] = []
  const take = (facts: readonly Fact[]) => {
    for (const fact of facts) {
      const entry = stamp(state, fact, context.now)
      evolve(state, entry)
      entries.push(entry)
      if (beginsPureAttempt(fact)) computable.push(fact)
    }
    return facts.length > 0
  }
  /** Everything that follows by itself; what is to be looked at is brought into order whenever there is more of it. */
  const follow = () => {
    let known = 0
    for (;;) {
      if (state.dirty.size > known) context.arrange?.(context.now)
      const facts = propagate(state, context)
      known = state.dirty.size
      if (!take(facts)) return
    }
  }
  let decision = decide(state, input, context)
  if (!decision.ok) return decision
  while (take(decision.facts) && input.type === 'tick') {
    follow()
    decision = decide(state, input, context)
    if (!decision.ok) return decision
  }
  follow()
  for (let next = 0; next < computable.length && context.computing.left > 0; next += 1) {
    take(computeAttempt(state, computable[next]!, context))
    follow()
  }
  return { ok: true, entries }
}
