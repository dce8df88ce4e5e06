import { eventNameOf } from './event-type'
import { idPattern } from '@/core/pipeline/definition/definition'
import type { SyntaxIssue } from '@/core/pipeline/expression/expression'
import { renameRead } from '@/core/pipeline/expression/rename'
import type { Result } from '@/core/pipeline/json'
import { isReservedId } from '@/core/pipeline/definition/reserved'
import {
  eventName,
  gateOf,
  parseWrittenGate,
  type ConditionAtom,
  type EventAtom,
  type StartWhen,
  type WrittenGate,
} from './start-when'

/**
 * Edits of a gate as a canvas makes them: an edge is an event atom. Every function takes the text of a gate and answers the new
 * text. What an edit does not touch stays as it was written, spaces and line breaks too, and says what it said; parentheses come and go
 * only with what stands in them.
 *
 * **To strike a term** means: in a `&&` it asks for nothing any more, in a `||` it is no alternative any more; a `&&` or
 * `||` of which one term is left is that term; one of which nothing is left is struck itself, and so is the `!` of something struck. So
 * `a && b`, `a || b` and `!(a && b)` without `a` are `b`, `b` and `!b`.
 */

/** The new text; null: nothing is left, and the caller decides what stands there. An issue: nothing was changed. */
export type EditedGate = Result<string | null, SyntaxIssue>

/**
 * Adds an event: `and` makes it needed beside all that the gate says, `or` makes it enough by itself. A gate that says it already stays.
 * `event:pipeline.started` gives way to the first event that is joined to it: beside another event it asks for nothing, and
 * joined by `||` it would start the node at once whatever comes.
 */
export function addEvent(text: string, type: string, join: 'and' | 'or'): Result<string, SyntaxIssue> {
  const gate = parseWrittenGate(text)
  if (!gate.ok) return gate
  const event = eventTextOf(type)
  if (!event.ok) return event
  const says = gateOf(gate.value)
  const terms = says.kind === join ? says.terms : [says]
  if (terms.some((term) => term.kind === 'event' && term.type === type)) return { ok: true, value: text }
  const isStart = (term: StartWhen) => term.kind === 'event' && term.type === 'pipeline.started'
  const start = join === 'and' ? terms.find(isStart) : isStart(says) ? says : undefined
  if (start === undefined) return checked(appended(text, gate.value, join, event.value))
  return rewrittenWhole(text, gate.value, (part) => (part.atom === start ? unary(event.value) : undefined))
}

/** Strikes an event wherever it stands, under `!` too. */
export function removeEvent(text: string, type: string): EditedGate {
  return edited(text, ({ atom }) => (atom?.kind === 'event' && atom.type === type ? null : undefined))
}

/** Puts one event in the place of another wherever it stands; whatever stood beside it, a `!` or a condition, stays there. */
export function relabelEvent(text: string, from: string, to: string): EditedGate {
  const event = eventTextOf(to)
  if (!event.ok) return event
  return edited(text, ({ atom }) =>
    atom?.kind === 'event' && atom.type === from ? unary(event.value) : undefined,
  )
}

/** Says the opposite of an event wherever it stands: `event:X` becomes `!event:X`, and one that stands under a `!` loses it. */
export function negateEvent(text: string, type: string): EditedGate {
  return edited(text, ({ literal, sign, start, end }) => {
    if (literal?.kind !== 'event' || literal.type !== type) return undefined
    // What is left under a `!` is an atom, or one under another `!`: neither needs parentheses.
    return unary(sign === undefined ? `!${text.slice(start, end)}` : text.slice(sign.start, sign.end))
  })
}

/**
 * Strikes every event of a node, and every condition that reads this node and nothing else. A condition that reads other nodes as
 * well stays, for its author to correct: what it says of them would be lost.
 */
export function removeNode(text: string, id: string): EditedGate {
  return edited(text, ({ atom }) => {
    if (atom?.kind === 'event') return isOf(atom, id) ? null : undefined
    const reads = atom?.expression.reads ?? []
    return reads.length > 0 && reads.every(({ root }) => root === id) ? null : undefined
  })
}

