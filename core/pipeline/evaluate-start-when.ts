import type { ExpressionError } from './expression'
import type { ConditionAtom, StartWhen } from './start-when'

/** What is known of an atom or a gate. `dead` can never become true any more. */
export type Truth = 'true' | 'dead' | 'pending'

/** What the evaluator asks its caller. */
export type GateWorld = {
  event(type: string): Truth
  /** Asked only when R-66 allows; the caller says pending while a node that it names is not terminal. */
  condition(atom: ConditionAtom): { truth: Truth } | { error: ExpressionError }
}

export type GateCause = { atom: string; kind: 'event' | 'condition'; negated: boolean }

export type GateResult = {
  truth: Truth
  /** Types of positive event atoms that are true, in the order of the text. */
  trueEvents: string[]
  /** Conditions that were evaluated, in the order of the text. */
  conditions: { source: string; value: boolean }[]
  /** When dead: the first atom that made it so, as written. */
  cause?: GateCause
  /** A condition failed to evaluate: the node fails with it. */
  error?: ExpressionError & { source: string }
  /** pending, and only external atoms keep it so. */
  onlyExternalPending: boolean
}

export declare function evaluateStartWhen(gate: StartWhen, world: GateWorld): GateResult
