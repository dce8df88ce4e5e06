import { z } from 'zod'
import type { EntityType } from './event'

/**
 * The table of events: every type that can stand in a journal, what its payload holds, who emits it and what it changes.
 * `{node}` stands for a node id. Persisted words: chosen once, never renamed. Tests hold every emitted event against it.
 */
const instant = z.iso.datetime({ precision: 3 })
const error = z.strictObject({ kind: z.string(), message: z.string(), detail: z.json().optional() })
const gate = z.strictObject({
  events: z.array(z.string()),
  conditions: z.array(z.strictObject({ source: z.string(), value: z.boolean() })),
})
const values = z.record(z.string(), z.json())
/** Values up to 1 KB stand in the event; above, `data_ref` names the variables that hold them [E-15]. */
const outputs = { outputs: values.optional(), data_ref: z.array(z.string()).optional() }
/** Journals of earlier versions know approvers by name only. */
const approverId = z.string().nullable()
const decision = z.strictObject({
  approver: z.string(),
  approver_id: approverId.optional(),
  comment: z.string().nullable(),
  form: z.json(),
  approvers: z.array(z.string()),
  approver_ids: z.array(approverId).optional(),
})

export type EventRule = {
  readonly entity: EntityType
  readonly payload: z.ZodType
  readonly emittedBy: 'engine' | 'person' | 'task' | 'timer' | 'outside'
  readonly changes: string
}

