import { DRAFT_BEGINNING } from '@/server/ports/drafts'
import { z } from 'zod'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { draft, draftSummary } from './draft-summary'
import { operation } from './operation'
import { examplePipelineRevision, pipelineDocument, pipelineRevision } from './pipeline-document'
import { idField } from './request-fields'
import { holds } from './rights'

/**
 * What an editor begins with, read at once: the current revision, the caller's own draft, and the text that the draft began from
 * where that is another revision. Null for what is not there: a pipeline may be only a draft as yet.
 */
export const openPipeline = operation({
  kind: 'query',
  summary: 'Get what an editor begins with',
  right: 'read',
  rest: null,
  request: z.strictObject({ pipeline_id: idField }),
  answer: z.strictObject({
    caller: z.string(),
    may_edit: z.boolean(),
    pipeline: pipelineRevision.nullable(),
    draft: draft.nullable(),
    base: z.strictObject({ revision: z.int().min(1), yaml: z.string() }).nullable(),
  }),
  example: {
    request: { pipeline_id: 'seattle_weather' },
    answer: { caller: 'ada', may_edit: true, pipeline: examplePipelineRevision, draft: null, base: null },
  },
  run: async (ctx, caller, { pipeline_id }) => {
    const mayEdit = holds(caller, 'edit', { kind: 'pipeline', id: pipeline_id })
    const draft = mayEdit ? await ctx.drafts.get(caller.id, pipeline_id) : null
    const row = await ctx.pipelines.get(pipeline_id)
    const found = row === null ? null : await ctx.pipelines.revision(pipeline_id)
    const base =
      draft === null || found === null || draft.baseRevision === found.revision || draft.baseRevision === 0
        ? null
        : await ctx.pipelines.revision(pipeline_id, draft.baseRevision)
    return {
      caller: caller.name,
      may_edit: mayEdit,
      pipeline: row === null || found === null ? null : pipelineDocument(row, found),
      draft:
        draft === null
          ? null
          : { ...draftSummary(draft, draft.text.slice(0, DRAFT_BEGINNING)), text: draft.text },
      base:
        base === null ? null : { revision: base.revision, yaml: base.text ?? stringifyYaml(base.definition) },
    }
  },
})
