import type { Expression, SyntaxIssue } from '@/core/pipeline/expression/expression'
import type { Result } from '@/core/pipeline/json'
import { producerOf } from './event-type'
import { gateAtoms, parseStartWhen, type PlacedAtom, type StartWhen } from './start-when'

/** A gate, and what follows from its text. */
export type KnownGate = {
  readonly gate: StartWhen
  readonly atoms: readonly PlacedAtom[]
  /** Event types, each once, in the order of the text. */
  readonly events: readonly string[]
  /** Those without `!`. */
  readonly awaited: ReadonlySet<string>
  /** Expressions of its conditions. */
  readonly conditions: readonly Expression[]
  /** Whoever publishes its events or has what its conditions read. */
  readonly sources: ReadonlySet<string>
}

const known = new Map<string, Result<KnownGate, SyntaxIssue>>()
/** Characters of all remembered texts, each counted as 100 more. */
const mostRemembered = 2_000_000
let remembered = 0

/** Reads a gate. What was read is immutable and remembered: a definition is checked and compiled again and again. */
export function readGateText(text: string): Result<KnownGate, SyntaxIssue> {
  const before = known.get(text)
  if (before !== undefined) return before
  const parsed = parseStartWhen(text)
  const read = parsed.ok ? { ok: true as const, value: knownGate(parsed.value) } : parsed
  remembered += text.length + 100
  if (remembered > mostRemembered) {
    known.clear()
    remembered = text.length + 100
  }
  known.set(text, read)
  return read
}

function knownGate(gate: StartWhen): KnownGate {
  const atoms = gateAtoms(gate)
  const events = new Set<string>()
  const awaited = new Set<string>()
  const conditions: Expression[] = []
  const sources = new Set<string>()
  for (const { atom, negated } of atoms) {
    if (atom.kind === 'condition') {
      conditions.push(atom.expression)
      continue
    }
    events.add(atom.type)
    if (!negated) awaited.add(atom.type)
  }
  for (const type of events) sources.add(producerOf(type))
  for (const { reads } of conditions) for (const { root } of reads) sources.add(root)
  return { gate, atoms, events: [...events], awaited, conditions, sources }
}
