import { z } from 'zod'
import { control } from './control-execution'
import { operation } from './operation'
import { idField, idempotencyField } from './request-fields'

/** Resumes a paused run. On one that is not paused: unchanged; on one that is over: `execution_finished`. */
export const resumeExecution = operation({
  right: 'operate',
  request: z.strictObject({ execution_id: idField, idempotency_key: idempotencyField }),
  run: (ctx, caller, request) =>
    control(ctx, caller, 'resume_execution', request, (actor) => ({ type: 'resume', actor })),
})
