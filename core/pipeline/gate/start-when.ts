import { parseExpression, type Expression, type SyntaxIssue } from '@/core/pipeline/expression/expression'
import { limits } from '@/core/pipeline/definition/definition'
import type { Result } from '@/core/pipeline/json'
import { findClosingBraces } from '@/core/pipeline/expression/template'

/**
 * The gate of a node, `startWhen`: the only control flow there is.
 *
 *     gate  := and ( "||" and )*
 *     and   := unary ( "&&" unary )*
 *     unary := "!" unary | "(" gate ")" | "event:" NAME | "{{" CEL "}}"
 *
 * `!` binds tighter than `&&`, `&&` tighter than `||`. Spaces and line breaks separate nothing but words.
 */

/** A node's gate as a tree. `and` and `or` are flat: no term of an `and` is an `and`. */
export type StartWhen =
  | { kind: 'or' | 'and'; terms: readonly StartWhen[] }
  | { kind: 'not'; term: StartWhen }
  | EventAtom
  | ConditionAtom

/** `event:TYPE`; `type` is for instance `extract.completed`, `pipeline.started`, `external.data_ready`. */
export type EventAtom = { kind: 'event'; type: string }

/** `{{ source }}`; `source` is trimmed. */
export type ConditionAtom = { kind: 'condition'; source: string; expression: Expression }

/** A gate as it stands in its text, parentheses and all: what an edit works on. Every part knows its place, `end` exclusive. */
export type WrittenGate = { start: number; end: number } & (
  | { kind: 'or' | 'and'; terms: readonly WrittenGate[] }
  | { kind: 'not' | 'parentheses'; term: WrittenGate }
  | { kind: 'atom'; atom: EventAtom | ConditionAtom }
)

/** A gate may wait for as many events as a pipeline may have nodes. Its nesting is bounded, because reading it recurses. */
const maxAtoms = limits.nodes
const maxDepth = 50
/** Longest word: the name of an event, and what a message repeats of what it did not expect. */
const maxWordLength = 4_000

class GateFault extends Error {
  constructor(readonly issue: SyntaxIssue) {
    super(issue.message)
  }
}

export const eventName = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/
const wordHints: Record<string, string> = { and: '&&', or: '||', not: '!' }

/** Space, tab, line breaks. NaN, the code past the end, is none of them. */
const isSpace = (code: number) => code === 32 || (code >= 9 && code <= 13)
const eventText = /[^\s()!&|{}]*/y

class GateParser {
  private at = 0
  private atoms = 0
  private depth = 0
  constructor(private readonly text: string) {}

  parse(): WrittenGate {
    const gate = this.or()
    this.skipSpace()
    if (this.at < this.text.length) this.unexpected()
    return gate
  }

  private skipSpace(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at++
  }

