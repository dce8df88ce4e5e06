import { z } from 'zod'
import { control, controlled } from './control-execution'
import { operation } from './operation'
import { idField, idempotencyField } from './request-fields'

/** Resumes a paused run. On one that is not paused: unchanged; on one that is over: `execution_finished`. */
export const resumeExecution = operation({
  kind: 'command',
  summary: 'Resume an execution',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/resume' },
  request: z.strictObject({ execution_id: idField, idempotency_key: idempotencyField }),
  answer: controlled,
  errors: ['execution_finished', 'not_found', 'parent_paused', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8' }, answer: { execution_id: '01JDW3Q8', status: 'running' } },
  run: (ctx, caller, request) =>
    control(ctx, caller, request, {
      verb: 'resume_execution',
      input: (actor) => ({ type: 'resume', actor }),
    }),
})