export const EVENT_TABLE: Readonly<Record<string, EventRule>> = {
  'pipeline.created': {
    entity: 'pipeline',
    payload: z.strictObject({
      pipeline_id: z.string(),
      revision: z.int().min(1),
      priority: z.int(),
      labels: z.record(z.string(), z.string()),
      mocks: z.record(z.string(), z.json()).optional(),
      /** Of a child: whose node it works for. */
      parent: z
        .strictObject({
          execution_id: z.string(),
          node_id: z.string(),
          generation: z.int(),
          item: z.int().nullable(),
          attempt: z.int(),
          token: z.int(),
          depth: z.int(),
        })
        .optional(),
      /** Of a fork: the run that it left after this seq. */
      origin: z.strictObject({ execution_id: z.string(), seq: z.int().min(0) }).optional(),
      /** Of a fork: events of the outside that had happened and count for its gates. */
      events: z.array(z.string()).optional(),
    }),
    emittedBy: 'person',
    changes:
      'The execution exists; its inputs and system variables are written. Lifecycle PENDING, until a place is free. Of a fork also what had ended where it left: the outputs, and one write `pipeline/{node}` a node.',
  },
  'pipeline.scheduled': {
    entity: 'pipeline',
    payload: z.strictObject({}),
    emittedBy: 'engine',
    changes: 'Lifecycle SCHEDULING.',
  },
  'pipeline.started': {
    entity: 'pipeline',
    payload: z.strictObject({ timeout_at: instant.optional() }),
    emittedBy: 'engine',
    changes: 'Lifecycle EXECUTING; every gate is looked at.',
  },
  'pipeline.cancelling': {
    entity: 'pipeline',
    payload: z.strictObject({ reason: z.string().nullable(), timed_out: z.literal(true).optional() }),
    emittedBy: 'person',
    changes:
      'Nothing starts any more; attempts in flight are told to end. timed_out: by the deadline of the run.',
  },
  'pipeline.paused': {
    entity: 'pipeline',
    payload: z.strictObject({
      reason: z.string().nullable(),
      hard: z.boolean(),
      /** Of a child: the run that waits for it holds the pause. Absent: a person does. */
      holder: z.literal('parent').optional(),
    }),
    emittedBy: 'person',
    changes: 'Nothing new starts. hard: attempts in flight are stopped and done again after the resume.',
  },
  'pipeline.resumed': {
    entity: 'pipeline',
    /** `holder`: only the pause of the parent ends. */
    payload: z.strictObject({ holder: z.literal('parent').optional() }),
    emittedBy: 'person',
    changes: 'What waited starts, unless somebody else holds a pause.',
  },
  'pipeline.verifying': {
    entity: 'pipeline',
    payload: z.strictObject({}),
    emittedBy: 'engine',
    changes: 'Lifecycle VERIFYING.',
  },
  'pipeline.completed': {
    entity: 'pipeline',
    payload: z.strictObject({ duration_ms: z.number(), ...outputs }),
    emittedBy: 'engine',
    changes: 'The outcome: lifecycle COMMIT; outputs are written; finally nodes are looked at.',
  },
  'pipeline.failed': {
    entity: 'pipeline',
    payload: z.strictObject({ error, duration_ms: z.number(), failed_nodes: z.array(z.string()) }),
    emittedBy: 'engine',
    changes: 'The outcome: lifecycle FAILED; finally nodes are looked at.',
  },
  'pipeline.cancelled': {
    entity: 'pipeline',
    payload: z.strictObject({ reason: z.string().nullable(), duration_ms: z.number() }),
    emittedBy: 'engine',
    changes: 'The outcome: lifecycle CANCELLED; finally nodes are looked at.',
  },
  'pipeline.closed': {
    entity: 'pipeline',
    payload: z.strictObject({}),
    emittedBy: 'engine',
    changes: 'Nothing more happens; streams end.',
  },
  'pipeline.restarted': {
    entity: 'pipeline',
    payload: z.strictObject({
      /** As it was asked for: node ids, or every failed node with what its failure stopped. */
      nodes: z.union([z.literal('failed'), z.array(z.string())]),
      timeout_at: instant.optional(),
    }),
    emittedBy: 'person',
    changes:
      'The next generation: a reset of every node concerned follows in the same commit. How the run had ended counts no more; a run that was over is PENDING again.',
  },
  '{node}.queued': {
    entity: 'node',
    payload: z.strictObject({ gate, attempt: z.int().min(1) }),
    emittedBy: 'engine',
    changes:
      'The gate is open, or a try is due, and no slot is free (or the run is paused): it competes for one.',
  },
  '{node}.started': {
    entity: 'node',
    payload: z.strictObject({ gate, mocked: z.literal(true).optional(), items: z.int().min(0).optional() }),
    emittedBy: 'engine',
    changes: 'The node runs. Failures whose events opened the gate count as handled by it.',
  },
  '{node}.waiting': {
    entity: 'node',
    payload: z.discriminatedUnion('for', [
      z.strictObject({ for: z.literal('time'), due_at: instant }),
      z.strictObject({
        for: z.literal('event'),
        events: z.array(z.string()),
        due_at: instant.optional(),
        expired: z.literal(true).optional(),
      }),
      z.strictObject({
        for: z.literal('people'),
        message: z.string(),
        approvers: z.array(z.string()),
        quorum: z.int().min(1),
        reject_quorum: z.int().min(1),
        on_timeout: z.enum(['fail', 'approve']),
        exclude_requester: z.boolean(),
        form: values.nullable(),
        due_at: instant.nullable(),
      }),
    ]),
    emittedBy: 'engine',
    changes:
      'time and people: the node waits. event: its start timeout is armed, or has expired; the node stays pending.',
  },
  '{node}.retrying': {
    entity: 'node',
    payload: z.strictObject({ attempt: z.int().min(2), delay_ms: z.number(), due_at: instant }),
    emittedBy: 'engine',
    changes: 'The attempt failed and is tried again at that time. With `item`: that item is.',
  },
  '{node}.approved': {
    entity: 'node',
    payload: decision,
    emittedBy: 'engine',
    changes: 'The approval has its outcome; `completed` follows.',
  },
  '{node}.rejected': {
    entity: 'node',
    payload: decision,
    emittedBy: 'engine',
    changes: 'The approval has its outcome; `failed` follows.',
  },
  '{node}.timeout': {
    entity: 'node',
    payload: z.strictObject({ due_at: instant }),
    emittedBy: 'timer',
    changes: 'An approval got no decision in time; `failed`, or `approved` and `completed`, follow.',
  },
  '{node}.completed': {
    entity: 'node',
    payload: z.strictObject({ duration_ms: z.number(), ...outputs }),
    emittedBy: 'engine',
    changes: 'Terminal; the outputs are written with it.',
  },
  '{node}.failed': {
    entity: 'node',
    payload: z.strictObject({ error, attempts: z.int().min(0) }),
    emittedBy: 'engine',
    changes: 'Terminal and final: no attempt follows [R-8].',
  },
  '{node}.skipped': {
    entity: 'node',
    payload: z.strictObject({ reason: z.string(), cause: z.string().nullable() }),
    emittedBy: 'engine',
    changes: 'Terminal: the gate cannot open any more.',
  },
  '{node}.cancelled': {
    entity: 'node',
    payload: z.strictObject({ reason: z.string().nullable() }),
    emittedBy: 'engine',
    changes: 'Terminal: it had started and was ended by a cancel.',
  },
  '{node}.reset': {
    entity: 'node',
    /** The last fencing token of the generations before. */
    payload: z.strictObject({ token: z.int().min(1) }),
    emittedBy: 'engine',
    changes:
      'Pending again, under the next generation. Its attempts have ended; its events, decisions and variables so far count no more.',
  },
  '{node}.task.started': {
    entity: 'task',
    payload: z.strictObject({
      token: z.int().min(1),
      timeout_at: instant.optional(),
      child_execution_id: z.string().optional(),
    }),
    emittedBy: 'engine',
    changes: 'An attempt is in flight under this token.',
  },
  '{node}.task.running': {
    entity: 'task',
    payload: z.strictObject({ ratio: z.number().min(0).max(1).nullable(), message: z.string().nullable() }),
    emittedBy: 'task',
    changes: 'Progress, at most once a second.',
  },
  '{node}.task.completed': {
    entity: 'task',
    payload: z.strictObject({ duration_ms: z.number() }),
    emittedBy: 'task',
    changes: 'The attempt is over.',
  },
  '{node}.task.failed': {
    entity: 'task',
    payload: z.strictObject({
      error,
      duration_ms: z.number(),
      final: z.boolean(),
      /** The child execution that its start named could not begin: there is none. */
      child_execution_id: z.null().optional(),
    }),
    emittedBy: 'task',
    changes: 'The attempt is over. final: no other follows.',
  },
  '{node}.task.lost': {
    entity: 'task',
    payload: z.strictObject({
      token: z.int().min(1),
      /** The token of the re-dispatch; absent when there is none. */
      next_token: z.int().min(1).optional(),
      timeout_at: instant.optional(),
      losses: z.int().min(0),
      reason: z.string(),
      /** No other attempt follows. */
      final: z.boolean(),
    }),
    emittedBy: 'engine',
    changes: 'The worker died. The same attempt goes on under the next token, or the node fails.',
  },
  'external.{source}': {
    entity: 'external',
    payload: values,
    emittedBy: 'outside',
    changes: 'Counts for gates from now on; for an approval that waits it is the vote of its actor.',
  },
}

/** The rule for a concrete event type, or undefined when no such type exists. */
export function ruleOf(type: string): EventRule | undefined {
  if (type.startsWith('external.')) return EVENT_TABLE['external.{source}']
  if (type.startsWith('pipeline.')) return EVENT_TABLE[type]
  return EVENT_TABLE[`{node}${type.slice(type.indexOf('.'))}`]
}
