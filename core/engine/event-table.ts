import { z } from 'zod'
import { eventTypeOf, type EventLevel } from '@/core/pipeline/gate/event-type'
import { attempt, error, instant, json, retrying, rollbackScope, rollbackTrigger } from './event-parts'
import { TRACEPARENT } from './trace'

const gate = z.strictObject({
  events: z.array(z.string()),
  conditions: z.array(z.strictObject({ source: z.string(), value: z.boolean() })),
})
const mock = z.union([
  z.strictObject({ outputs: z.record(z.string(), json) }),
  z.strictObject({ error: z.strictObject({ kind: z.exactOptional(z.string()), message: z.string() }) }),
])
/** Why a node was skipped: the word that people see. */
export const skipReason = z.enum([
  'upstream_failed',
  'upstream_skipped',
  'upstream_cancelled',
  'condition_not_met',
  'start_timeout',
  'fail_fast',
  'pipeline_cancelled',
  'rolled_back',
])
const values = z.record(z.string(), json)
/** Values up to 1 KB stand in the event; above, `data_ref` names the variables that hold them [E-15]. */
const outputs = { outputs: z.exactOptional(values), data_ref: z.exactOptional(z.array(z.string())) }
/** Values that come from mocks, and the mocks that each rests on. Absent: none does, or of an earlier version. */
const mocked = z.exactOptional(z.array(z.strictObject({ value: z.string(), mocks: z.array(z.string()) })))
/** Journals of earlier versions know approvers by name only. */
/** Values of the run come from mocks; who hears only of its outcome learns it here. */
const ofMocks = { mocked: z.exactOptional(z.literal(true)) }
const approverId = z.string().nullable()
/** Nodes before an approval that people had completed by hand when it opened, of other runs as `PIPELINE/NODE`; absent: none. */
const byHandBefore = z.exactOptional(z.array(z.string()))
const decision = z.strictObject({
  approver: z.string(),
  approver_id: z.exactOptional(approverId),
  comment: z.string().nullable(),
  form: json,
  approvers: z.array(z.string()),
  approver_ids: z.exactOptional(z.array(approverId)),
  mocked,
  by_hand: byHandBefore,
})

/** A check of `verify` that does not hold says what was found, or why it cannot be evaluated. */
const check = z.strictObject({
  name: z.string(),
  held: z.boolean(),
  error: z.exactOptional(z.strictObject({ kind: z.string(), message: z.string() })),
  found: z.exactOptional(z.string()),
})

/** Who may emit an event, and what it changes in the run. */
export type EventRule = {
  readonly payload: z.ZodType
  readonly emittedBy: 'engine' | 'person' | 'task' | 'timer' | 'outside'
  readonly changes: string
}

type EventTable = {
  readonly [level in Exclude<EventLevel, 'external'>]: Readonly<Record<string, EventRule>>
} & { readonly external: EventRule }

/**
 * The table of events: every type that can stand in a journal, by level and word, what its payload holds, who emits it and what
 * it changes. An event of a node is `{node}.{word}`, of an attempt `{node}.task.{word}`, from outside `external.{source}.{…}`.
 * Types and payloads of events (typed-event.ts) are inferred from it. Persisted words: chosen once, never renamed.
 */
