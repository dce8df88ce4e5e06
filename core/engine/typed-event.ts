import type { z } from 'zod'
import { eventTypeOf, type EventLevel } from '@/core/pipeline/gate/event-type'
import { EVENT_TABLE } from './event-table'
import type { Event, Json, JsonObject } from './event'

type Table = typeof EVENT_TABLE
/** Levels whose words the engine chooses; the words of external events are free. */
export type OwnLevel = Exclude<EventLevel, 'external'>
export type WordOf<L extends OwnLevel> = keyof Table[L] & string

/** As it stands in a journal: nobody changes a payload. */
type Immutable<T> = Json extends T
  ? T
  : T extends readonly (infer U)[]
    ? readonly Immutable<U>[]
    : T extends object
      ? { readonly [K in keyof T]: Immutable<T[K]> }
      : T

type OutputOf<R> = R extends { readonly payload: infer S extends z.ZodType } ? Immutable<z.output<S>> : never

/** The payload of an event, as the table of events says: `PayloadOf<'node', 'failed'>`. */
export type PayloadOf<L extends OwnLevel, W extends WordOf<L>> = OutputOf<Table[L][W]>

/** Types of what several payloads hold. */
export type GateRecord = PayloadOf<'node', 'started'>['gate']
export type SkipReason = PayloadOf<'node', 'skipped'>['reason']
export type CheckResult = NonNullable<PayloadOf<'pipeline', 'verifying'>['checks']>[number]
export type Outputs = Pick<PayloadOf<'node', 'completed'>, 'outputs' | 'data_ref'>

type Own<L extends OwnLevel> = {
  readonly [W in WordOf<L>]: {
    readonly level: L
    /** The node that the event is about; `pipeline` for the run itself. */
    readonly node: string
    readonly word: W
    readonly payload: PayloadOf<L, W>
    readonly event: Event
  }
}[WordOf<L>]

export type PipelineEvent = Own<'pipeline'>
export type NodeEvent = Own<'node'>
export type TaskEvent = Own<'task'>
/** About an attempt to undo a node. */
export type RollbackEvent = Own<'rollback'>
export type ExternalEvent = {
  readonly level: 'external'
  /** The source that the type names; a node where the event is the decision of an approval. */
  readonly node: string
  readonly word: string
  readonly payload: JsonObject
  readonly event: Event
}

/** An event with its type read: `level` and `word` say which payload it carries. */
export type TypedEvent = PipelineEvent | NodeEvent | TaskEvent | RollbackEvent | ExternalEvent

/**
 * Reads the type of an event. Its payload is what the table says: facts of the engine are typed by the table when they are made,
 * and rows of a journal are checked against it where they are read (stored-entry.ts), so nothing is parsed here.
 * @throws an event that is not in the table is a broken invariant
 */
export function typedEvent(event: Event): TypedEvent {
  const { level, node, word } = eventTypeOf(event.type)
  if (!WORDS[level](word)) throw new Error(`invariant: unknown event ${event.type}`)
  return { level, node, word, payload: event.payload, event } as TypedEvent
}

const isIn = (level: OwnLevel) => {
  const words: ReadonlySet<string> = new Set(Object.keys(EVENT_TABLE[level]))
  return (word: string) => words.has(word)
}
const WORDS: Readonly<Record<EventLevel, (word: string) => boolean>> = {
  pipeline: isIn('pipeline'),
  node: isIn('node'),
  task: isIn('task'),
  rollback: isIn('rollback'),
  external: () => true,
}

/** An exhaustive switch ends here: a word of the table without a case does not compile. */
export function unreachable(event: never): never {
  throw new Error(`invariant: no case for ${JSON.stringify(event)}`)
}
