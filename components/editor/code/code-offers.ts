import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { offersAt as offersInText } from '@/components/editor/form/completion'
import { readableAt, type Place } from '@/components/editor/model/node/readable'
import { taskCatalog } from '@/tasks/contracts'
import type { CodePlace } from './code-place'
import { keysAt, valuesAt, type Offer } from './code-schema'

/** What is offered while one types code: keys and values of the schemas, tasks, events of the other nodes, phases. Pure. */

export type Offered = {
  readonly offers: readonly Offer[]
  /** Where what is taken begins, in characters from the start of the text. */
  readonly from: number
}

const value = (label: string, detail = '', info = ''): Offer => ({
  label,
  detail,
  info,
  holds: 'none',
  required: false,
})

export function offersAt(
  place: CodePlace,
  definition: Definition,
  pipelines: readonly { readonly id: string; readonly name: string }[],
): Offered | null {
  const { key, typed, from, path } = place
  if (key === null && typeof path.at(-1) !== 'number') return { offers: keysAt(place), from }
  // A member of a list is an object whose first key is typed, or a value.
  if (key === null)
    return { offers: [...keysAt(place), ...valuesAt(place), ...named(place, definition)], from }
  const read = readsIn(place, definition)
  if (read !== null) return read
  if (key === 'startWhen') return eventsIn(place, definition)
  if (key === 'task' && path[0] === 'nodes')
    return {
      offers: [...taskCatalog.values()].map((task) => value(task.type, task.title, task.description)),
      from,
    }
  if (key === 'pipeline' && path[0] === 'nodes')
    return { offers: pipelines.map(({ id, name }) => value(id, name)), from }
  const offers = [...valuesAt(place), ...named(place, definition)]
  return offers.length === 0 || typed.includes(' ') ? null : { offers, from }
}

/** Names that the definition itself declares. */
function named({ key, path }: CodePlace, definition: Definition): Offer[] {
  const { phases } = definition
  if (key === 'phase' && Array.isArray(phases))
    return phases.filter((phase) => typeof phase === 'string').map((phase) => value(phase, 'phase'))
  if (key === null && path.join('.') === 'nodes.0.inputBindings.approvers.0')
    return [value('role:approver', 'everyone of a role')]
  return []
}

/** Within braces: the completions of the forms. Null: outside of braces. */
function readsIn({ key, path, typed, from, around }: CodePlace, definition: Definition): Offered | null {
  if (!typed.includes('{{')) return null
  const own = path[0] === 'nodes' ? around.at(-2)?.get('id') : null
  const place = { node: own ?? null, in: placeOf([...path, key]) }
  const names = () => ({ variables: readableAt(definition, place, new Map()), events: [] })
  // A gate has events outside of its braces, and those are offered below.
  const found = offersInText(typed, typed.length, 'template', names)
  if (found === null) return null
  const offers = found.offers.map(({ text, detail, info }) => value(text, detail, info))
  return { offers, from: from + found.from }
}

function placeOf(path: readonly (string | number | null)[]): Place['in'] {
  if (path[0] === 'outputs' || path[0] === 'triggers') return path[0] === 'outputs' ? 'outputs' : 'webhook'
  if (path.includes('startWhen')) return 'gate'
  if (path.includes('forEach')) return 'items'
  return path.includes('retry') ? 'retry' : 'bindings'
}

/** `event:` and what may follow it: a start condition is made of several. */
function eventsIn({ typed, from, around }: CodePlace, definition: Definition): Offered | null {
  const word = /[\w.:]*$/.exec(typed)?.[0] ?? ''
  const own = around[0]?.get('id')
  const events = [
    value('event:pipeline.started', 'at the start'),
    ...nodesOf(definition)
      .filter(({ id }) => id !== own)
      .flatMap((node) =>
        outcomesOf(node).map((outcome) => value(`event:${node.id}.${outcome}`, nameOf(node))),
      ),
  ]
  return { offers: events, from: from + typed.length - word.length }
}

const nameOf = ({ name }: NodeFields): string => (typeof name === 'string' ? name : '')

const outcomesOf = (node: NodeFields): readonly string[] =>
  node['task'] === 'approval'
    ? ['approved', 'rejected', 'timeout', 'skipped']
    : ['completed', 'failed', 'skipped']
