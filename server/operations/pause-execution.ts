import { z } from 'zod'
import { control, controlled } from './control-execution'
import { operation } from './operation'
import { idField, idempotencyField } from './request-fields'

/**
 * Pauses a run: nothing new starts. With `hard` the work in flight is stopped, and done again after the resume. Again on a paused
 * one: unchanged; on one that is over: `execution_finished`.
 */
export const pauseExecution = operation({
  kind: 'command',
  summary: 'Pause an execution',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/pause' },
  request: z.strictObject({
    execution_id: idField,
    reason: z.string().max(2_000).nullable().optional(),
    hard: z.boolean().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: controlled,
  errors: ['execution_finished', 'not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8' }, answer: { execution_id: '01JDW3Q8', status: 'paused' } },
  run: (ctx, caller, request) =>
    control(ctx, caller, request, {
      verb: 'pause_execution',
      input: (actor) => ({
        type: 'pause',
        reason: request.reason ?? null,
        hard: request.hard ?? false,
        actor,
      }),
    }),
})