  /** Takes an operator when it comes next. */
  private take(token: string): boolean {
    this.skipSpace()
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  private fail(message: string, hint?: string, position = this.at): never {
    throw new GateFault(hint === undefined ? { message, position } : { message, hint, position })
  }

  private or(): WrittenGate {
    const terms: [WrittenGate, ...WrittenGate[]] = [this.and()]
    while (this.take('||')) terms.push(this.and())
    return group('or', terms)
  }

  private and(): WrittenGate {
    const terms: [WrittenGate, ...WrittenGate[]] = [this.unary()]
    while (this.take('&&')) terms.push(this.unary())
    return group('and', terms)
  }

  private unary(): WrittenGate {
    if (++this.depth > maxDepth) this.fail(`the gate is nested deeper than ${maxDepth} levels`)
    try {
      if (this.take('!')) {
        const start = this.at - 1
        const term = this.unary()
        return { kind: 'not', term, start, end: term.end }
      }
      if (this.take('(')) {
        const start = this.at - 1
        const term = this.or()
        if (!this.take(')')) {
          this.skipSpace()
          if (this.at < this.text.length) this.unexpected()
          this.fail("'(' is not closed", undefined, start)
        }
        return { kind: 'parentheses', term, start, end: this.at }
      }
      this.skipSpace()
      const start = this.at
      return { kind: 'atom', atom: this.atom(), start, end: this.at }
    } finally {
      this.depth--
    }
  }

  private atom(): EventAtom | ConditionAtom {
    if (++this.atoms > maxAtoms) this.fail(`the gate has more than ${maxAtoms} atoms`)
    if (this.text.startsWith('{{', this.at)) return this.condition()
    if (this.text.startsWith('event:', this.at)) return this.event()
    if (this.at >= this.text.length) {
      this.fail(
        this.text.trim() === ''
          ? 'startWhen is empty'
          : 'it ends too early: an event or a {{ condition }} is missing',
      )
    }
    return this.unexpected()
  }

  private event(): EventAtom {
    const start = this.at
    this.at += 'event:'.length
    eventText.lastIndex = this.at
    const type = eventText.exec(this.text)?.[0] ?? ''
    this.at += type.length
    if (type === '')
      this.fail("'event:' must be followed by the name of an event", 'write event:a.completed', start)
    if (type.length > maxWordLength)
      this.fail(`the name of an event is longer than ${maxWordLength} characters`, undefined, start)
    if (type.includes('*')) this.fail(`'${type}' has a wildcard; name each event`, 'join them with ||', start)
    if (!eventName.test(type)) {
      this.fail(
        `'${type}' is not the name of an event`,
        'write event:SOURCE.NAME in lower case, such as event:a.completed',
        start,
      )
    }
    return { kind: 'event', type }
  }

  private condition(): ConditionAtom {
    const start = this.at
    const close = findClosingBraces(this.text, start + 2)
    if (close < 0) this.fail("'{{' is not closed", undefined, start)
    const source = this.text.slice(start + 2, close)
    const parsed = parseExpression(source)
    if (!parsed.ok) {
      const leading = source.length - source.trimStart().length
      this.fail(parsed.error.message, parsed.error.hint, start + 2 + leading + (parsed.error.position ?? 0))
    }
    const { type } = parsed.value
    if (type !== 'bool' && type !== 'dyn') {
      this.fail(`'${source.trim()}' is not true or false`, 'compare it with something', start)
    }
    this.at = close + 2
    return { kind: 'condition', source: source.trim(), expression: parsed.value }
  }

  private unexpected(): never {
    const rest = this.text.slice(this.at)
    const whole = /^[\w.:*-]+/.exec(rest)?.[0] ?? rest[0] ?? ''
    const word = whole.length > maxWordLength ? `${whole.slice(0, maxWordLength)}…` : whole
    const operator = wordHints[word.toLowerCase()]
    if (operator !== undefined)
      this.fail(`'${word}' is not an operator`, `write ${operator} instead of ${word}`)
    if (word === '&' || word === '|') this.fail(`'${word}' is not an operator`, `write ${word}${word}`)
    if (/^(cron|timer):/.test(word)) {
      this.fail(`'${word}' is not possible in startWhen`, 'a schedule is a trigger of the pipeline')
    }
    if (/^[a-z]\w*(\.\w+)+$/i.test(word)) {
      this.fail(
        `'${word}' is not expected here`,
        `write event:${word} for an event, or {{ … }} around a condition`,
      )
    }
    return this.fail(
      `'${word}' is not expected here`,
      /^\w+$/.test(word) ? 'write event:a.completed, or a {{ condition }}' : undefined,
    )
  }
}

/** A `&&` or `||` of one term is that term. */
function group(kind: 'and' | 'or', terms: readonly [WrittenGate, ...WrittenGate[]]): WrittenGate {
  const [first] = terms
  const last = terms[terms.length - 1] ?? first
  return terms.length === 1 ? first : { kind, terms, start: first.start, end: last.end }
}

/** What a written gate says. Flattens, so that `a && (b && c)` and `a && b && c` are the same gate and stand in the same group. */
export function gateOf(written: WrittenGate): StartWhen {
  switch (written.kind) {
    case 'atom':
      return written.atom
    case 'parentheses':
      return gateOf(written.term)
    case 'not':
      return { kind: 'not', term: gateOf(written.term) }
    default: {
      const { kind } = written
      const terms = written.terms.map(gateOf)
      if (!terms.some((term) => term.kind === kind)) return { kind, terms }
      return { kind, terms: terms.flatMap((term) => (term.kind === kind ? term.terms : [term])) }
    }
  }
}

/** Parses a gate with the places of its parts. Answers one issue with the place of the mistake in the text. */
export function parseWrittenGate(text: string): Result<WrittenGate, SyntaxIssue> {
  if (text.length > limits.gateLength) {
    return { ok: false, error: { message: `startWhen is longer than ${limits.gateLength} characters` } }
  }
  try {
    return { ok: true, value: new GateParser(text).parse() }
  } catch (fault) {
    if (fault instanceof GateFault) return { ok: false, error: fault.issue }
    throw fault
  }
}

/** Parses a gate. Answers the tree, or one issue with the place of the mistake in the text. */
export function parseStartWhen(text: string): Result<StartWhen, SyntaxIssue> {
  const written = parseWrittenGate(text)
  return written.ok ? { ok: true, value: gateOf(written.value) } : written
}

/** The text of a gate; parsing it gives the same tree. Parentheses stand only where they are needed. */
export function formatStartWhen(gate: StartWhen): string {
  switch (gate.kind) {
    case 'event':
      return `event:${gate.type}`
    case 'condition':
      return `{{ ${gate.source} }}`
    case 'not':
      return gate.term.kind === 'and' || gate.term.kind === 'or'
        ? `!(${formatStartWhen(gate.term)})`
        : `!${formatStartWhen(gate.term)}`
    case 'and':
      return gate.terms
        .map((term) => (term.kind === 'or' ? `(${formatStartWhen(term)})` : formatStartWhen(term)))
        .join(' && ')
    case 'or':
      return gate.terms.map(formatStartWhen).join(' || ')
  }
}

export type PlacedAtom = { atom: EventAtom | ConditionAtom; negated: boolean }

/** Every atom of a gate in the order of the text; `negated` under an odd number of `!`. */
export function gateAtoms(gate: StartWhen, negated = false, into: PlacedAtom[] = []): PlacedAtom[] {
  if (gate.kind === 'event' || gate.kind === 'condition') into.push({ atom: gate, negated })
  else if (gate.kind === 'not') gateAtoms(gate.term, !negated, into)
  else for (const term of gate.terms) gateAtoms(term, negated, into)
  return into
}
