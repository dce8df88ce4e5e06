import { z } from 'zod'
import { isItemVariable } from '@/core/engine/decide/item-variable'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'
import { count, jsonValue } from './schemas/json'
import { valueRef } from './schemas/event'

/** The latest value of every variable of an execution, by name; outputs of single items only as the lists that they became.
 * A large value is a `ref`: the artifact of that id. */
export const listVariables = operation({
  kind: 'query',
  summary: 'List the latest value of every variable',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/variables' },
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({
    items: z.array(
      z.union([
        z.strictObject({ name: z.string(), value: jsonValue, seq: count }),
        z.strictObject({ name: z.string(), ref: valueRef, seq: count }),
      ]),
    ),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: { items: [{ name: 'extract.rows', value: 1461, seq: 9 }] },
  },
  run: async (ctx, _caller, { execution_id }) => {
    await executionRow(ctx, execution_id)
    const all = await ctx.variables.list(execution_id)
    const shown = all.filter(({ name }) => !isItemVariable(name))
    return {
      items: shown.map(({ name, value, ref, seq }) => (ref ? { name, ref, seq } : { name, value, seq })),
    }
  },
})
