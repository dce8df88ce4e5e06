import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Discards the caller's own draft of a pipeline; with `if_match` only the version that the caller saw. */
export const deleteDraft = operation({
  kind: 'command',
  summary: 'Discard your draft of a pipeline',
  right: 'edit',
  rest: { method: 'DELETE', path: '/pipelines/:pipeline_id/draft' },
  request: z.strictObject({ pipeline_id: idField, if_match: z.int().min(1).optional() }),
  answer: z.null(),
  errors: ['not_found'],
  example: { request: { pipeline_id: 'seattle_weather' }, answer: null },
  run: async (ctx, caller, { pipeline_id, if_match }) => {
    if (!(await ctx.drafts.remove(caller.id, pipeline_id, if_match)))
      throw missing('draft of pipeline', pipeline_id)
    return null
  },
})