export const EVENT_TABLE = {
  pipeline: {
    created: {
      payload: z.strictObject({
        pipeline_id: z.string(),
        revision: z.int().min(1),
        priority: z.int(),
        labels: z.record(z.string(), z.string()),
        mocks: z.exactOptional(z.record(z.string(), mock)),
        /** Of a child: its inputs that its parent computed from mocked values. */
        mocked_inputs: z.exactOptional(z.array(z.string())),
        /** Of a child: nodes above that people completed and on which it may rest, as `PIPELINE/NODE`. */
        by_hand_above: z.exactOptional(z.array(z.string())),
        /** Pipeline → the revision that every node of the run takes of it, at every depth. Absent: there is none, or of an earlier version. */
        sub_pipelines: z.exactOptional(z.record(z.string(), z.int().min(1))),
        /** Pipeline that a `forEach` runs → the names of its outputs: what an empty list gives. */
        sub_outputs: z.exactOptional(z.record(z.string(), z.array(z.string()))),
        /** Who else asked for it: of a child for its parent, by a rerun; of a fork for the run that it leaves. */
        also_requested_by: z.exactOptional(z.array(z.strictObject({ id: approverId, name: z.string() }))),
        /** Of a child: whose node it works for. */
        parent: z.exactOptional(
          z.strictObject({
            execution_id: z.string(),
            node_id: z.string(),
            generation: z.int(),
            item: z.int().nullable(),
            attempt: z.int(),
            token: z.int(),
            depth: z.int(),
          }),
        ),
        /** Of a fork: the run that it left after this seq. */
        origin: z.exactOptional(z.strictObject({ execution_id: z.string(), seq: z.int().min(0) })),
        /** The span for which somebody else asked for the run, as W3C Trace Context writes it; of a child: the attempt of its parent. */
        trace_parent: z.exactOptional(z.string().regex(TRACEPARENT)),
        /** Of a fork: events of the outside that had happened and count for its gates. */
        events: z.exactOptional(z.array(z.string())),
      }),
      emittedBy: 'person',
      changes:
        'The execution exists; its inputs and system variables are written. Lifecycle PENDING, until `policy.maxRunning` admits it. Of a fork also what had ended where it left: the outputs, and one write `pipeline/{node}` a node.',
    },
    scheduled: {
      payload: z.strictObject({}),
      emittedBy: 'engine',
      changes: 'Lifecycle SCHEDULING.',
    },
    started: {
      payload: z.strictObject({ timeout_at: z.exactOptional(instant) }),
      emittedBy: 'engine',
      changes: 'Lifecycle EXECUTING; every gate is looked at.',
    },
    cancelling: {
      payload: z.strictObject({ reason: z.string().nullable(), timed_out: z.exactOptional(z.literal(true)) }),
      emittedBy: 'person',
      changes:
        'Nothing starts any more; attempts in flight are asked to stop. timed_out: by the deadline of the run.',
    },
    paused: {
      payload: z.strictObject({
        reason: z.string().nullable(),
        hard: z.boolean(),
        /** Of a child: the run that waits for it holds the pause. Absent: a person does. */
        holder: z.exactOptional(z.literal('parent')),
      }),
      emittedBy: 'person',
      changes: 'Nothing new starts. hard: attempts in flight are stopped and done again after the resume.',
    },
    resumed: {
      /** `holder`: only the pause of the parent ends. */
      payload: z.strictObject({ holder: z.exactOptional(z.literal('parent')) }),
      emittedBy: 'person',
      changes: 'What waited starts, unless somebody else holds a pause.',
    },
    verifying: {
      /** What each check of the pipeline gave. Absent: it has none, or of an earlier version. */
      payload: z.strictObject({ checks: z.exactOptional(z.array(check)) }),
      emittedBy: 'engine',
      changes: 'Lifecycle VERIFYING. A check that does not hold fails the run.',
    },
    completed: {
      payload: z.strictObject({
        duration_ms: z.number(),
        ...outputs,
        /** Nodes that failed, wholly or in some items, and did not fail the run. Absent in journals of earlier versions. */
        handled_failures: z.exactOptional(z.int().min(0)),
        ...ofMocks,
      }),
      emittedBy: 'engine',
      changes: 'The outcome: lifecycle COMMIT; outputs are written; finally nodes are looked at.',
    },
    failed: {
      payload: z.strictObject({
        error,
        duration_ms: z.number(),
        failed_nodes: z.array(z.string()),
        ...ofMocks,
      }),
      emittedBy: 'engine',
      changes: 'The outcome: lifecycle FAILED; finally nodes are looked at.',
    },
    cancelled: {
      payload: z.strictObject({ reason: z.string().nullable(), duration_ms: z.number() }),
      emittedBy: 'engine',
      changes: 'The outcome: lifecycle CANCELLED; finally nodes are looked at.',
    },
    closed: {
      payload: z.strictObject({}),
      emittedBy: 'engine',
      changes: 'Nothing more happens; streams end.',
    },
    rolling_back: {
      payload: z.strictObject({
        trigger: rollbackTrigger,
        scope: rollbackScope,
        /** The phase, the node or the artifact; null: the whole execution. */
        target: z.string().nullable(),
        /** Of an artifact: the node that made it. */
        made_by: z.exactOptional(z.string()),
        /** Nodes that are compensated: those of a list when all of the lists before it are, or earlier where the graph allows. */
        order: z.array(z.array(z.string())),
        /** Nodes that did something that nothing undoes: their authors say so, or say nothing. */
        irreversible: z.array(z.string()),
        uncompensated: z.array(z.string()),
        /** What becomes of the run afterwards. */
        then: z.enum(['restart', 'end']),
        /** Why it rolls back by itself. */
        cause: z.exactOptional(error),
        reason: z.exactOptional(z.string()),
      }),
      emittedBy: 'engine',
      changes:
        'Lifecycle ROLLBACK: nothing starts any more, what runs is stopped, then compensations run. Of a run that was over it opens the next generation, and how it had ended counts no more.',
    },
    rolled_back: {
      payload: z.strictObject({
        duration_ms: z.number(),
        then: z.enum(['restart', 'end']),
        /** Nodes whose work stays done. */
        not_undone: z.array(z.string()),
        /** Not before then does the run begin again. Absent: at once, or not at all. */
        restart_at: z.exactOptional(instant),
      }),
      emittedBy: 'engine',
      changes:
        'Every compensation has completed. end: the outcome, and finally nodes are looked at. restart: `restarted` follows.',
    },
    restarted: {
      payload: z.strictObject({
        /** As it was asked for: node ids, or every failed node with what its failure stopped. */
        nodes: z.union([z.literal('failed'), z.array(z.string())]),
        timeout_at: z.exactOptional(instant),
        /** The run rolled back and begins again: for which time in a row without a person. Absent: it did not. */
        after_rollback: z.exactOptional(z.int().min(0)),
      }),
      emittedBy: 'person',
      changes:
        'The next generation: a reset of every node concerned follows in the same commit. How the run had ended counts no more; a run that was over is PENDING again.',
    },
  },
  node: {
    queued: {
      payload: z.strictObject({
        gate,
        attempt: z.int().min(1),
        /** The pool that had no room. Absent: the run was paused, or it was a slot. */
        pool: z.exactOptional(z.string()),
      }),
      emittedBy: 'engine',
      changes:
        'The gate is open, or a try is due, and no slot is free (or the run is paused): it competes for one.',
    },
    started: {
      payload: z.strictObject({
        gate,
        mocked: z.exactOptional(z.literal(true)),
        items: z.exactOptional(z.int().min(0)),
      }),
      emittedBy: 'engine',
      changes: 'The node runs. Failures whose events opened the gate count as handled by it.',
    },
    waiting: {
      payload: z.discriminatedUnion('for', [
        z.strictObject({ for: z.literal('time'), due_at: instant }),
        z.strictObject({
          for: z.literal('event'),
          events: z.array(z.string()),
          due_at: z.exactOptional(instant),
          expired: z.exactOptional(z.literal(true)),
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
          mocked,
          by_hand: byHandBefore,
        }),
      ]),
      emittedBy: 'engine',
      changes:
        'time and people: the node waits. event: its start timeout is armed, or has expired; the node stays pending.',
    },
    retrying: {
      payload: retrying,
      emittedBy: 'engine',
      changes: 'The attempt failed and is tried again at that time. With `item`: that item is.',
    },
    approved: {
      payload: decision,
      emittedBy: 'engine',
      changes: 'The approval has its outcome; `completed` follows.',
    },
    rejected: {
      payload: decision,
      emittedBy: 'engine',
      changes: 'The approval has its outcome; `failed` follows.',
    },
    timeout: {
      payload: z.strictObject({ due_at: instant }),
      emittedBy: 'timer',
      changes: 'An approval got no decision in time; `failed`, or `approved` and `completed`, follow.',
    },
    completed: {
      payload: z.strictObject({
        duration_ms: z.number(),
        ...outputs,
        /** A person did its work and gave its outputs: the actor of the event. Absent: the engine saw it done. */
        by_hand: z.exactOptional(z.strictObject({ reason: z.string() })),
      }),
      emittedBy: 'engine',
      changes: 'Terminal; the outputs are written with it.',
    },
    failed: {
      payload: z.strictObject({ error, attempts: z.int().min(0) }),
      emittedBy: 'engine',
      changes: 'Terminal and final: no attempt follows [R-8].',
    },
    skipped: {
      payload: z.strictObject({ reason: skipReason, cause: z.string().nullable() }),
      emittedBy: 'engine',
      changes: 'Terminal: the gate cannot open any more.',
    },
    cancelled: {
      payload: z.strictObject({ reason: z.string().nullable() }),
      emittedBy: 'engine',
      changes: 'Terminal: it had started and was ended by a cancel.',
    },
    rolled_back: {
      payload: z.strictObject({}),
      emittedBy: 'engine',
      changes: 'Terminal: what it did was undone.',
    },
    reset: {
      /** The last fencing token of the generations before. */
      payload: z.strictObject({ token: z.int().min(1) }),
      emittedBy: 'engine',
      changes:
        'Pending again, under the next generation. Its attempts have ended; its events, decisions and variables so far count no more.',
    },
  },
  task: {
    started: {
      payload: z.strictObject({
        token: z.int().min(1),
        timeout_at: z.exactOptional(instant),
        /** The work has not begun: `running` says when it does, and by then at the latest. Absent: it began with this. */
        begin_by: z.exactOptional(instant),
        child_execution_id: z.exactOptional(z.string()),
      }),
      emittedBy: 'engine',
      changes: 'An attempt is in flight under this token.',
    },
    running: {
      payload: attempt.running,
      emittedBy: 'task',
      changes: 'The work has begun (neither ratio nor message), or its progress, at most once a second.',
    },
    completed: {
      payload: z.strictObject({
        duration_ms: z.number(),
        /** The run that did the work completed although so many of its nodes failed. */
        handled_failures: z.exactOptional(z.int().min(1)),
        by_hand_below: z.exactOptional(z.array(z.string())),
      }),
      emittedBy: 'task',
      changes: 'The attempt is over.',
    },
    failed: {
      payload: z.strictObject({
        error,
        duration_ms: z.number(),
        final: z.boolean(),
        /** The child execution that its start named could not begin: there is none. */
        child_execution_id: z.exactOptional(z.null()),
      }),
      emittedBy: 'task',
      changes: 'The attempt is over. final: no other follows.',
    },
    lost: {
      payload: attempt.lost,
      emittedBy: 'engine',
      changes: 'The worker died. The same attempt goes on under the next token, or the node fails.',
    },
  },
  /** What undoes the work of a node: attempts of its compensation. Their numbers go on after those of the node. */
  rollback: {
    queued: {
      payload: z.strictObject({ attempt: z.int().min(1), pool: z.exactOptional(z.string()) }),
      emittedBy: 'engine',
      changes: 'Its turn has come, or its next try, and no slot is free: it competes for one.',
    },
    started: {
      payload: z.strictObject({
        token: z.int().min(1),
        timeout_at: z.exactOptional(instant),
        begin_by: z.exactOptional(instant),
      }),
      emittedBy: 'engine',
      changes: 'An attempt to undo it is in flight under this token.',
    },
    running: { payload: attempt.running, emittedBy: 'task', changes: 'The work has begun, or its progress.' },
    retrying: { payload: retrying, emittedBy: 'engine', changes: 'The attempt is tried again at that time.' },
    completed: {
      payload: z.strictObject({ duration_ms: z.number() }),
      emittedBy: 'task',
      changes: 'The attempt is over; `{node}.rolled_back` follows.',
    },
    failed: {
      payload: z.strictObject({ error, duration_ms: z.number(), final: z.boolean() }),
      emittedBy: 'task',
      changes: 'The attempt is over. final: no other follows, and no other compensation starts.',
    },
    lost: {
      payload: attempt.lost,
      emittedBy: 'engine',
      changes: 'The worker died. The same attempt goes on under the next token, or again when there is room.',
    },
    skipped: {
      payload: z.strictObject({ reason: z.string() }),
      emittedBy: 'engine',
      changes: 'When its turn came there was nothing to undo.',
    },
  },
  external: {
    payload: values,
    emittedBy: 'outside',
    changes: 'Counts for gates from now on; for an approval that waits it is the vote of its actor.',
  },
} as const satisfies EventTable

/** The rule for an event type, or undefined when no such type exists. */
export function ruleOf(type: string): EventRule | undefined {
  const { level, word } = eventTypeOf(type)
  if (level === 'external') return EVENT_TABLE.external
  const rules: Readonly<Record<string, EventRule>> = EVENT_TABLE[level]
  return Object.hasOwn(rules, word) ? rules[word] : undefined
}
