import { z } from 'zod'
import { rollbackScope, rollbackTrigger } from '@/core/engine/event-parts'
import { count, instantText, jsonObject, jsonValue, principalId } from './json'

export const executionStatuses = [
  'pending',
  'running',
  'paused',
  'waiting',
  'verifying',
  'rolling_back',
  'rolled_back',
  'completed',
  'failed',
  'cancelled',
] as const

export const executionStatus = z.enum(executionStatuses).meta({ id: 'ExecutionStatus' })

const lifecycle = z.enum([
  'PENDING',
  'SCHEDULING',
  'EXECUTING',
  'VERIFYING',
  'COMMIT',
  'FAILED',
  'CANCELLED',
  'ROLLBACK',
])

export const nodeStatus = z
  .enum([
    'pending',
    'queued',
    'running',
    'waiting',
    'retrying',
    'completed',
    'failed',
    'skipped',
    'cancelled',
    'rolled_back',
  ])
  .meta({ id: 'NodeStatus' })

export const nodeError = z
  .strictObject({
    kind: z.string().meta({ description: 'A word for programs, such as `timeout` or `task_failed`.' }),
    message: z.string(),
    detail: jsonValue.optional(),
  })
  .meta({ id: 'NodeError' })

export const waitingFor = z
  .strictObject({
    kind: z.enum(['attempt', 'worker', 'slot', 'timer', 'people', 'event', 'nodes', 'engine']),
    text: z.string().meta({ description: 'One sentence for people.' }),
    names: z
      .array(z.string())
      .meta({ description: 'Event types, node ids or approvers, depending on the kind.' }),
  })
  .meta({ id: 'WaitingFor' })

/** A value of a question that comes from mocks. */
export const mockedValue = z
  .strictObject({
    value: z.string().meta({ description: 'The name of the value, such as `extract.rows`.' }),
    mocks: z.array(z.string()).meta({
      description:
        'The mocks that it rests on: nodes whose work is replaced, and inputs that the run above computed from mocks.',
    }),
  })
  .meta({ id: 'MockedValue' })

const approval = z.strictObject({
  message: z.string(),
  approvers: z.array(z.string()),
  quorum: z.int(),
  reject_quorum: z.int(),
  due_at: instantText.nullable(),
  form: jsonObject.nullable(),
  mocked: z.array(mockedValue),
  by_hand: z
    .array(z.string())
    .meta({ description: 'Nodes before it that people had completed by hand when it opened.' }),
  votes: z.array(
    z.strictObject({
      approver: z.string(),
      approver_id: principalId,
      decision: z.enum(['approved', 'rejected']),
      comment: z.string().nullable(),
      at: instantText,
    }),
  ),
})

/** A duration in milliseconds. */
const milliseconds = z.number()

const node = z
  .strictObject({
    status: nodeStatus,
    phase: z.string(),
    attempts: count,
    started_at: instantText.nullable(),
    finished_at: instantText.nullable(),
    duration_ms: milliseconds.nullable(),
    skip_reason: z.string().nullable(),
    skip_cause: z.string().nullable(),
    error: nodeError.nullable(),
    handled: z.boolean().meta({ description: 'The node failed, and that does not fail the execution.' }),
    handled_below: z
      .boolean()
      .meta({ description: 'The execution that did its work completed with handled failures.' }),
    outputs: jsonObject.nullable(),
    waiting_for: waitingFor.nullable(),
    next_wake_at: instantText.nullable(),
    critical: z.boolean(),
    slack_ms: milliseconds.nullable(),
    child_execution_id: z.string().nullable(),
    items: z.strictObject({ total: count, completed: count, failed: count, running: count }).nullable(),
    progress: z.strictObject({ ratio: z.number().nullable(), message: z.string().nullable() }).nullable(),
    by_hand: z
      .strictObject({ actor: z.string(), actor_id: principalId, reason: z.string() })
      .nullable()
      .meta({ description: 'Who completed it by hand, and why; null: its own work did.' }),
    approval: approval.nullable(),
  })
  .meta({ id: 'Node' })

