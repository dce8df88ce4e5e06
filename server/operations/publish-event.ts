import type { Principal } from '@/core/engine/principal'
import { z } from 'zod'
import type { JsonObject } from '@/core/engine/event'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { executionRow } from './execution-exists'
import { keyed, type Idempotency } from './idempotency'
import { operation, type RightByRequest } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, jsonObjectField } from './request-fields'

/** The events that decide an approval ask for no more than a voice; the engine then looks whether the approval lists the caller. */
const rightToPublish: RightByRequest<{ readonly execution_id: string; readonly event_type: string }> = {
  among: ['decide', 'operate'],
  description: 'decide for the events that decide an approval of the execution, operate for all others',
  of: async (ctx, { execution_id, event_type }) => {
    const gate = /^external\.([a-z0-9_]+)\.(?:approved|rejected)$/.exec(event_type)?.[1]
    if (gate === undefined) return 'operate'
    // Nothing can be published to an execution that is gone: the engine says so, or repeats its first answer.
    if ((await ctx.executions.get(execution_id)) === null) return 'decide'
    return (await isApproval(ctx, execution_id, gate)) === true ? 'decide' : 'operate'
  },
}

/**
 * Publishes an external event to one execution [E-17, E-O3, R-20]. The types by which a gate is decided take no more than a
 * place on the gate's list, which the engine checks; every other type takes the right to operate.
 */
export const publishEvent = operation({
  kind: 'command',
  summary: 'Publish an external event',
  right: rightToPublish,
  rest: { method: 'POST', path: '/events', status: 202, keyInBody: true },
  request: z.strictObject({
    execution_id: idField,
    event_type: z.string().min(1).max(300),
    payload: jsonObjectField.default({}),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({ event_id: z.string(), seq: z.int().min(1) }),
  errors: [
    'already_decided',
    'execution_finished',
    'invalid_event_type',
    'invalid_form',
    'not_an_approver',
    'not_found',
    'not_waiting',
    'payload_too_large',
    'set_apart',
  ],
  example: {
    request: { execution_id: '01JDW3Q8', event_type: 'external.data_ready', payload: { rows: 3 } },
    answer: { event_id: '01JDW3Q8.12', seq: 12 },
  },
  run: async (ctx, caller, request) => {
    const key = keyed(ctx, caller, 'publish_event', request)
    const published = await publish(
      ctx,
      caller,
      {
        executionId: request.execution_id,
        eventType: request.event_type,
        payload: request.payload as JsonObject,
      },
      key,
    )
    return { event_id: published.id, seq: published.seq }
  },
})

/** The one way in for external events, whatever door they come through. Answers with the durable event's identity. */
export async function publish(
  ctx: OperationContext,
  caller: Principal,
  event: { readonly executionId: string; readonly eventType: string; readonly payload: JsonObject },
  key: Idempotency | null,
): Promise<{ readonly id: string; readonly seq: number; readonly type: string }> {
  const answer = await ctx.engine.submit({
    executionId: event.executionId,
    input: {
      type: 'publish_event',
      eventType: event.eventType,
      payload: event.payload,
      actor: caller,
    },
    ...(key ? { idempotency: key } : {}),
  })
  if (!answer.ok) throw refusal(answer.rejection)
  const first = answer.entries[0]
  if (!first) throw new Error(`publishing ${event.eventType} was acknowledged without an entry`)
  return first
}

/** Whether the node of that id is an approval; null when the execution's pipeline has no such node. */
export async function isApproval(
  ctx: OperationContext,
  executionId: string,
  nodeId: string,
): Promise<boolean | null> {
  const row = await executionRow(ctx, executionId)
  const pipeline = await ctx.runs.pipeline(row.pipelineId, row.revision)
  if (pipeline === null) {
    const gone = `This run cannot go on: its revision ${row.revision} of "${row.pipelineId}" is not there any more.`
    throw new DomainError('set_apart', gone)
  }
  const node = pipeline.nodes.get(nodeId)
  return node ? node.kind === 'approval' : null
}
