import type { Entry, EntityType, Event, Json, JsonObject, ValueRef, VariableWrite } from '@/core/engine/event'
import type { ExecutionRow, IdempotencyRecord } from '@/server/ports/journal'
import { payloadText } from '@/server/store/batch-check'
import { parseExactInstant } from '@/core/engine/instant'
import { textOfExecution } from '@/server/store/search-text'
import { StoreError } from '@/server/store/store-error'

/** Columns of the events table in the order in which `eventParameters` gives their values. */
export const EVENT_COLUMNS =
  'tenant_id, execution_id, seq, type, entity_type, entity_id, generation, attempt, item, actor, actor_id, payload, timestamp'
export const EVENT_WIDTH = 13

export type EventRecord = {
  readonly execution_id: string
  readonly seq: number
  readonly type: string
  readonly entity_type: EntityType
  readonly entity_id: string
  readonly generation: number
  readonly attempt: number | null
  readonly item: number | null
  readonly actor: string | null
  readonly actor_id: string | null
  readonly payload: string
  readonly timestamp: number
}

export type Parameter = string | number | null

export function pushEvent(into: Parameter[], tenantId: string, event: Event): void {
  into.push(
    tenantId,
    event.execution_id,
    event.seq,
    event.type,
    event.source.entity_type,
    event.source.entity_id,
    event.generation,
    event.attempt ?? null,
    event.item ?? null,
    event.actor ?? null,
    event.actor_id ?? null,
    payloadText(event),
    parseExactInstant(event.timestamp),
  )
}

export function eventOf(record: EventRecord): Event {
  return {
    id: `${record.execution_id}.${record.seq}`,
    execution_id: record.execution_id,
    seq: record.seq,
    type: record.type,
    source: { entity_type: record.entity_type, entity_id: record.entity_id },
    generation: record.generation,
    ...(record.attempt === null ? {} : { attempt: record.attempt }),
    ...(record.item === null ? {} : { item: record.item }),
    ...(record.actor === null ? {} : { actor: record.actor }),
    ...(record.actor_id === null ? {} : { actor_id: record.actor_id }),
    payload: readOf(
      record.payload,
      () => `the payload of event ${record.seq} (${record.type})`,
    ) as JsonObject,
    timestamp: new Date(record.timestamp).toISOString(),
  }
}

export type VariableRecord = {
  readonly name: string
  readonly seq: number
  readonly value: string
  readonly ref: string | null
}

export const VARIABLE_COLUMNS = 'tenant_id, execution_id, name, seq, ordinal, value, ref'
export const VARIABLE_WIDTH = 7

/** The write of an entry at `ordinal` (0 …) among its writes. */
export function pushVariable(
  into: Parameter[],
  tenantId: string,
  { event, variables }: Entry,
  ordinal: number,
): void {
  const { name, value, ref } = variables[ordinal]!
  into.push(
    tenantId,
    event.execution_id,
    name,
    event.seq,
    ordinal,
    JSON.stringify(value),
    ref === undefined ? null : JSON.stringify(ref),
  )
}

/** The value of a row, and its reference when it lies beside the database. */
export function valueOf({ name, seq, value, ref }: VariableRecord): { value: Json; ref?: ValueRef } {
  const what = () => `the value of '${name}', written by event ${seq},`
  return {
    value: readOf(value, what),
    ...(ref === null ? {} : { ref: readOf(ref, what) as unknown as ValueRef }),
  }
}

/** @throws StoreError `row_damaged`: of a journal nothing is left out, and nothing is made up */
function readOf(text: string, what: () => string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new StoreError('row_damaged', `${what()} is damaged: it is no JSON`, { cause })
  }
}

/** Puts events and their variable writes together again. Both are in order of seq, the writes of one event in their own order. */
export function entriesOf(events: readonly EventRecord[], variables: readonly VariableRecord[]): Entry[] {
  let at = 0
  return events.map((record) => {
    const writes: VariableWrite[] = []
    for (let next = variables[at]; next !== undefined && next.seq === record.seq; next = variables[at]) {
      writes.push({ name: next.name, ...valueOf(next) })
      at += 1
    }
    return { event: eventOf(record), variables: writes }
  })
}

export type ExecutionRecord = {
  readonly execution_id: string
  readonly pipeline_id: string
  readonly revision: number
  readonly status: string
  readonly lifecycle: string
  readonly priority: number
  readonly labels: string
  readonly requested_by: string
  readonly requested_by_id: string | null
  readonly created_at: number
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly closed_at: number | null
  readonly next_wake_at: number | null
  readonly error: string | null
  readonly handled_failures: number
  readonly mocked: boolean | number
  readonly waiting_for: string | null
  readonly parent_id: string | null
  readonly origin_id: string | null
  readonly inputs: string | null
}

export const EXECUTION_COLUMNS =
  'execution_id, pipeline_id, revision, status, lifecycle, priority, labels, requested_by, requested_by_id, created_at, started_at, finished_at, closed_at, next_wake_at, error, handled_failures, mocked, waiting_for, parent_id, origin_id, inputs, search_text'

export function executionParameters(row: ExecutionRow): Parameter[] {
  return [
    row.executionId,
    row.pipelineId,
    row.revision,
    row.status,
    row.lifecycle,
    row.priority,
    JSON.stringify(row.labels),
    row.requestedBy,
    row.requestedById,
    row.createdAt,
    row.startedAt,
    row.finishedAt,
    row.closedAt,
    row.nextWakeAt,
    row.error === null ? null : JSON.stringify(row.error),
    row.handledFailures,
    Number(row.mocked),
    row.waitingFor,
    row.parentId,
    row.originId,
    row.inputs === null ? null : JSON.stringify(row.inputs),
    textOfExecution(row),
  ]
}

export function executionOf(record: ExecutionRecord): ExecutionRow {
  return {
    executionId: record.execution_id,
    pipelineId: record.pipeline_id,
    revision: record.revision,
    status: record.status,
    lifecycle: record.lifecycle,
    priority: record.priority,
    labels: readable(record.labels, {}),
    requestedBy: record.requested_by,
    requestedById: record.requested_by_id,
    createdAt: record.created_at,
    startedAt: record.started_at,
    finishedAt: record.finished_at,
    closedAt: record.closed_at,
    nextWakeAt: record.next_wake_at,
    error:
      record.error === null
        ? null
        : readable(record.error, { kind: 'internal', message: 'what was stored of the error is damaged' }),
    handledFailures: record.handled_failures,
    mocked: Boolean(record.mocked),
    waitingFor: record.waiting_for,
    parentId: record.parent_id,
    originId: record.origin_id,
    inputs: record.inputs === null ? null : readable(record.inputs, {}),
  }
}

/** A row of the registry is an index over the journal: a damaged cell of one must not hide all the others. */
function readable<T>(text: string, instead: T): T {
  try {
    return JSON.parse(text) as T
  } catch {
    return instead
  }
}

export type IdempotencyRow = {
  readonly scope: string
  readonly key: string
  readonly request_digest: string
  readonly answer: string
}

export function idempotencyOf(row: IdempotencyRow): IdempotencyRecord {
  return {
    scope: row.scope,
    key: row.key,
    requestDigest: row.request_digest,
    answer: JSON.parse(row.answer) as Json,
  }
}
