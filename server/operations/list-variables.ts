import { z } from 'zod'
import { isItemVariable } from '@/core/engine/decide/item-variable'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/** The latest value of every variable of an execution, by name; outputs of single items only as the lists that they became.
 * A large value is told by `ref`: it is the artifact of that id. */
export const listVariables = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField }),
  run: async (ctx, _caller, { execution_id }) => {
    await executionRow(ctx, execution_id)
    const all = await ctx.variables.list(execution_id)
    const shown = all.filter(({ name }) => !isItemVariable(name))
    return {
      items: shown.map(({ name, value, ref, seq }) => (ref ? { name, ref, seq } : { name, value, seq })),
    }
  },
})
