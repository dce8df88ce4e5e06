import type { SyntaxIssue } from '@/core/pipeline/expression/expression'
import type { Result } from '@/core/pipeline/json'
import {
  gateOf,
  parseWrittenGate,
  type ConditionAtom,
  type EventAtom,
  type StartWhen,
  type WrittenGate,
} from './start-when'

/** An atom of a gate and its place in the text, `end` exclusive; `negated` under an odd number of `!`. */
export type AtomInText = {
  atom: EventAtom | ConditionAtom
  negated: boolean
  start: number
  end: number
}

/** Every atom of a gate in the order of the text. Answers the issue of a text that is no gate. */
export function atomsOf(text: string): Result<AtomInText[], SyntaxIssue> {
  const written = parseWrittenGate(text)
  return written.ok ? { ok: true, value: atomsIn(written.value, false) } : written
}

function atomsIn(gate: WrittenGate, negated: boolean): AtomInText[] {
  switch (gate.kind) {
    case 'atom':
      return [{ atom: gate.atom, negated, start: gate.start, end: gate.end }]
    case 'not':
    case 'parentheses':
      return atomsIn(gate.term, gate.kind === 'not' ? !negated : negated)
    default:
      return gate.terms.flatMap((term) => atomsIn(term, negated))
  }
}

/** What a canvas draws of a gate. */
export type GateShape = {
  /**
   * `single`: one event, with or without conditions. `and`: several events, all needed, with conditions for all of them. `or`:
   * several events of which one is enough, each with its own conditions. `mixed`: whatever an edge alone cannot show.
   */
  join: 'single' | 'and' | 'or' | 'mixed'
  /** One for each event atom, in the order of the text; the same type may stand twice. */
  edges: readonly { type: string; negated: boolean }[]
  /**
   * In the order of the text, which is how `setCondition` and `removeCondition` count them. `edge` is the place in `edges` of
   * the only event that the condition waits for in its `&&`; null when it stands at the gate itself.
   */
  conditions: readonly { source: string; negated: boolean; edge: number | null }[]
}

/** How to draw a gate, or the issue of a text that is none. */
export function gateShape(text: string): Result<GateShape, SyntaxIssue> {
  const written = parseWrittenGate(text)
  if (!written.ok) return written
  const atoms = atomsIn(written.value, false)
  const gate = gateOf(written.value)
  const edgeOf = new Map<EventAtom | ConditionAtom, number>()
  const edges: { type: string; negated: boolean }[] = []
  for (const { atom, negated } of atoms) {
    if (atom.kind !== 'event') continue
    edgeOf.set(atom, edges.length)
    edges.push({ type: atom.type, negated })
  }
  const guarded = new Map<EventAtom | ConditionAtom, EventAtom>()
  noteGuards(gate, guarded)
  const conditions = atoms.flatMap(({ atom, negated }) => {
    if (atom.kind !== 'condition') return []
    const event = guarded.get(atom)
    return [{ source: atom.source, negated, edge: event === undefined ? null : (edgeOf.get(event) ?? null) }]
  })
  return { ok: true, value: { join: joinOf(gate, edges.length), edges, conditions } }
}

/** The atom under any number of `!`, or null for a group. */
function literalOf(gate: StartWhen): EventAtom | ConditionAtom | null {
  if (gate.kind === 'not') return literalOf(gate.term)
  return gate.kind === 'event' || gate.kind === 'condition' ? gate : null
}

/** The event of a `&&` of one event and conditions, or of an event alone. */
function guardedEvent(gate: StartWhen): EventAtom | null {
  const literals = (gate.kind === 'and' ? gate.terms : [gate]).map(literalOf)
  const events = literals.filter((literal) => literal?.kind === 'event')
  return events.length === 1 && !literals.includes(null) ? (events[0] ?? null) : null
}

function noteGuards(gate: StartWhen, guarded: Map<EventAtom | ConditionAtom, EventAtom>): void {
  // What stands in a group under `!` must not hold together: there no condition is one that its event waits for.
  if (gate.kind !== 'and' && gate.kind !== 'or') return
  const event = gate.kind === 'and' ? guardedEvent(gate) : null
  for (const term of gate.terms) {
    const literal = event && literalOf(term)
    if (event && literal?.kind === 'condition') guarded.set(literal, event)
    noteGuards(term, guarded)
  }
}

function joinOf(gate: StartWhen, events: number): GateShape['join'] {
  if (events === 1 && guardedEvent(gate)) return 'single'
  if (gate.kind === 'and' && events > 1 && gate.terms.every(literalOf)) return 'and'
  if (gate.kind === 'or' && gate.terms.every(guardedEvent)) return 'or'
  return 'mixed'
}
