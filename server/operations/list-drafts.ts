import { z } from 'zod'
import { withCursor } from './cursor'
import { draftSummary } from './draft-summary'
import { operation } from './operation'
import { pageFields } from './request-fields'

/** The caller's own drafts in order of the pipeline's id, without their texts. */
export const listDrafts = operation({
  right: 'edit',
  request: z.strictObject(pageFields),
  run: async (ctx, caller, { limit, cursor }) => {
    const page = await withCursor(
      ctx.drafts.list(caller.id, { limit, ...(cursor === undefined ? {} : { cursor }) }),
    )
    return { items: page.items.map(draftSummary), next_cursor: page.nextCursor }
  },
})
