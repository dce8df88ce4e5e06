import { z } from 'zod'
import { diffDefinitions } from '@/core/pipeline/diff/diff'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import type { OperationContext } from './context'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { difference } from './schemas/definition'

const revisionField = z.int().min(1)

/** What differs in what two revisions of a pipeline say, `from` being the one before; see `diffDefinitions`. */
export const diffRevisions = operation({
  kind: 'query',
  summary: 'Compare two revisions',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines/:pipeline_id/diff' },
  request: z.strictObject({ pipeline_id: idField, from: revisionField, to: revisionField }),
  answer: z.strictObject({ from: revisionField, to: revisionField, ...difference }),
  errors: ['not_found'],
  example: {
    request: { pipeline_id: 'seattle_weather', from: 1, to: 3 },
    answer: {
      from: 1,
      to: 3,
      pipeline: [{ path: ['name'], before: 'Weather', after: 'Seattle weather report' }],
      nodes: { added: ['publish'], removed: [], changed: [], moved: [], renamed: [] },
      triggers: { added: [], removed: [], changed: [] },
      notes: { added: [], removed: [], changed: [], moved: [] },
      rehearsals: { added: [], removed: [], changed: [] },
    },
  },
  run: async (ctx, _caller, { pipeline_id, from, to }) => {
    if (!(await ctx.pipelines.get(pipeline_id))) throw missing('pipeline', pipeline_id)
    const before = await definitionOf(ctx, pipeline_id, from)
    const after = await definitionOf(ctx, pipeline_id, to)
    return { from, to, ...diffDefinitions(before, after) }
  },
})

async function definitionOf(
  ctx: OperationContext,
  id: string,
  revision: number,
): Promise<PipelineDefinition> {
  const row = await ctx.pipelines.revision(id, revision)
  if (row === null) throw missing('revision', String(revision))
  return row.definition as unknown as PipelineDefinition
}
