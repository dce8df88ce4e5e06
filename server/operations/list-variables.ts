import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/** The latest value of every variable of an execution, by name. */
export const listVariables = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField }),
  run: async (ctx, _caller, { execution_id }) => {
    await executionRow(ctx, execution_id)
    return { items: await ctx.variables.list(execution_id) }
  },
})
