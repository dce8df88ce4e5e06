import { z } from 'zod'
import { draftSummary } from './draft-summary'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** The caller's own draft of a pipeline; nobody else's is visible. */
export const getDraft = operation({
  right: 'edit',
  request: z.strictObject({ pipeline_id: idField }),
  run: async (ctx, caller, { pipeline_id }) => {
    const row = await ctx.drafts.get(caller.id, pipeline_id)
    if (row === null) throw missing('draft of pipeline', pipeline_id)
    return { ...draftSummary(row), text: row.text }
  },
})
