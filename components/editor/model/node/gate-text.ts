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

/** The gate with one event negated, or no longer negated; null where its `!` negates more than the event. */
export function negatedAt(gate: string, edge: number): string | null {
  const atoms = atomsOf(gate)
  if (!atoms.ok) return null
  const found = atoms.value.filter(({ atom }) => atom.kind === 'event')[edge]
  if (found === undefined) return null
  const before = gate.slice(0, found.start)
  const sign = /!\s*$/.exec(before)
  if (sign !== null) return before.slice(0, sign.index) + gate.slice(found.start)
  return found.negated ? null : `${before}!${gate.slice(found.start)}`
}