/** Gives a node another id in the gate's events and in what its conditions read. */
export function renameNode(text: string, from: string, to: string): EditedGate {
  if (!idPattern.test(to) || isReservedId(to))
    return { ok: false, error: { message: `'${to}' cannot be the id of a node` } }
  let issue: SyntaxIssue | null = null
  const result = edited(text, ({ atom, start, end }) => {
    if (atom?.kind === 'event')
      return isOf(atom, from) ? unary(`event:${to}.${eventNameOf(atom.type)}`) : undefined
    if (!atom?.expression.reads.some(({ root }) => root === from)) return undefined
    const renamed = renameRead(atom.source, from, to)
    if (renamed.ok) return unary(text.slice(start, end).replace(atom.source, () => renamed.value))
    issue ??= renamed.error
    return undefined
  })
  return issue === null ? result : { ok: false, error: issue }
}

/**
 * Adds a condition, `source` being what stands between the braces. Without `event` all that the gate says must hold as well. With
 * one, the condition stands on that edge: wherever `event:X` or `!event:X` stands, it must hold beside it.
 */
export function addCondition(text: string, source: string, event?: string): EditedGate {
  const gate = parseWrittenGate(text)
  if (!gate.ok) return gate
  const condition = conditionTextOf(source)
  if (!condition.ok) return condition
  if (event === undefined) return checked(appended(text, gate.value, 'and', condition.value))
  let found = false
  const result = rewrittenWhole(text, gate.value, ({ literal, start, end }) => {
    if (literal?.kind !== 'event' || literal.type !== event) return undefined
    found = true
    return { text: `${text.slice(start, end)} && ${condition.value}`, level: levels.and, touched: true }
  })
  return found ? result : { ok: false, error: { message: `the gate does not name 'event:${event}'` } }
}

/** Puts another condition in the place of the one numbered `at`, counted from 0 in the order of the text. */
export function setCondition(text: string, at: number, source: string): EditedGate {
  const condition = conditionTextOf(source)
  return condition.ok ? editedCondition(text, at, unary(condition.value)) : condition
}

/** Strikes the condition numbered `at`, counted from 0 in the order of the text. */
export function removeCondition(text: string, at: number): EditedGate {
  return editedCondition(text, at, null)
}

function editedCondition(text: string, at: number, by: Piece | null): EditedGate {
  let count = 0
  const result = edited(text, ({ atom }) => (atom?.kind === 'condition' && count++ === at ? by : undefined))
  if (!result.ok || (at >= 0 && at < count)) return result
  return { ok: false, error: { message: `the gate has no condition ${at}` } }
}

const isOf = ({ type }: EventAtom, id: string) => type.startsWith(`${id}.`)

function eventTextOf(type: string): Result<string, SyntaxIssue> {
  return eventName.test(type)
    ? { ok: true, value: `event:${type}` }
    : { ok: false, error: { message: `'${type}' is not the name of an event` } }
}

/** What is put into a gate must be one condition: `a }} || {{ b` would be more. Positions are those of the source. */
function conditionTextOf(source: string): Result<string, SyntaxIssue> {
  const trimmed = source.trim()
  const value = `{{ ${trimmed} }}`
  const parsed = parseWrittenGate(value)
  if (!parsed.ok) {
    const { position } = parsed.error
    return {
      ok: false,
      error: position === undefined ? parsed.error : { ...parsed.error, position: Math.max(0, position - 3) },
    }
  }
  return parsed.value.kind === 'atom'
    ? { ok: true, value }
    : { ok: false, error: { message: `'${trimmed}' is not one condition`, position: 0 } }
}

/** How tightly a text binds: what may stand where without parentheses. */
const levels = { or: 0, and: 1, unary: 2 } as const
type Level = (typeof levels)[keyof typeof levels]

/** A piece of the new text. `bare`: without the parentheses that its author put around all of it. */
type Piece = { text: string; level: Level; touched: boolean; bare?: Piece }

const unary = (text: string): Piece => ({ text, level: levels.unary, touched: true })

const fitted = ({ text, level }: Piece, atLeast: Level) => (level < atLeast ? `(${text})` : text)

/** What an edit is asked about each part: `atom` where the part is one, `literal` where it is one under any number of `!`. */
type Part = {
  atom: EventAtom | ConditionAtom | undefined
  literal: EventAtom | ConditionAtom | undefined
  /** What stands under the `!`, where the part is one. */
  sign: WrittenGate | undefined
  start: number
  end: number
}

