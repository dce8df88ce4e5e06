import { z } from 'zod'
import type { JsonObject } from '@/core/engine/event'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { executionRow } from './execution-exists'
import { firstAnswer, keyed, type Idempotency } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, jsonObjectField } from './request-fields'
import { demand, holds, type Caller } from './rights'

/**
 * Publishes an external event to one execution [E-17, E-O3, R-20]. The types by which a gate is decided take no more than a
 * place on the gate's list, which the engine checks; every other type takes the right to operate.
 */
export const publishEvent = operation({
  right: 'decide',
  request: z.strictObject({
    execution_id: idField,
    event_type: z.string().min(1).max(300),
    payload: jsonObjectField.default({}),
    idempotency_key: idempotencyField,
  }),
  run: async (ctx, caller, { idempotency_key, ...request }) => {
    const key = keyed(ctx, caller, 'publish_event', idempotency_key, request)
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
  caller: Caller,
  event: { readonly executionId: string; readonly eventType: string; readonly payload: JsonObject },
  key: Idempotency | null,
): Promise<{ readonly id: string; readonly seq: number; readonly type: string }> {
  const repeated = (await firstAnswer(ctx, key)) !== null
  if (
    !repeated &&
    !holds(caller.roles, 'operate') &&
    !(await decidesGate(ctx, event.executionId, event.eventType))
  ) {
    demand(caller, 'operate')
  }
  const answer = await ctx.engine.submit({
    executionId: event.executionId,
    input: {
      type: 'publish_event',
      eventType: event.eventType,
      payload: event.payload,
      actor: { name: caller.name, roles: caller.roles },
    },
    ...(key ? { idempotency: key } : {}),
  })
  if (!answer.ok) throw refusal(answer.rejection)
  const first = answer.entries[0]
  if (!first) throw new Error(`publishing ${event.eventType} was acknowledged without an entry`)
  return first
}

async function decidesGate(ctx: OperationContext, executionId: string, eventType: string): Promise<boolean> {
  const gate = /^external\.([a-z0-9_]+)\.(?:approved|rejected)$/.exec(eventType)?.[1]
  return gate !== undefined && (await isApproval(ctx, executionId, gate)) === true
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
