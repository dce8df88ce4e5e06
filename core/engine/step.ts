import { decide } from './decide'
import type { Entry } from './event'
import { evolve } from './evolve'
import type { Fact } from './fact'
import { stamp } from './fact'
import type { EngineInput, Rejection } from './input'
import { settle, type Admits } from './settle'
import type { ExecutionState } from './state'

export type Step =
  | { readonly ok: true; readonly entries: readonly Entry[] }
  | { readonly ok: false; readonly rejection: Rejection }

/**
 * One pure step: what an input means, folded, then everything that follows from it by itself, until nothing does.
 * Moves `state` (which the caller owns) to after the entries that it answers with; a refusal moves nothing.
 * The orchestrator and the rehearsal call this, so that a rehearsal cannot disagree with a run.
 *
 * @param now milliseconds since the epoch; every entry of the step carries this instant
 * @param admits may the execution, holding so many slots, start one more attempt?
 */
export function step(state: ExecutionState, input: EngineInput, now: number, admits: Admits): Step {
  const entries: Entry[] = []
  const take = (facts: readonly Fact[]) => {
    for (const fact of facts) {
      const entry = stamp(state, fact, now)
      evolve(state, entry)
      entries.push(entry)
    }
    return facts.length > 0
  }
  let decision = decide(state, input, now)
  if (!decision.ok) return decision
  while (take(decision.facts) && input.type === 'tick') {
    while (take(settle(state, now, admits)));
    decision = decide(state, input, now)
    if (!decision.ok) return decision
  }
  while (take(settle(state, now, admits)));
  return { ok: true, entries }
}
