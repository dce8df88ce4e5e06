import { atomsOf, gateShape, type GateShape } from '@/core/pipeline/gate/shape'

/** Edits of a start condition as a form makes them, beside those of core: of its joint and its signs. Pure. */

/** The same events and conditions joined otherwise: all of them, or any one. Null where the gate is not that simple. */
export function joinedAs(gate: string, join: 'and' | 'or'): string | null {
  const read = gateShape(gate)
  if (!read.ok || read.value.join === 'mixed') return null
  const { edges, conditions } = read.value
  const events = edges.map(({ type, negated }) => `${negated ? '!' : ''}event:${type}`)
  const conditionText = ({ source, negated }: GateShape['conditions'][number]) =>
    `${negated ? '!' : ''}{{ ${source} }}`
  if (join === 'and') return [...events, ...new Set(conditions.map(conditionText))].join(' && ')
  return events
    .map((event, at) =>
      [event, ...conditions.filter(({ edge }) => edge === at || edge === null).map(conditionText)].join(
        ' && ',
      ),
    )
    .join(' || ')
}

/**
 * For each event of a gate, in the order of its text: how to make the gate in which it is negated, or no longer negated; null where its
 * `!` negates more than the event. The gate is read once for all of them.
 */
export function signsOf(gate: string): readonly ((() => string) | null)[] {
  const atoms = atomsOf(gate)
  if (!atoms.ok) return []
  return atoms.value.flatMap(({ atom, start, negated }) => {
    if (atom.kind !== 'event') return []
    let at = start
    while (at > 0 && /\s/.test(gate[at - 1]!)) at--
    if (gate[at - 1] === '!') return [() => gate.slice(0, at - 1) + gate.slice(start)]
    return [negated ? null : () => `${gate.slice(0, start)}!${gate.slice(start)}`]
  })
}
