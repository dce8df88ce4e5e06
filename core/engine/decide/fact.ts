import type { Entry, EventSource, JsonObject, VariableWrite } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import type { Identity } from '@/core/engine/principal'
import type { ExecutionState } from '@/core/engine/state'

/** What happened, before it has a place in the log. `decide` answers with facts; `stamp` makes entries of them. */
export type Fact = {
  readonly type: string
  readonly source: EventSource
  readonly generation: number
  readonly payload: JsonObject
  readonly variables?: readonly VariableWrite[]
  readonly attempt?: number
  readonly item?: number | null
  readonly actor?: Identity
}

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

export function pipelineFact(
  state: ExecutionState,
  name: string,
  payload: JsonObject,
  more: Partial<Fact> = {},
): Fact {
  return {
    type: `pipeline.${name}`,
    source: { entity_type: 'pipeline', entity_id: state.pipeline.definition.id },
    generation: state.generation,
    payload,
    ...more,
  }
}

export function nodeFact(
  node: string,
  name: string,
  generation: number,
  payload: JsonObject,
  more: Partial<Fact> = {},
): Fact {
  return {
    type: `${node}.${name}`,
    source: { entity_type: 'node', entity_id: node },
    generation,
    payload,
    ...more,
  }
}

export function taskFact(
  attempt: { node: string; generation: number; attempt: number; item: number | null },
  name: string,
  payload: JsonObject,
  more: Partial<Fact> = {},
): Fact {
  return {
    type: `${attempt.node}.task.${name}`,
    source: { entity_type: 'task', entity_id: attempt.node },
    generation: attempt.generation,
    attempt: attempt.attempt,
    item: attempt.item,
    payload,
    ...more,
  }
}
