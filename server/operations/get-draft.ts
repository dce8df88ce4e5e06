import { DRAFT_BEGINNING } from '@/server/ports/drafts'
import { z } from 'zod'
import { draft, draftSummary, exampleDraft } from './draft-summary'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** The caller's own draft of a pipeline; nobody else's is visible. */
export const getDraft = operation({
  kind: 'query',
  summary: 'Get your draft of a pipeline',
  right: 'edit',
  rest: { method: 'GET', path: '/pipelines/:pipeline_id/draft' },
  request: z.strictObject({ pipeline_id: idField }),
  answer: draft,
  errors: ['not_found'],
  example: { request: { pipeline_id: 'seattle_weather' }, answer: exampleDraft },
  run: async (ctx, caller, { pipeline_id }) => {
    const row = await ctx.drafts.get(caller.id, pipeline_id)
    if (row === null) throw missing('draft of pipeline', pipeline_id)
    return { ...draftSummary(row, row.text.slice(0, DRAFT_BEGINNING)), text: row.text }
  },
})
