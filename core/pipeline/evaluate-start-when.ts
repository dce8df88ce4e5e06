import type { ExpressionError } from './expression'
import { formatStartWhen, gateAtoms, type ConditionAtom, type StartWhen } from './start-when'

/**
 * The three-valued evaluation of a gate. Pure: everything it knows comes from the world it is given.
 *
 * Events and their combination follow Kleene's logic: `&&` is the least, `||` the greatest of dead < pending < true, and
 * `!` swaps true and dead. A condition is asked only once every other conjunct of the `&&` that it stands in, and of every `&&` around
 * that one, is true; with none, at once. Several conditions of one `&&` wait for what is not a condition and are then all
 * asked. An `||` that an event has made true already asks nothing.
 * A condition's error decides the gate, unless a dead conjunct or a true alternative beside it has decided already.
 */

/** What is known of an atom or a gate. `dead` can never become true any more. */
export type Truth = 'true' | 'dead' | 'pending'

/** What the evaluator asks its caller. */
export type GateWorld = {
  event(type: string): Truth
  /** Asked only when R-66 allows; the caller says pending while a node that it names is not terminal. */
  condition(atom: ConditionAtom): { truth: Truth } | { error: ExpressionError }
}

/** An atom that decided: `event:a.failed` or `{{ a.v > 1 }}` as written; `negated` under an odd number of `!`. */
export type GateCause = { atom: string; kind: 'event' | 'condition'; negated: boolean }

export type GateResult = {
  /** `dead` when there is an error. */
  truth: Truth
  /** Types of positive event atoms that are true, each once, in the order of the text (R-70 needs them). */
  trueEvents: string[]
  /** Conditions that were evaluated, in the order of the text. */
  conditions: { source: string; value: boolean }[]
  /** When dead: the first atom, in the order of the text, that made it so. */
  cause?: GateCause
  /** A condition failed to evaluate: the node fails with it. */
  error?: ExpressionError & { source: string }
  /** pending, and only external atoms keep it so. A condition that waits for such an atom counts as part of it. */
  onlyExternalPending: boolean
}

type Outcome = {
  truth: Truth | 'error'
  /** The atom that decided, when it is true or dead. */
  cause?: GateCause
  error?: ExpressionError & { source: string }
  /** What keeps it pending. */
  waitsForExternal: boolean
  waitsForOther: boolean
}

const settled = { waitsForExternal: false, waitsForOther: false }
const unasked: Outcome = { truth: 'pending', ...settled }

export function isExternal(type: string): boolean {
  return type.startsWith('external.')
}

/** A condition itself, or one under `!`. */
function isCondition(gate: StartWhen): boolean {
  return gate.kind === 'condition' || (gate.kind === 'not' && isCondition(gate.term))
}

function hasCondition(gate: StartWhen): boolean {
  switch (gate.kind) {
    case 'event':
      return false
    case 'condition':
      return true
    case 'not':
      return hasCondition(gate.term)
    default:
      return gate.terms.some(hasCondition)
  }
}

class Evaluation {
  /** Answers by atom, not by text: the same condition may stand in two groups and be asked in one. */
  readonly asked = new Map<StartWhen, boolean>()
  constructor(private readonly world: GateWorld) {}

  evaluate(gate: StartWhen, mayAsk: boolean, negated: boolean): Outcome {
    switch (gate.kind) {
      case 'event': {
        const truth = this.world.event(gate.type)
        if (truth === 'pending') {
          const external = isExternal(gate.type)
          return { truth, waitsForExternal: external, waitsForOther: !external }
        }
        return { truth, cause: { atom: formatStartWhen(gate), kind: 'event', negated }, ...settled }
      }
      case 'condition':
        return mayAsk ? this.ask(gate, negated) : unasked
      case 'not':
        return inverted(this.evaluate(gate.term, mayAsk, !negated))
      case 'and':
        return this.and(gate.terms, mayAsk, negated)
      case 'or':
        return this.or(gate.terms, mayAsk, negated)
    }
  }