/** undefined: go on inside; null: strike it. */
type Edit = (part: Part) => Piece | null | undefined

/** The same at every atom of a text. */
function edited(text: string, edit: Edit): EditedGate {
  const gate = parseWrittenGate(text)
  if (!gate.ok) return gate
  const piece = rewritten(text, gate.value, edit)
  if (piece === null) return { ok: true, value: null }
  return piece.touched ? checked(withSurroundings(text, gate.value, piece.text)) : { ok: true, value: text }
}

/** Of an edit that strikes nothing. */
function rewrittenWhole(text: string, gate: WrittenGate, edit: Edit): Result<string, SyntaxIssue> {
  const piece = rewritten(text, gate, edit)
  return checked(piece === null ? text : withSurroundings(text, gate, piece.text))
}

function withSurroundings(text: string, { start, end }: WrittenGate, piece: string): string {
  return text.slice(0, start) + piece + text.slice(end)
}

/** An edit can make a gate too long or too large. */
function checked(text: string): Result<string, SyntaxIssue> {
  const parsed = parseWrittenGate(text)
  return parsed.ok ? { ok: true, value: text } : parsed
}

function appended(text: string, gate: WrittenGate, join: 'and' | 'or', atom: string): string {
  const whole: Piece = { text: text.slice(gate.start, gate.end), level: levelOf(gate), touched: true }
  return withSurroundings(text, gate, fitted(whole, levels[join]) + separatorOf(text, gate, join) + atom)
}

/** As the author separates the last two terms, so that a gate of one term a line stays one. */
function separatorOf(text: string, gate: WrittenGate, join: 'and' | 'or'): string {
  const [before, last] = gate.kind === join ? gate.terms.slice(-2) : []
  return before && last ? text.slice(before.end, last.start) : join === 'and' ? ' && ' : ' || '
}

function levelOf({ kind }: WrittenGate): Level {
  return kind === 'or' || kind === 'and' ? levels[kind] : levels.unary
}

function literalOf(gate: WrittenGate): EventAtom | ConditionAtom | undefined {
  if (gate.kind === 'atom') return gate.atom
  return gate.kind === 'not' || gate.kind === 'parentheses' ? literalOf(gate.term) : undefined
}

function rewritten(text: string, gate: WrittenGate, edit: Edit): Piece | null {
  const { start, end } = gate
  const atom = gate.kind === 'atom' ? gate.atom : undefined
  const sign = gate.kind === 'not' ? gate.term : undefined
  const replaced = edit({ atom, literal: literalOf(gate), sign, start, end })
  if (replaced !== undefined) return replaced
  const kept: Piece = { text: text.slice(start, end), level: levelOf(gate), touched: false }
  switch (gate.kind) {
    case 'atom':
      return kept
    case 'parentheses': {
      const inside = rewritten(text, gate.term, edit)
      return inside?.touched === false ? { ...kept, bare: inside } : inside
    }
    case 'not': {
      const term = rewritten(text, gate.term, edit)
      if (term === null) return null
      const sign = text.slice(start, gate.term.start)
      return term.touched ? unary(sign + fitted(term, levels.unary)) : kept
    }
    default:
      return joinedAgain(text, gate, edit)
  }
}

/** A `&&` or `||` after the edit of its terms. */
function joinedAgain(text: string, gate: WrittenGate & { kind: 'and' | 'or' }, edit: Edit): Piece | null {
  const level = levels[gate.kind]
  const pieces = gate.terms.map((term) => rewritten(text, term, edit))
  if (pieces.every((piece) => piece?.touched === false))
    return { text: text.slice(gate.start, gate.end), level, touched: false }
  const left = pieces.filter((piece) => piece !== null)
  const [only] = left
  if (only === undefined) return null
  if (left.length === 1) return { ...bareOf(only), touched: true }
  let joined = ''
  pieces.forEach((piece, at) => {
    if (piece === null) return
    const separator = text.slice(gate.terms[at - 1]?.end, gate.terms[at]?.start)
    joined += (joined === '' ? '' : separator) + fitted(piece, level)
  })
  return { text: joined, level, touched: true }
}

/** Its parentheses may not be needed where it comes to stand; where they are, they are put there again. */
function bareOf(piece: Piece): Piece {
  return piece.bare === undefined ? piece : bareOf(piece.bare)
}
