import { z } from 'zod'
import { DomainError } from './domain-error'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Takes a pipeline out of the lists; its executions and revisions stay readable. Refused while executions of it are open. */
export const deletePipeline = operation({
  kind: 'command',
  summary: 'Delete a pipeline',
  right: 'edit',
  rest: { method: 'DELETE', path: '/pipelines/:pipeline_id' },
  request: z.strictObject({ pipeline_id: idField }),
  answer: z.null(),
  errors: ['not_found', 'pipeline_running'],
  example: { request: { pipeline_id: 'seattle_weather' }, answer: null },
  run: async (ctx, _caller, { pipeline_id }) => {
    if (!(await ctx.pipelines.get(pipeline_id))) throw missing('pipeline', pipeline_id)
    const open = await ctx.executions.openCountOf(pipeline_id)
    if (open > 0) {
      throw new DomainError(
        'pipeline_running',
        `Executions of "${pipeline_id}" have not ended (${open}): wait for them or cancel them first.`,
      )
    }
    if (!(await ctx.pipelines.remove(pipeline_id))) throw missing('pipeline', pipeline_id)
    ctx.orchestrator.pipelineChanged(pipeline_id)
    return null
  },
})
