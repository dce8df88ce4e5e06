import { z } from 'zod'
import { withCursor } from './cursor'
import { draftSummary, draftWithoutText, exampleDraftSummary } from './draft-summary'
import { operation } from './operation'
import { pageFields } from './request-fields'
import { pageOf } from './schemas/json'

/** The caller's own drafts in order of the pipeline's id, without their texts but with the names in them. */
export const listDrafts = operation({
  kind: 'query',
  summary: 'List your drafts',
  right: 'edit',
  rest: { method: 'GET', path: '/drafts' },
  request: z.strictObject(pageFields),
  answer: pageOf(draftWithoutText),
  example: { request: {}, answer: { items: [exampleDraftSummary], next_cursor: null } },
  run: async (ctx, caller, { limit, cursor }) => {
    const page = await withCursor(
      ctx.drafts.list(caller.id, { limit, ...(cursor === undefined ? {} : { cursor }) }),
    )
    return { items: page.items.map((row) => draftSummary(row, row.beginning)), next_cursor: page.nextCursor }
  },
})
