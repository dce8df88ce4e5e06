import { z } from 'zod'
import { control, controlled } from './control-execution'
import { operation } from './operation'
import { idField, idempotencyField } from './request-fields'

/** Cancels a run. Again on a cancelled one: unchanged; on one that ended otherwise: `execution_finished`. */
export const cancelExecution = operation({
  kind: 'command',
  summary: 'Cancel an execution',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/cancel' },
  request: z.strictObject({
    execution_id: idField,
    reason: z.string().max(2_000).nullable().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: controlled,
  errors: ['execution_finished', 'not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: { execution_id: '01JDW3Q8', status: 'cancelled' },
  },
  run: (ctx, caller, request) =>
    control(ctx, caller, request, {
      verb: 'cancel_execution',
      input: (actor) => ({
        type: 'cancel',
        reason: request.reason ?? null,
        actor,
      }),
    }),
})
