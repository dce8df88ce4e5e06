import { z } from 'zod'
import { refuseSecrets } from './begin-run'
import { keyed } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, jsonObjectField } from './request-fields'

/**
 * A new execution from the state of another after a seq; 0 is from the start, with the same or with other inputs. Inputs and
 * revision are those of the old run unless they are given. Unknown execution or revision: `not_found`; a seq that it has not reached:
 * `unknown_seq`; inputs that do not fit: `invalid_inputs`.
 */
export const forkExecution = operation({
  kind: 'command',
  summary: 'Start an execution from the state of another',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/fork', status: 202 },
  request: z.strictObject({
    execution_id: idField,
    at_seq: z.int().min(0),
    inputs: jsonObjectField.optional(),
    revision: z.int().min(1).optional(),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({ execution_id: z.string(), status: z.string() }),
  errors: [
    'invalid_inputs',
    'not_found',
    'set_apart',
    'storage_full',
    'too_many_running',
    'unknown_mock',
    'unknown_seq',
  ],
  example: {
    request: { execution_id: '01JDW3Q8', at_seq: 12 },
    answer: { execution_id: '01JDW9ZZ', status: 'running' },
  },
  run: async (ctx, caller, request) => {
    refuseSecrets(request.inputs)
    const key = keyed(ctx, caller, 'fork_execution', request)
    const answer = await ctx.engine.fork({
      executionId: request.execution_id,
      atSeq: request.at_seq,
      ...(request.inputs === undefined ? {} : { inputs: request.inputs }),
      ...(request.revision === undefined ? {} : { revision: request.revision }),
      actor: caller,
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    return { execution_id: answer.executionId, status: answer.status }
  },
})
