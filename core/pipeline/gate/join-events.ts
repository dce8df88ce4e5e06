import type { SyntaxIssue } from '@/core/pipeline/expression/expression'
import { gateShape } from './shape'
import type { Result } from '@/core/pipeline/json'
import { formatStartWhen, parseStartWhen, type StartWhen } from './start-when'

/**
 * The gate whose events are all needed (`and`), or of which one is enough (`or`), for a gate that is flat: a `&&` of events and
 * conditions, or a `||` of events each with conditions of its own. Every alternative keeps the conditions that held for all, and
 * what held for one holds for all. An issue for a gate that is nested otherwise: nobody could say what is meant.
 */
export function joinEvents(text: string, join: 'and' | 'or'): Result<string, SyntaxIssue> {
  const shape = gateShape(text)
  const gate = parseStartWhen(text)
  if (!shape.ok) return shape
  if (!gate.ok) return gate
  if (shape.value.join === join || shape.value.join === 'single') return { ok: true, value: text }
  if (shape.value.join === 'mixed')
    return { ok: false, error: { message: 'the condition is nested: change it as text' } }
  return { ok: true, value: formatStartWhen(join === 'or' ? anyOf(gate.value) : allOf(gate.value)) }
}

const termsOf = (gate: StartWhen, kind: 'and' | 'or'): readonly StartWhen[] =>
  gate.kind === kind ? gate.terms : [gate]

const isCondition = (gate: StartWhen): boolean =>
  gate.kind === 'not' ? isCondition(gate.term) : gate.kind === 'condition'

function anyOf(gate: StartWhen): StartWhen {
  const terms = termsOf(gate, 'and')
  const conditions = terms.filter(isCondition)
  return {
    kind: 'or',
    terms: terms
      .filter((term) => !isCondition(term))
      .map((event) => (conditions.length === 0 ? event : { kind: 'and', terms: [event, ...conditions] })),
  }
}

/** Each condition once, behind the events. */
function allOf(gate: StartWhen): StartWhen {
  const terms = termsOf(gate, 'or').flatMap((term) => termsOf(term, 'and'))
  const once = new Map(terms.map((term) => [formatStartWhen(term), term]))
  const [events, conditions] = [
    [...once.values()].filter((term) => !isCondition(term)),
    [...once.values()].filter(isCondition),
  ]
  return { kind: 'and', terms: [...events, ...conditions] }
}
