/** A start condition as its author thinks it: what a random definition is written from, and what the oracle reads. */
export type Formula =
  | { readonly kind: 'event'; readonly type: string }
  /** `{{ node.v > than }}` */
  | { readonly kind: 'above'; readonly node: string; readonly than: number }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Formula[] }
  | { readonly kind: 'not'; readonly term: Formula }

/** The text of a formula in the language of `startWhen`. */
export function startWhenOf(formula: Formula): string {
  switch (formula.kind) {
    case 'event':
      return `event:${formula.type}`
    case 'above':
      return `{{ ${formula.node}.v > ${formula.than} }}`
    case 'not':
      return `!(${startWhenOf(formula.term)})`
    case 'and':
    case 'or':
      return formula.terms
        .map((term) => `(${startWhenOf(term)})`)
        .join(formula.kind === 'and' ? ' && ' : ' || ')
  }
}

/** Event types that a formula names, each with whether it stands under an odd number of `!`. */
export function eventsOf(formula: Formula, negated = false): { type: string; negated: boolean }[] {
  switch (formula.kind) {
    case 'event':
      return [{ type: formula.type, negated }]
    case 'above':
      return []
    case 'not':
      return eventsOf(formula.term, !negated)
    case 'and':
    case 'or':
      return formula.terms.flatMap((term) => eventsOf(term, negated))
  }
}

/** `pending`: a condition that may not be asked yet. At the end of a run nothing else is. */
type Verdict = 'true' | 'dead' | 'error' | 'pending'

/** What a formula may come to at the end of a run, each with the words that a skip may give for it. */
export type Possible = ReadonlyMap<Verdict, ReadonlySet<string>>

export type Facts = {
  readonly event: (type: string, negated: boolean) => Possible
  /** The value of `{{ node.v }}`, or undefined when there is none. */
  readonly value: (node: string) => unknown
}

/**
 * Everything that a gate may have come to, by Kleene's logic and the order in which conditions are asked. There are
 * several answers only where the order of events decides: an error counts when nothing had decided before it.
 */
export function outcomesOf(formula: Formula, facts: Facts, ask = true, negated = false): Possible {
  const of = (term: Formula, may: boolean) => outcomesOf(term, facts, may, negated)
  switch (formula.kind) {
    case 'event':
      return facts.event(formula.type, negated)
    case 'above': {
      if (!ask) return only('pending')
      const value = facts.value(formula.node)
      if (typeof value !== 'number') return only('error')
      return only(value > formula.than ? 'true' : 'dead', 'condition_not_met')
    }
    case 'not': {
      const swapped: Readonly<Partial<Record<Verdict, Verdict>>> = { true: 'dead', dead: 'true' }
      const inner = outcomesOf(formula.term, facts, ask, !negated)
      return new Map([...inner].map(([verdict, words]) => [swapped[verdict] ?? verdict, words]))
    }
    case 'and': {
      const outcomes = new Map<Formula, Possible>()
      const run = (some: readonly Formula[], may: boolean) => {
        for (const term of some) outcomes.set(term, of(term, may))
        return may && some.every((term) => outcomes.get(term)?.has('true'))
      }
      const terms = flat(formula)
      const conditions = terms.filter(isCondition)
      const mixed = terms.filter((term) => asks(term) && !isCondition(term))
      const plain = terms.filter((term) => !asks(term))
      run(conditions, run(mixed, run(plain, ask)))
      return combined(
        terms.map((term) => outcomes.get(term)!),
        'dead',
        'true',
      )
    }
    case 'or':
      return combined(
        flat(formula).map((term) => of(term, ask)),
        'true',
        'dead',
      )
  }
}

export const only = (verdict: Verdict, ...words: readonly string[]): Possible =>
  new Map([[verdict, new Set(words)]])

export const either = (word: string): Possible =>
  new Map([
    ['true', new Set([word])],
    ['dead', new Set([word])],
  ])

/** In words, for the message of a disagreement. */
export const describePossible = (possible: Possible): string =>
  [...possible].map(([verdict, words]) => `${verdict} (${[...words].join(', ')})`).join(' or ')

const isCondition = (formula: Formula): boolean =>
  formula.kind === 'above' || (formula.kind === 'not' && isCondition(formula.term))

function asks(formula: Formula): boolean {
  if (formula.kind === 'event' || formula.kind === 'above') return formula.kind === 'above'
  return formula.kind === 'not' ? asks(formula.term) : formula.terms.some(asks)
}

/** `a && (b && c)` is one group. */
function flat({ kind, terms }: Formula & { kind: 'and' | 'or' }): Formula[] {
  return terms.flatMap((term) =>
    (term.kind === 'and' || term.kind === 'or') && term.kind === kind ? flat(term) : [term],
  )
}

/** One decisive term decides; an error may have come before it; all of the other kind are that kind; else it waits. */
function combined(terms: readonly Possible[], decisive: Verdict, other: Verdict): Possible {
  const words = (verdict: Verdict, some: readonly Possible[]) =>
    new Set(some.flatMap((term) => [...(term.get(verdict) ?? [])]))
  const all = new Map<Verdict, ReadonlySet<string>>()
  if (terms.some((term) => term.has(decisive))) all.set(decisive, words(decisive, terms))
  if (terms.some((term) => term.has('error'))) all.set('error', new Set())
  if (terms.some((term) => term.size === 1 && term.has(decisive))) return all
  if (terms.every((term) => term.has(other))) all.set(other, words(other, terms.slice(0, 1)))
  const open = terms.every((term) => term.has(other) || term.has('pending'))
  if (open && terms.some((term) => term.has('pending'))) all.set('pending', new Set())
  return all
}
