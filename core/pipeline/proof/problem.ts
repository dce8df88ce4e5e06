import type { Outcome } from './outcomes'
import type { Found, Scenario } from './satisfiability'

/** What a proof says: a warning is a mistake by all appearance, an info may be meant so. */
export type ProblemCode =
  | 'never_starts'
  | 'always_starts'
  | 'constant_condition'
  | 'unreached_handler'
  | 'bypassed_approval'
  | 'may_be_missing'
  | 'unset_output'
  | 'unused_input'
  | 'not_compensated'

export type Problem = {
  /** The place in the definition. */
  path: (string | number)[]
  code: ProblemCode
  message: string
  hint?: string
  severity: 'warning' | 'info'
  /**
   * How nodes end in a run that shows it, in topological order; no more of them than one needs to see it. Where something
   * never happens: a run that comes as near as can be. Empty where no node has a part in it.
   */
  counterExample: readonly { node: string; outcome: Outcome }[]
  /** The value at `path` that solves the problem, where one is obvious. */
  fix?: { path: (string | number)[]; value: string }
}

/** A scenario was found, and shows what is claimed. */
export function isScenario(found: Found): found is Scenario {
  return found !== null && found !== 'unknown'
}

/** Of a scenario what its reader must see: the nodes named, what people decide, and what makes it other than an ordinary run. */
export function exampleOf(scenario: Scenario, named: Iterable<string>): Problem['counterExample'] {
  const shown = new Set(named)
  for (const id of scenario.involved) if (scenario.outcome(id) !== 'completed') shown.add(id)
  return scenario.inOrder(shown).map((node) => ({ node, outcome: scenario.outcome(node) }))
}

const words: Readonly<Record<Outcome, string>> = {
  completed: 'completes',
  failed: 'fails',
  skipped: 'is skipped',
  approved: 'is approved',
  rejected: 'is rejected',
  timeout: 'times out',
}

/** `a fails, b is skipped and c completes`: the last four, which are the nearest. */
export function describeExample(example: Problem['counterExample']): string {
  const parts = example.slice(-4).map(({ node, outcome }) => `'${node}' ${words[outcome]}`)
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
