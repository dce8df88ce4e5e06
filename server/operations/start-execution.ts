import { z } from 'zod'
import type { StartRequest } from '@/server/orchestrator/contract'
import { beginRun, inputsFor } from './begin-run'
import { keyed } from './idempotency'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, idempotencyField, jsonObjectField } from './request-fields'

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
  labels: z
    .record(z.string().min(1).max(200), z.string().max(200))
    .refine((labels) => Object.keys(labels).length <= 50, 'at most 50 labels')
    .optional(),
  mocks: z.record(z.string().min(1).max(64), mock).optional(),
  idempotency_key: idempotencyField,
})

/**
 * Starts an execution; it is durable before the answer. `invalid_inputs` carries every problem of the inputs at once
 * [N-O7, R-83]; an unknown pipeline or revision is `not_found`. When the pipeline runs as often as it may, its `whenFull` decides: the
 * run waits as `pending`, nothing is begun (`skipped`, no id), or the start is refused: `too_many_running`.
 */
export const startExecution = operation({
  right: 'operate',
  request: startRequest,
  run: (ctx, caller, { idempotency_key, ...request }) =>
    beginRun(ctx, keyed(ctx, caller, 'start_execution', idempotency_key, request), async () => {
      const row = await ctx.pipelines.get(request.pipeline_id)
      if (!row) throw missing('pipeline', request.pipeline_id)
      const revision = request.revision ?? row.revision
      const pipeline = await ctx.runs.pipeline(request.pipeline_id, revision)
      if (!pipeline) throw missing('revision', String(revision))
      return {
        pipelineId: request.pipeline_id,
        revision,
        inputs: inputsFor(pipeline, request.inputs),
        actor: { name: caller.name, roles: caller.roles },
        priority: request.priority ?? pipeline.priority,
        labels: { ...pipeline.definition.labels, ...request.labels },
        mocks: (request.mocks ?? {}) as StartRequest['mocks'],
      }
    }),
})
