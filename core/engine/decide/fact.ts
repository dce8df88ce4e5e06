import type { Entry, EventSource, JsonObject, VariableWrite } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import type { Identity } from '@/core/engine/principal'
import type { ExecutionState } from '@/core/engine/state'
import type { PayloadOf, WordOf } from '@/core/engine/typed-event'

/**
 * What happened, before it has a seq in the log. `decide` answers with facts; `stamp` makes entries of them. Made by the functions
 * below, which take the payload that the table of events gives the word: another one does not compile.
 */
export type Fact = {
  readonly type: string
  readonly source: EventSource
  readonly generation: number
  readonly payload: JsonObject
  readonly variables?: readonly VariableWrite[]
  readonly attempt?: number
  readonly item?: number | null
  readonly actor?: Identity
  /** The resolved input of the attempt that the fact begins, when its task is pure: the step may compute it. It is not recorded. */
  readonly pureInput?: JsonObject
}

/** What a fact may carry beside its payload. */
type More = Partial<Pick<Fact, 'generation' | 'variables' | 'item' | 'actor'>>

const NO_VARIABLES: readonly VariableWrite[] = []

/** Gives a fact the next seq of the execution and the instant of the step [E-3]. */
export function stamp(state: ExecutionState, fact: Fact, now: number): Entry {
  const seq = state.seq + 1
  const event = {
    id: `${state.executionId}.${seq}`,
    execution_id: state.executionId,
    seq,
    type: fact.type,
    source: fact.source,
    generation: fact.generation,
    ...(fact.attempt === undefined ? {} : { attempt: fact.attempt }),
    ...(fact.item === undefined || fact.item === null ? {} : { item: fact.item }),
    ...(fact.actor === undefined ? {} : actorFields(fact.actor)),
    payload: fact.payload,
    timestamp: formatInstant(now),
  }
  return { event, variables: fact.variables ?? NO_VARIABLES }
}

const actorFields = ({ id, name }: Identity) =>
  id === null ? { actor: name } : { actor: name, actor_id: id }

export function pipelineFact<W extends WordOf<'pipeline'>>(
  state: ExecutionState,
  word: W,
  payload: PayloadOf<'pipeline', W>,
  more: More = {},
): Fact {
  return {
    type: `pipeline.${word}`,
    source: { entity_type: 'pipeline', entity_id: state.pipeline.definition.id },
    generation: state.generation,
    payload,
    ...more,
  }
}

export function nodeFact<W extends WordOf<'node'>>(
  { node, generation }: { readonly node: string; readonly generation: number },
  word: W,
  payload: PayloadOf<'node', W>,
  more: More = {},
): Fact {
  return {
    type: `${node}.${word}`,
    source: { entity_type: 'node', entity_id: node },
    generation,
    payload,
    ...more,
  }
}

/** Of an attempt at the work of a node, or at what undoes it: the words of both carry the same. */
export function taskFact<W extends WordOf<'task'>>(
  attempt: {
    node: string
    generation: number
    attempt: number
    item: number | null
    compensates?: true
  },
  word: W,
  payload: PayloadOf<'task', W>,
  more: Pick<More, 'variables'> = {},
): Fact {
  const level = attempt.compensates === true ? 'rollback' : 'task'
  return {
    type: `${attempt.node}.${level}.${word}`,
    source: { entity_type: level, entity_id: attempt.node },
    generation: attempt.generation,
    attempt: attempt.attempt,
    item: attempt.item,
    payload,
    ...more,
  }
}

/** What happens to the undoing of a node between its attempts. */
export function rollbackFact<W extends Exclude<WordOf<'rollback'>, WordOf<'task'>>>(
  { node, generation }: { readonly node: string; readonly generation: number },
  word: W,
  payload: PayloadOf<'rollback', W>,
): Fact {
  return {
    type: `${node}.rollback.${word}`,
    source: { entity_type: 'rollback', entity_id: node },
    generation,
    payload,
  }
}

/** An event from outside, or the decision of an approval: then `about` is its node. */
export function externalFact(
  type: string,
  payload: JsonObject,
  about: { readonly id: string; readonly generation: number; readonly actor: Identity },
): Fact {
  const { id, generation, actor } = about
  return { type, source: { entity_type: 'external', entity_id: id }, generation, payload, actor }
}
