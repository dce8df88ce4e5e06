import { isExternal } from './event-type'
import type { ExpressionError } from '@/core/pipeline/expression/expression'
import { formatStartWhen, gateAtoms, type ConditionAtom, type EventAtom, type StartWhen } from './start-when'

/**
 * The three-valued evaluation of a gate. Pure: everything it knows comes from the facts it is given.
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
export type GateFacts = {
  event(type: string): Truth
  /** Asked only when R-66 allows; the caller says pending while a node that it names is not terminal. */
  condition(atom: ConditionAtom): { truth: Truth } | { error: ExpressionError }
}

/** An atom that decided: `event:a.failed` or `{{ a.v > 1 }}` as written; `negated` under an odd number of `!`. */
export type GateCause = { atom: string; kind: 'event' | 'condition'; negated: boolean }

export type GateResult = {
  /** `dead` when there is an error. */
  truth: Truth
  /** Types of positive event atoms that are true, each once, in the order of the text (R-70 needs them). Empty while pending. */
  trueEvents: string[]
  /** Conditions that were evaluated, in the order of the text. Empty while pending. */
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
  /** The atom that decided, when it is true or dead. Written out only for a gate that is dead: most are looked at often. */
  cause?: { atom: EventAtom | ConditionAtom; negated: boolean }
  error?: ExpressionError & { source: string }
  /** What keeps it pending. */
  waitsForExternal: boolean
  waitsForOther: boolean
}

const settled = { waitsForExternal: false, waitsForOther: false }
const unasked: Outcome = { truth: 'pending', ...settled }

/** The terms of a `&&` or `||` by what they need before they are evaluated. */
type Terms = {
  /** Events and their combinations. */
  plain: readonly StartWhen[]
  /** Combinations that hold a condition. */
  mixed: readonly StartWhen[]
  /** Conditions themselves, also under `!`. */
  conditions: readonly StartWhen[]
}

type Group = StartWhen & { terms: readonly StartWhen[] }

/** A gate is looked at whenever something happens to one of its atoms; its shape never changes. */
const shapes = new WeakMap<Group, Terms>()

function termsOf(gate: Group): Terms {
  const known = shapes.get(gate)
  if (known) return known
  const terms = {
    plain: gate.terms.filter((term) => !hasCondition(term)),
    mixed: gate.terms.filter((term) => hasCondition(term) && !isCondition(term)),
    conditions: gate.terms.filter(isCondition),
  }
  shapes.set(gate, terms)
  return terms
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
  constructor(private readonly facts: GateFacts) {}

  evaluate(gate: StartWhen, mayAsk: boolean, negated: boolean): Outcome {
    switch (gate.kind) {
      case 'event': {
        const truth = this.facts.event(gate.type)
        if (truth === 'pending') {
          const external = isExternal(gate.type)
          return { truth, waitsForExternal: external, waitsForOther: !external }
        }
        return { truth, cause: { atom: gate, negated }, ...settled }
      }
      case 'condition':
        return mayAsk ? this.ask(gate, negated) : unasked
      case 'not':
        return inverted(this.evaluate(gate.term, mayAsk, !negated))
      case 'and':
        return this.and(gate, mayAsk, negated)
      case 'or':
        return this.or(gate, mayAsk, negated)
    }
  }

  private ask(atom: ConditionAtom, negated: boolean): Outcome {
    const answer = this.facts.condition(atom)
    if ('error' in answer)
      return { truth: 'error', error: { ...answer.error, source: atom.source }, ...settled }
    if (answer.truth === 'pending') return { truth: 'pending', waitsForExternal: false, waitsForOther: true }
    this.asked.set(atom, answer.truth === 'true')
    return {
      truth: answer.truth,
      cause: { atom, negated },
      ...settled,
    }
  }

  private and(gate: Group, mayAsk: boolean, negated: boolean): Outcome {
    const { plain, mixed, conditions } = termsOf(gate)
    if (plain.length === gate.terms.length) return this.all(plain, mayAsk, negated, 'dead')
    const outcomes = new Map<StartWhen, Outcome>()
    const run = (some: readonly StartWhen[], ask: boolean): boolean => {
      for (const term of some) outcomes.set(term, this.evaluate(term, ask, negated))
      return ask && some.every((term) => outcomes.get(term)?.truth === 'true')
    }
    const eventsHold = run(plain, mayAsk)
    const restHolds = run(mixed, eventsHold)
    run(conditions, restHolds)
    return combined(
      gate.terms.map((term) => outcomes.get(term) ?? unasked),
      'dead',
    )
  }

  private or(gate: Group, mayAsk: boolean, negated: boolean): Outcome {
    const { plain } = termsOf(gate)
    const events = this.all(plain, mayAsk, negated, 'true')
    if (events.truth === 'true' || plain.length === gate.terms.length) return events
    return combined(
      gate.terms.map((term) => this.evaluate(term, mayAsk, negated)),
      'true',
    )
  }

  /** Terms without conditions: the first decisive one decides, and what stands behind it need not be looked at. */
  private all(
    terms: readonly StartWhen[],
    mayAsk: boolean,
    negated: boolean,
    decisive: 'true' | 'dead',
  ): Outcome {
    let first: Outcome | null = null
    let [waitsForExternal, waitsForOther] = [false, false]
    for (const term of terms) {
      const outcome = this.evaluate(term, mayAsk, negated)
      if (outcome.truth === decisive) return outcome
      first ??= outcome
      waitsForExternal ||= outcome.waitsForExternal
      waitsForOther ||= outcome.waitsForOther
    }
    if (waitsForExternal || waitsForOther) return { truth: 'pending', waitsForExternal, waitsForOther }
    return first ?? unasked
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

/** Evaluates a gate. Asks the facts for each condition that may be asked once, and for no event more than it needs. */
export function evaluateStartWhen(gate: StartWhen, facts: GateFacts): GateResult {
  const evaluation = new Evaluation(facts)
  const outcome = evaluation.evaluate(gate, true, false)
  if (outcome.truth === 'pending') {
    const onlyExternalPending = outcome.waitsForExternal && !outcome.waitsForOther
    return { truth: 'pending', trueEvents: [], conditions: [], onlyExternalPending }
  }
  const trueEvents = new Set<string>()
  const conditions: GateResult['conditions'] = []
  for (const { atom, negated } of gateAtoms(gate)) {
    if (atom.kind === 'event') {
      if (!negated && facts.event(atom.type) === 'true') trueEvents.add(atom.type)
    } else {
      const value = evaluation.asked.get(atom)
      if (value !== undefined) conditions.push({ source: atom.source, value })
    }
  }
  const result: GateResult = {
    truth: outcome.truth === 'error' ? 'dead' : outcome.truth,
    trueEvents: [...trueEvents],
    conditions,
    onlyExternalPending: false,
  }
  if (outcome.error) result.error = outcome.error
  if (outcome.truth === 'dead' && outcome.cause) {
    const { atom, negated } = outcome.cause
    result.cause = { atom: formatStartWhen(atom), kind: atom.kind, negated }
  }
  return result
}
