/** Whose event it is. Levels of their own for attempts, `{node}.task.{word}`, and for what undoes a node, `{node}.rollback.{word}`. */
export type EventLevel = 'pipeline' | 'node' | 'task' | 'rollback' | 'external'

/** An event type, read once. */
export type EventType = {
  readonly level: EventLevel
  /**
   * The first name: the node of a node or task event, `pipeline` for the run itself, the source of an external event (which is a
   * node where the event is the decision of an approval).
   */
  readonly node: string
  /** What happened: `completed`, `started`; of an external event the rest after its source, which may be empty. */
  readonly word: string
}

/** Types come again and again; the bound keeps a server that runs thousands of pipelines from remembering all of them. */
const MOST_REMEMBERED = 10_000
const remembered = new Map<string, EventType>()

/**
 * Reads an event type: the one place that takes it apart. Total: whether such an event exists is the question of the table of
 * events (core/engine/event-table.ts). Costs one look-up for a type that was read before.
 */
export function eventTypeOf(type: string): EventType {
  const known = remembered.get(type)
  if (known !== undefined) return known
  const read = readType(type)
  if (remembered.size >= MOST_REMEMBERED) remembered.clear()
  remembered.set(type, read)
  return read
}

function readType(type: string): EventType {
  const [first, rest] = split(type)
  if (first === 'pipeline') return { level: 'pipeline', node: first, word: rest }
  if (first === 'external') {
    const [node, word] = split(rest)
    return { level: 'external', node, word }
  }
  const [second, word] = split(rest)
  return (second === 'task' || second === 'rollback') && word !== ''
    ? { level: second, node: first, word }
    : { level: 'node', node: first, word: rest }
}

/** What is before the first dot, and what is after it. */
function split(text: string): readonly [string, string] {
  const dot = text.indexOf('.')
  return dot === -1 ? [text, ''] : [text.slice(0, dot), text.slice(dot + 1)]
}

/** Who publishes an event type: a node, `pipeline` or `external`. */
export function producerOf(type: string): string {
  const { level, node } = eventTypeOf(type)
  return level === 'external' ? 'external' : node
}

/** What the producer calls the event, as a gate names it after the first dot: `completed`, `task.lost`; `shop.paid` from outside. */
export const eventNameOf = (type: string): string => split(type)[1]

/** What is between the dots of an event type, or of a pattern of event types. */
export const segmentsOf = (type: string): readonly string[] => type.split('.')

/** Does the event come from outside the run: from another system, a hook or a person? */
export const isExternal = (type: string): boolean => eventTypeOf(type).level === 'external'
