import { z } from 'zod'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField } from './request-fields'

/** What a fork without new inputs would take over and run; refused as the fork itself would be. */
export const previewFork = operation({
  kind: 'query',
  summary: 'What a fork would do',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/fork' },
  request: z.strictObject({
    execution_id: idField,
    at_seq: z.int().min(0),
    revision: z.int().min(1).optional(),
  }),
  answer: z.strictObject({
    revision: z.int().min(1),
    reused: z.array(z.string()).meta({ description: 'Nodes whose results the new execution takes over.' }),
    again: z.array(z.string()).meta({ description: 'Nodes that it runs.' }),
  }),
  errors: ['invalid_inputs', 'not_found', 'set_apart', 'unknown_seq'],
  example: {
    request: { execution_id: '01JDW3Q8', at_seq: 12, revision: 4 },
    answer: { revision: 4, reused: ['extract'], again: ['publish'] },
  },
  run: async (ctx, _caller, { execution_id, at_seq, revision }) => {
    const preview = await ctx.engine.previewFork({
      executionId: execution_id,
      atSeq: at_seq,
      ...(revision === undefined ? {} : { revision }),
    })
    if (!preview.ok) throw refusal(preview.rejection)
    const { reused, again } = preview
    return { revision: preview.revision, reused, again }
  },
})
