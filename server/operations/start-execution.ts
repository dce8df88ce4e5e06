import { z } from 'zod'
import { labels } from '@/core/pipeline/definition/definition'
import type { StartRequest } from '@/server/orchestrator/contract'
import { beginRun, inputsFor, refuseSecrets } from './begin-run'
import { keyed } from './idempotency'
import { operation } from './operation'
import { missing } from './refusal'
import { durationField, idField, idempotencyField, jsonObjectField } from './request-fields'
import { execution, started } from './schemas/execution'
import { eventStream } from './follow-execution'

const mock = z
  .strictObject({
    outputs: jsonObjectField.optional(),
    error: z
      .strictObject({ kind: z.string().min(1).max(64).optional(), message: z.string().max(2_000) })
      .optional(),
  })
  .refine(
    ({ outputs, error }) => (outputs === undefined) !== (error === undefined),
    "give either 'outputs' or 'error'",
  )

const startRequest = z.strictObject({
  pipeline_id: idField,
  inputs: jsonObjectField.default({}),
  revision: z.int().min(1).optional(),
  priority: z.int().min(0).max(9).optional(),
  labels: labels.optional(),
  mocks: z.record(z.string().min(1).max(64), mock).optional(),
  idempotency_key: idempotencyField,
})

/** The longest that a start may wait for the end of its execution. */
const longestWaitMs = 60_000

/** How a start may be answered: at once, or when the execution has ended. */
export const startVariants = z.strictObject({
  wait: durationField(0, longestWaitMs)
    .optional()
    .meta({
      description: 'Answer when the execution has ended, or after this time: at most 60s.',
      examples: ['30s'],
    }),
})

/**
 * Starts an execution; it is durable before the answer. `invalid_inputs` carries every problem of the inputs at once
 * [N-O7, R-83]; an unknown pipeline or revision is `not_found`. When the pipeline runs as often as it may, its `whenFull` decides: the
 * run waits as `pending`, nothing is begun (`skipped`, no id), or the start is refused: `too_many_running`.
 */
export const startExecution = operation({
  kind: 'command',
  summary: 'Start an execution',
  right: 'operate',
  rest: {
    method: 'POST',
    path: '/pipelines/:pipeline_id/executions',
    status: 202,
    variants: {
      query: startVariants,
      answers: [
        {
          status: 200,
          type: 'application/json',
          schema: execution,
          description: 'With `wait`: the whole execution, which has ended.',
        },
        { ...eventStream, description: `With \`Accept: text/event-stream\`. ${eventStream.description}` },
      ],
    },
  },
  request: startRequest,
  answer: started,
  errors: ['invalid_inputs', 'not_found', 'set_apart', 'storage_full', 'too_many_running', 'unknown_mock'],
  example: {
    request: { pipeline_id: 'seattle_weather', inputs: { station: 'seattle' } },
    answer: { execution_id: '01JDW3Q8', status: 'running' },
  },
  run: (ctx, caller, request) =>
    beginRun(ctx, keyed(ctx, caller, 'start_execution', request), async () => {
      const row = await ctx.pipelines.get(request.pipeline_id)
      if (!row) throw missing('pipeline', request.pipeline_id)
      const revision = request.revision ?? row.revision
      const pipeline = await ctx.runs.pipeline(request.pipeline_id, revision)
      if (!pipeline) throw missing('revision', String(revision))
      refuseSecrets(request.inputs)
      return {
        pipelineId: request.pipeline_id,
        revision,
        inputs: inputsFor(pipeline, request.inputs),
        actor: caller,
        priority: request.priority ?? pipeline.priority,
        labels: { ...pipeline.definition.labels, ...request.labels },
        mocks: (request.mocks ?? {}) as StartRequest['mocks'],
      }
    }),
})