/** A check of the pipeline (`CheckView`). */
export const checkResult = z
  .strictObject({
    name: z.string(),
    held: z.boolean().nullable().meta({ description: 'null: it was not evaluated.' }),
    text: z
      .string()
      .nullable()
      .meta({ description: 'What was found of one that does not hold, or why it cannot be evaluated.' }),
  })
  .meta({ id: 'CheckResult' })

/** The latest rollback of an execution (`RollbackView`). */
const rollback = z
  .strictObject({
    trigger: rollbackTrigger,
    scope: rollbackScope,
    target: z.string().nullable(),
    then: z.enum(['restart', 'end']),
    actor: z.string(),
    reason: z.string().nullable(),
    started_at: instantText,
    order: z.array(z.array(z.string())).meta({ description: 'Nodes that are undone, leaves first.' }),
    irreversible: z.array(z.string()),
    uncompensated: z.array(z.string()).meta({
      description: 'Nodes that changed something outside, and of which nothing says how to undo it.',
    }),
    steps: z.record(
      z.string(),
      z.strictObject({
        status: z.enum(['pending', 'queued', 'running', 'retrying', 'completed', 'skipped', 'failed']),
        attempt: count,
        error: nodeError.nullable(),
        waiting_for: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Rollback' })

const outsideWait = z.strictObject({
  node_id: z.string(),
  kind: z.enum(['people', 'event']),
  from: instantText,
})

const handledFailures = count.meta({
  description:
    'Of a completed execution: how many nodes failed all the same, wholly or in some items, because the failure was handled or allowed. A run with any is no good run.',
})

const mocked = z.boolean().meta({
  description: 'Values of it come from mocks: its own, or those of the run whose node it works for.',
})

export const forkSummary = z.strictObject({
  execution_id: z.string(),
  revision: z.int().min(1),
  status: z.string(),
  created_at: instantText,
})

/** Everything that people see of one execution (`ExecutionView`). */
export const execution = z
  .strictObject({
    execution_id: z.string(),
    pipeline_id: z.string(),
    revision: z.int().min(1),
    sub_pipelines: z.record(z.string(), z.int().min(1)).nullable().meta({
      description:
        'The revisions of the pipelines that run below it, at every depth, fixed when it started. null: it runs none, or an earlier version started it.',
    }),
    status: executionStatus,
    lifecycle,
    paused: z.boolean(),
    priority: z.int(),
    labels: z.record(z.string(), z.string()),
    requested_by: z.string(),
    requested_by_id: principalId,
    inputs: jsonObject,
    outputs: jsonObject.nullable(),
    error: nodeError.nullable(),
    checks: z
      .array(checkResult)
      .meta({ description: 'The checks of the pipeline, evaluated when all nodes have ended.' }),
    rollback: rollback
      .nullable()
      .meta({ description: 'The latest rollback, until the execution begins again.' }),
    handled_failures: handledFailures,
    mocked,
    mocks: z.array(z.string()).meta({ description: 'The nodes whose work mocks replace.' }),
    mocked_inputs: z
      .array(z.string())
      .meta({ description: 'Inputs that the run above computed from mocked values.' }),
    warnings: z.array(z.string()),
    created_at: instantText,
    updated_at: instantText,
    first_started_at: instantText.nullable().meta({
      description:
        'What the execution took counts from here to `finished_at`, with all waits and reruns; lists call it `started_at`.',
    }),
    started_at: instantText.nullable().meta({
      description: 'When the latest generation began: later than `first_started_at` after a rerun.',
    }),
    finished_at: instantText.nullable(),
    closed_at: instantText.nullable(),
    generation: z.int().min(1),
    phase: z.string().nullable(),
    parent: z.strictObject({ execution_id: z.string(), node_id: z.string() }).nullable(),
    origin: z.strictObject({ execution_id: z.string(), seq: count }).nullable(),
    forks: z.array(forkSummary).optional().meta({
      description:
        'The latest executions that were forked from it, newest first; where it is asked for by its id.',
    }),
    last_seq: count,
    eta: instantText.nullable(),
    eta_p90: instantText.nullable(),
    waits_for: outsideWait
      .extend({ after_ms: milliseconds.nullable(), then: outsideWait.nullable() })
      .nullable(),
    critical_path: z.array(z.string()),
    checkpoints: z.array(jsonValue),
    nodes: z.record(z.string(), node),
    metrics: z.strictObject({
      tasks_total: count,
      tasks_completed: count,
      tasks_failed: count,
      execution_duration_seconds: z.number().nullable(),
    }),
  })
  .meta({ id: 'Execution' })

/** An execution as lists show it. */
export const executionSummary = z
  .strictObject({
    execution_id: z.string(),
    pipeline_id: z.string(),
    revision: z.int().min(1),
    status: z.string(),
    lifecycle: z.string(),
    priority: z.int(),
    labels: z.record(z.string(), z.string()),
    requested_by: z.string(),
    requested_by_id: principalId,
    created_at: instantText,
    started_at: instantText.nullable(),
    finished_at: instantText.nullable(),
    closed_at: instantText.nullable(),
    next_wake_at: instantText.nullable(),
    error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
    handled_failures: handledFailures,
    mocked,
    waiting_for: z
      .string()
      .nullable()
      .meta({ description: 'What people or the outside have to do; null: it moves by itself.' }),
    inputs_preview: z.record(z.string(), z.string()).nullable().meta({
      description:
        'Its inputs as texts, to tell runs from each other: the first 20, each cut to 80 characters. The values are in the execution itself.',
    }),
  })
  .meta({ id: 'ExecutionSummary' })

/** What a start, a fork or a hook answers. */
export const started = z
  .strictObject({
    execution_id: z
      .string()
      .nullable()
      .meta({ description: 'null: nothing was started (`whenFull: skip`).' }),
    status: z.string(),
  })
  .meta({ id: 'Started' })

export const exampleSummary = {
  execution_id: '01JDW3Q8',
  pipeline_id: 'seattle_weather',
  revision: 3,
  status: 'running',
  lifecycle: 'EXECUTING',
  priority: 5,
  labels: { team: 'data' },
  requested_by: 'ada',
  requested_by_id: 'usr_01jdw3q8',
  created_at: '2026-01-31T06:00:00.000Z',
  started_at: '2026-01-31T06:00:00.004Z',
  finished_at: null,
  closed_at: null,
  next_wake_at: null,
  error: null,
  handled_failures: 0,
  mocked: false,
  waiting_for: null,
  inputs_preview: { station: 'seattle' },
} as const

export const exampleExecution = {
  execution_id: '01JDW3Q8',
  pipeline_id: 'seattle_weather',
  revision: 3,
  sub_pipelines: null,
  status: 'completed',
  lifecycle: 'COMMIT',
  paused: false,
  priority: 5,
  labels: { team: 'data' },
  requested_by: 'ada',
  requested_by_id: 'usr_01jdw3q8',
  inputs: { station: 'seattle' },
  outputs: { report: 'weather/report.svg' },
  error: null,
  checks: [{ name: 'has rows', held: true, text: null }],
  rollback: null,
  handled_failures: 0,
  mocked: false,
  mocks: [],
  mocked_inputs: [],
  warnings: [],
  created_at: '2026-01-31T06:00:00.000Z',
  updated_at: '2026-01-31T06:00:09.120Z',
  first_started_at: '2026-01-31T06:00:00.004Z',
  started_at: '2026-01-31T06:00:00.004Z',
  finished_at: '2026-01-31T06:00:09.120Z',
  closed_at: '2026-01-31T06:00:09.120Z',
  generation: 1,
  phase: 'publish',
  parent: null,
  origin: null,
  last_seq: 14,
  eta: null,
  eta_p90: null,
  waits_for: null,
  critical_path: ['extract'],
  checkpoints: [],
  nodes: {
    extract: {
      status: 'completed',
      phase: 'extract',
      attempts: 1,
      started_at: '2026-01-31T06:00:00.006Z',
      finished_at: '2026-01-31T06:00:09.118Z',
      duration_ms: 9112,
      skip_reason: null,
      skip_cause: null,
      error: null,
      handled: false,
      handled_below: false,
      outputs: { rows: 1461 },
      waiting_for: null,
      next_wake_at: null,
      critical: true,
      slack_ms: 0,
      child_execution_id: null,
      items: null,
      progress: null,
      by_hand: null,
      approval: null,
    },
  },
  metrics: { tasks_total: 1, tasks_completed: 1, tasks_failed: 0, execution_duration_seconds: 9.116 },
} as const
