import { parseStartWhen, type StartWhen } from '@/core/pipeline/gate/start-when'
import { eventNameOf, eventTypeOf } from '@/core/pipeline/gate/event-type'

/** A start condition in words for people: `when read and validate completed`. Pure. */

/** What an event says of its node, and what is said when it has not come. */
const verbs: ReadonlyMap<string, readonly [said: string, denied: string]> = new Map([
  ['completed', ['completed', 'did not complete']],
  ['failed', ['failed', 'did not fail']],
  ['skipped', ['was skipped', 'was not skipped']],
  ['approved', ['was approved', 'was not approved']],
  ['rejected', ['was rejected', 'was not rejected']],
  ['timeout', ['timed out', 'did not time out']],
  ['cancelled', ['was cancelled', 'was not cancelled']],
  ['started', ['started', 'did not start']],
])

/** One event as subject and verb: what several of them share is said once. */
type Said = { readonly subject: string; readonly verb: string }

function saidOf(type: string, negated: boolean): Said {
  const way = negated ? 1 : 0
  const { level, node } = eventTypeOf(type)
  const word = eventNameOf(type)
  if (level === 'external') return { subject: word, verb: ['arrived', 'did not arrive'][way]! }
  const subject = level === 'pipeline' ? 'the run' : node
  const known = verbs.get(word)
  if (known !== undefined) return { subject, verb: known[way] }
  return {
    subject: `${subject} (${word.replaceAll('_', ' ').replaceAll('.', ' ')})`,
    verb: ['came', 'did not come'][way]!,
  }
}

/** The words for a gate; null when it cannot be read. */
export function startInWords(gate: string): string | null {
  const parsed = parseStartWhen(gate)
  if (!parsed.ok) return null
  const { value } = parsed
  if (value.kind === 'event' && value.type === 'pipeline.started') return 'at the start'
  return `${value.kind === 'condition' ? 'if' : 'when'} ${words(value)}`
}

function words(gate: StartWhen): string {
  switch (gate.kind) {
    case 'event':
    case 'condition':
      return term(gate)
    case 'not':
      return gate.term.kind === 'event' ? term(gate) : `not ${inside(gate.term)}`
    case 'and':
    case 'or':
      return joined(gate.terms, gate.kind)
  }
}

const inside = (gate: StartWhen): string =>
  gate.kind === 'and' || gate.kind === 'or' ? `(${words(gate)})` : words(gate)

function eventOf(gate: StartWhen): Said | null {
  if (gate.kind === 'event') return saidOf(gate.type, false)
  if (gate.kind === 'not' && gate.term.kind === 'event') return saidOf(gate.term.type, true)
  return null
}

function term(gate: StartWhen): string {
  const said = eventOf(gate)
  if (said !== null) return `${said.subject} ${said.verb}`
  return gate.kind === 'condition' ? gate.source : inside(gate)
}

/** Neighbours with one verb are named together; conditions come last, where all must hold. */
function joined(terms: readonly StartWhen[], join: 'and' | 'or'): string {
  const conditions = join === 'and' ? terms.filter(({ kind }) => kind === 'condition') : []
  const groups: { subjects: string[]; verb: string | null; text: string }[] = []
  for (const one of terms) {
    if (conditions.includes(one)) continue
    const said = eventOf(one)
    const last = groups.at(-1)
    if (said !== null && last?.verb === said.verb) last.subjects.push(said.subject)
    else
      groups.push({
        subjects: said === null ? [] : [said.subject],
        verb: said?.verb ?? null,
        text: term(one),
      })
  }
  const events = groups
    .map(({ subjects, verb, text }) => (verb === null ? text : `${listed(subjects, join)} ${verb}`))
    .join(` ${join} `)
  const holds = conditions.map(term).join(' and ')
  if (holds === '') return events
  return events === '' ? holds : `${events}, if ${holds}`
}

function listed(names: readonly string[], join: 'and' | 'or'): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${join} ${last}`
}
