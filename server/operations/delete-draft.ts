import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Discards the caller's own draft of a pipeline. */
export const deleteDraft = operation({
  right: 'edit',
  request: z.strictObject({ pipeline_id: idField }),
  run: async (ctx, caller, { pipeline_id }) => {
    if (!(await ctx.drafts.remove(caller.name, pipeline_id))) throw missing('draft of pipeline', pipeline_id)
    return null
  },
})
