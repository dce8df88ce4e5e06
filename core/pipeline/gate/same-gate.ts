import { evaluateStartWhen, type Truth } from './evaluate'
import { formatStartWhen, gateAtoms, parseStartWhen, type StartWhen } from './start-when'

/** Most evaluations for one pair of gates, and what is left for all pairs of a comparison: milliseconds, not minutes. */
const mostOfOne = 6_561

export type GateBudget = { evaluations: number }

/**
 * Whether two gates are proven to be the same to the engine: under every assignment of true, dead and pending to their
 * events, and of these and an error to their conditions, they have the same truth, stand for the same failures and wait
 * alike for external events. False: they differ, or have too many atoms for a proof within `budget`.
 */
export function sameGate(before: string, after: string, budget: GateBudget): boolean {
  if (before === after) return true
  const [old, now] = [parseStartWhen(before), parseStartWhen(after)]
  if (!old.ok || !now.ok) return false
  if (sortedText(old.value) === sortedText(now.value)) return true
  const atoms = atomsOf(old.value, now.value)
  const assignments = atoms.reduce((product, { values }) => product * values.length, 1)
  if (assignments > Math.min(mostOfOne, budget.evaluations)) return false
  budget.evaluations -= assignments
  for (let at = 0; at < assignments; at++) {
    if (outcome(old.value, atoms, at) !== outcome(now.value, atoms, at)) return false
  }
  return true
}

/** The gate with the terms of each group in order and each once: the order decides nothing. */
function sortedText(gate: StartWhen): string {
  switch (gate.kind) {
    case 'event':
    case 'condition':
      return formatStartWhen(gate)
    case 'not':
      return gate.term.kind === 'not' ? sortedText(gate.term.term) : `!${sortedText(gate.term)}`
    default: {
      const terms = [...new Set(gate.terms.map(sortedText))].sort()
      return terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(gate.kind === 'and' ? ' && ' : ' || ')})`
    }
  }
}

type Value = Truth | 'error'
type Atom = { readonly text: string; readonly values: readonly Value[] }

const eventValues: readonly Value[] = ['true', 'dead', 'pending']
const conditionValues: readonly Value[] = [...eventValues, 'error']

function atomsOf(...gates: readonly StartWhen[]): Atom[] {
  const atoms = new Map<string, Atom>()
  for (const { atom } of gates.flatMap((gate) => gateAtoms(gate))) {
    const text = formatStartWhen(atom)
    atoms.set(text, { text, values: atom.kind === 'event' ? eventValues : conditionValues })
  }
  return [...atoms.values()]
}

/** What the engine sees of a gate under one assignment: `number`, written with one digit for each atom. */
function outcome(gate: StartWhen, atoms: readonly Atom[], number: number): string {
  const assigned = new Map<string, Value>()
  let rest = number
  for (const { text, values } of atoms) {
    assigned.set(text, values[rest % values.length] ?? 'pending')
    rest = Math.floor(rest / values.length)
  }
  const result = evaluateStartWhen(gate, {
    event: (type) => assigned.get(`event:${type}`) as Truth,
    condition: (atom) => {
      const value = assigned.get(formatStartWhen(atom)) as Value
      return value === 'error' ? { error: { kind: 'expression_error', message: '' } } : { truth: value }
    },
  })
  const failures = result.trueEvents.filter((type) => /\.(failed|rejected|timeout)$/.test(type)).sort()
  const external = result.truth === 'pending' && result.onlyExternalPending
  return `${result.truth} ${result.error !== undefined} ${external} ${failures.join(' ')}`
}
