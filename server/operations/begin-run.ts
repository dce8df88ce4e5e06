import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { secretsInInputs } from '@/core/pipeline/check/secret-references'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { Json, JsonObject } from '@/core/engine/event'
import type { StartRequest } from '@/server/orchestrator/contract'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { firstAnswer, type Idempotency } from './idempotency'
import { refusal } from './refusal'

/** `skipped`: no run was begun, because the pipeline runs as often as it may and says `whenFull: skip`. */
export type Begun = { readonly execution_id: string | null; readonly status: string }

/**
 * Values for the inputs of a pipeline, whoever gives them [N-O7, R-83].
 * @throws DomainError `invalid_inputs` with every problem at once
 */
export function inputsFor(pipeline: CompiledPipeline, given: unknown): JsonObject {
  const inputs = resolveInputs(pipeline.definition.inputs ?? {}, given)
  if (inputs.ok) return inputs.values as JsonObject
  const issues = inputs.issues.map((issue) => ({ ...issue, path: ['inputs', ...issue.path] }))
  throw new DomainError('invalid_inputs', 'The inputs do not fit the pipeline: see the issues.', issues)
}

/**
 * Inputs that a person gives: the name of a secret would be handed on as this text, because no task reads secrets yet.
 * @throws DomainError `invalid_inputs`
 */
export function refuseSecrets(inputs: unknown): void {
  const issues = secretsInInputs(inputs)
  if (issues[0] !== undefined)
    throw new DomainError('invalid_inputs', `The inputs name a secret: ${issues[0].message}.`, issues)
}

/**
 * Starts a run that `plan` describes; it is durable before the answer. A repeated key gets the first answer before anything
 * else is looked at, also when nothing was begun.
 */
export async function beginRun(
  ctx: OperationContext,
  key: Idempotency | null,
  plan: () => Promise<Omit<StartRequest, 'idempotency'>>,
): Promise<Begun> {
  const first = await firstAnswer(ctx, key)
  if (first !== null) return begun(first as FirstAnswer)
  const request = await plan()
  const answer = await ctx.engine.start({ ...request, ...(key ? { idempotency: key } : {}) })
  if (answer.ok) return begun(answer)
  if (answer.rejection.code !== 'too_many_running' || ctx.runs.runsOf(request.pipelineId).whenFull !== 'skip')
    throw refusal(answer.rejection)
  const skipped: FirstAnswer = { executionId: null, status: 'skipped' }
  if (key) await ctx.idempotency.save({ ...key, answer: skipped as Json })
  return begun(skipped)
}

type FirstAnswer = { readonly executionId: string | null; readonly status: string }

function begun({ executionId, status }: FirstAnswer): Begun {
  return { execution_id: executionId, status }
}
