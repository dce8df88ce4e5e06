/**
 * The record that everything else is a fold of: an event of one execution, with the variable writes that belong to it.
 * The shape of an event is the wire shape (DESIGN of the API): it is stored, streamed and folded as it stands.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export type EntityType = 'pipeline' | 'node' | 'task' | 'rollback' | 'external'

export type EventSource = { readonly entity_type: EntityType; readonly entity_id: string }

export type Event = {
  /** `{execution_id}.{seq}`: unique without being stored. */
  readonly id: string
  readonly execution_id: string
  /** 1, 2, 3 … per execution, gap-free, assigned when the event is decided and fenced by the commit. */
  readonly seq: number
  readonly type: string
  readonly source: EventSource
  /** 1, then one more at every rerun or rollback of what the event is about. */
  readonly generation: number
  /** Number of the attempt (1 …) for task events. */
  readonly attempt?: number
  /** Index of the item of a forEach (0 …) for task events. */
  readonly item?: number
  /** Who caused the event, where somebody did: the name as it was shown. */
  readonly actor?: string
  /** The id of that principal; absent in journals of versions that knew names only. */
  readonly actor_id?: string
  readonly payload: JsonObject
  /** ISO 8601, UTC, milliseconds. */
  readonly timestamp: string
}

/** A variable is identified by (execution, name); the latest write by seq is its value [N-2, R-7]. */
export type VariableWrite = {
  readonly name: string
  /** null beside a `ref`. */
  readonly value: Json
  /** Where the value is when it is too large for a row. */
  readonly ref?: ValueRef
}

/** A value as JSON in the artifact store, as an artifact of the execution. */
export type ValueRef = { readonly artifact_id: string; readonly digest: string; readonly bytes: number }

export type Entry = { readonly event: Event; readonly variables: readonly VariableWrite[] }

export type NodeErrorKind =
  | 'task_failed'
  | 'timeout'
  | 'cancelled'
  | 'lost'
  | 'expression_error'
  | 'variable_not_found'
  | 'invalid_input'
  | 'egress_refused'
  | 'output_too_large'
  | 'rejected'
  | 'stale_attempt'
  | 'publish_fence'
  | 'verify_failed'
  | 'rollback_incomplete'
  | 'child_failed'
  | 'breaker_open'
  | 'internal'

/** Why a node or an attempt failed. `kind` is persisted: `fail` may name a kind of its own, so any word is readable. */
export type NodeError = { readonly kind: string; readonly message: string; readonly detail?: Json }

/** Limits that every stored value obeys. */
export const LIMITS = {
  eventPayloadBytes: 64 * 1024,
  eventPayloadAdviceBytes: 1024,
  inlineVariableBytes: 1024 * 1024,
  /** A value above that lies in the artifact store and is named by a reference. */
  largeVariableBytes: 16 * 1024 * 1024,
  /** All large values that one node leaves behind. */
  nodeLargeBytes: 32 * 1024 * 1024,
  /** All variables that one node leaves behind: they are one entry. */
  nodeVariablesBytes: 8 * 1024 * 1024,
  /** All variables of an execution: they are in memory while it moves. */
  stateBytes: 100 * 1024 * 1024,
  lostAttempts: 3,
  /** From when a worker may take an attempt until its work begins: files, a process, the end of an earlier attempt. */
  beginMs: 5 * 60_000,
  /** Parts of payloads that come from outside, so that no payload can pass its limit. */
  mocksBytes: 32 * 1024,
  formBytes: 32 * 1024,
  textLength: 4_000,
  errorDetailBytes: 8 * 1024,
  failedNodesListed: 100,
  /** Different pipelines that one run may have below it, at all depths. */
  subPipelines: 200,
} as const

/**
 * A value that comes from mocks, wherever it was computed since: its name, and the mocks that it rests on. Those are nodes whose work
 * is replaced, and inputs (`pipeline.input.x`) that the run above computed from mocked values.
 */
export type MockedValue = { readonly value: string; readonly mocks: readonly string[] }
