import { z } from 'zod'
import { control } from './control-execution'
import { operation } from './operation'
import { idField, idempotencyField } from './request-fields'

/** Cancels a run. Again on a cancelled one: unchanged; on one that ended otherwise: `execution_finished`. */
export const cancelExecution = operation({
  right: 'operate',
  request: z.strictObject({
    execution_id: idField,
    reason: z.string().max(2_000).nullable().optional(),
    idempotency_key: idempotencyField,
  }),
  run: (ctx, caller, request) =>
    control(ctx, caller, 'cancel_execution', request, (actor) => ({
      type: 'cancel',
      reason: request.reason ?? null,
      actor,
    })),
})
