import { z } from 'zod'
import { operation } from './operation'
import { examplePipelineRevision, pipelineDocument, pipelineRevision } from './pipeline-document'
import { missing } from './refusal'
import { idField } from './request-fields'

/**
 * One revision (the current one by default) with its definition, as data and as YAML: the author's own text with comments where
 * it came as YAML.
 */
export const getPipeline = operation({
  kind: 'query',
  summary: 'Get a pipeline, as JSON or YAML',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines/:pipeline_id', yaml: true },
  request: z.strictObject({ pipeline_id: idField, revision: z.int().min(1).optional() }),
  answer: pipelineRevision,
  errors: ['not_found'],
  example: { request: { pipeline_id: 'seattle_weather' }, answer: examplePipelineRevision },
  run: async (ctx, _caller, { pipeline_id, revision }) => {
    const row = await ctx.pipelines.get(pipeline_id)
    if (!row) throw missing('pipeline', pipeline_id)
    const found = await ctx.pipelines.revision(pipeline_id, revision)
    if (!found) throw missing('revision', String(revision))
    return pipelineDocument(row, found)
  },
})
