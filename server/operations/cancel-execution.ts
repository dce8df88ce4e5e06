import { z } from 'zod'
import { executionRow } from './execution-exists'
import { keyed } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField } from './request-fields'

/** Cancels a run. Again on a cancelled one: unchanged; on one that ended otherwise: `execution_finished`. */
export const cancelExecution = operation({
  right: 'operate',
  request: z.strictObject({
    execution_id: idField,
    reason: z.string().max(2_000).nullable().optional(),
    idempotency_key: idempotencyField,
  }),
  run: async (ctx, caller, { execution_id, reason, idempotency_key }) => {
    const key = keyed(caller, 'cancel_execution', idempotency_key, { execution_id, reason })
    const answer = await ctx.orchestrator.submit({
      executionId: execution_id,
      input: { type: 'cancel', reason: reason ?? null, actor: { name: caller.name, roles: caller.roles } },
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    const row = await executionRow(ctx, execution_id)
    return { execution_id, status: row.status }
  },
})