  private ask(atom: ConditionAtom, negated: boolean): Outcome {
    const answer = this.world.condition(atom)
    if ('error' in answer)
      return { truth: 'error', error: { ...answer.error, source: atom.source }, ...settled }
    if (answer.truth === 'pending') return { truth: 'pending', waitsForExternal: false, waitsForOther: true }
    this.asked.set(atom, answer.truth === 'true')
    return {
      truth: answer.truth,
      cause: { atom: formatStartWhen(atom), kind: 'condition', negated },
      ...settled,
    }
  }

  private and(terms: readonly StartWhen[], mayAsk: boolean, negated: boolean): Outcome {
    const outcomes = new Map<StartWhen, Outcome>()
    const run = (some: readonly StartWhen[], ask: boolean): boolean => {
      for (const term of some) outcomes.set(term, this.evaluate(term, ask, negated))
      return ask && some.every((term) => outcomes.get(term)?.truth === 'true')
    }
    const mixed = terms.filter((term) => hasCondition(term) && !isCondition(term))
    const eventsHold = run(
      terms.filter((term) => !hasCondition(term)),
      mayAsk,
    )
    const restHolds = run(mixed, eventsHold)
    run(terms.filter(isCondition), restHolds)
    return combined(
      terms.map((term) => outcomes.get(term) ?? unasked),
      'dead',
    )
  }

  private or(terms: readonly StartWhen[], mayAsk: boolean, negated: boolean): Outcome {
    const outcomes = new Map<StartWhen, Outcome>()
    for (const term of terms) {
      if (!hasCondition(term)) outcomes.set(term, this.evaluate(term, mayAsk, negated))
    }
    const decided = [...outcomes.values()].find((outcome) => outcome.truth === 'true')
    if (decided) return decided
    for (const term of terms) {
      if (hasCondition(term)) outcomes.set(term, this.evaluate(term, mayAsk, negated))
    }
    return combined(
      terms.map((term) => outcomes.get(term) ?? unasked),
      'true',
    )
  }
}

function inverted(outcome: Outcome): Outcome {
  if (outcome.truth === 'true') return { ...outcome, truth: 'dead' }
  if (outcome.truth === 'dead') return { ...outcome, truth: 'true' }
  return outcome
}

/** One decisive outcome decides; else an error; else what is pending; else all are the opposite, and the first is named. */
function combined(outcomes: readonly Outcome[], decisive: 'true' | 'dead'): Outcome {
  const decided =
    outcomes.find(({ truth }) => truth === decisive) ?? outcomes.find(({ truth }) => truth === 'error')
  if (decided) return decided
  const pending = outcomes.filter(({ truth }) => truth === 'pending')
  if (pending.length === 0) return outcomes[0] ?? unasked
  return {
    truth: 'pending',
    waitsForExternal: pending.some((outcome) => outcome.waitsForExternal),
    waitsForOther: pending.some((outcome) => outcome.waitsForOther),
  }
}

/** Evaluates a gate. Asks the world once for each event type and for each condition that may be asked. */
export function evaluateStartWhen(gate: StartWhen, world: GateWorld): GateResult {
  const known = new Map<string, Truth>()
  const remembering: GateWorld = {
    event(type) {
      const truth = known.get(type) ?? world.event(type)
      known.set(type, truth)
      return truth
    },
    condition: (atom) => world.condition(atom),
  }
  const evaluation = new Evaluation(remembering)
  const outcome = evaluation.evaluate(gate, true, false)
  const trueEvents = new Set<string>()
  const conditions: GateResult['conditions'] = []
  for (const { atom, negated } of gateAtoms(gate)) {
    if (atom.kind === 'event') {
      if (!negated && remembering.event(atom.type) === 'true') trueEvents.add(atom.type)
    } else {
      const value = evaluation.asked.get(atom)
      if (value !== undefined) conditions.push({ source: atom.source, value })
    }
  }
  const result: GateResult = {
    truth: outcome.truth === 'error' ? 'dead' : outcome.truth,
    trueEvents: [...trueEvents],
    conditions,
    onlyExternalPending: outcome.truth === 'pending' && outcome.waitsForExternal && !outcome.waitsForOther,
  }
  if (outcome.error) result.error = outcome.error
  if (outcome.truth === 'dead' && outcome.cause) result.cause = outcome.cause
  return result
}
