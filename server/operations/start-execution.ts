import { z } from 'zod'
import { resolveInputs } from '@/core/pipeline/inputs'
import type { JsonObject } from '@/core/engine/event'
import type { StartRequest } from '@/server/orchestrator/contract'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { firstAnswer, keyed } from './idempotency'
import { operation } from './operation'
import { missing, refusal } from './refusal'
import { idField, idempotencyField, jsonObjectField } from './request-fields'
import type { Caller } from './rights'

const mock = z.union([
  z.strictObject({ outputs: jsonObjectField }),
  z.strictObject({
    error: z.strictObject({ kind: z.string().min(1).max(64).optional(), message: z.string().max(2_000) }),
  }),
])

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
 * [N-O7, R-83]; an unknown pipeline or revision is `not_found`.
 */
export const startExecution = operation({
  right: 'operate',
  request: startRequest,
  run: async (ctx, caller, { idempotency_key, ...request }) => {
    const key = keyed(ctx, caller, 'start_execution', idempotency_key, request)
    // A repeated key needs no inputs any more: the orchestrator answers it before it looks at anything else.
    const repeated = (await firstAnswer(ctx, key)) !== null
    if (!repeated && (await ctx.storage.use()).level === 'full') {
      throw new DomainError(
        'storage_full',
        'The database has reached PENSTOCK_MAX_DATABASE_MB: no new runs are taken until old ones are removed or the limit is raised.',
      )
    }
    const plan = repeated ? emptyPlan(request.pipeline_id, caller) : await planOf(ctx, caller, request)
    const answer = await ctx.orchestrator.start({ ...plan, ...(key ? { idempotency: key } : {}) })
    if (!answer.ok) throw refusal(answer.rejection)
    return { execution_id: answer.executionId, status: answer.status }
  },
})

type Plan = Omit<StartRequest, 'idempotency'>

function emptyPlan(pipelineId: string, caller: Caller): Plan {
  const actor = { name: caller.name, roles: caller.roles }
  return { pipelineId, revision: 0, inputs: {}, actor, priority: 0, labels: {}, mocks: {} }
}

async function planOf(
  ctx: OperationContext,
  caller: Caller,
  request: Omit<z.output<typeof startRequest>, 'idempotency_key'>,
): Promise<Plan> {
  const row = await ctx.pipelines.get(request.pipeline_id)
  if (!row) throw missing('pipeline', request.pipeline_id)
  const revision = request.revision ?? row.revision
  const pipeline = await ctx.orchestrator.pipeline(request.pipeline_id, revision)
  if (!pipeline) throw missing('revision', String(revision))
  const { definition } = pipeline
  const inputs = resolveInputs(definition.inputs ?? {}, request.inputs)
  if (!inputs.ok) {
    throw new DomainError(
      'invalid_inputs',
      'The inputs do not fit the pipeline: see the issues.',
      inputs.issues.map((issue) => ({
        ...issue,
        path: issue.path[0] === 'inputs' ? issue.path : ['inputs', ...issue.path],
      })),
    )
  }
  return {
    pipelineId: request.pipeline_id,
    revision,
    inputs: inputs.values as JsonObject,
    actor: { name: caller.name, roles: caller.roles },
    priority: request.priority ?? pipeline.priority,
    labels: { ...definition.labels, ...request.labels },
    mocks: (request.mocks ?? {}) as Plan['mocks'],
  }
}
