import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/** How long the nodes of an execution took in earlier runs of its pipeline: median and P90 (null: too few runs), milliseconds. */
export const listEstimates = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField }),
  run: async (ctx, _caller, { execution_id }) => {
    const { pipelineId } = await executionRow(ctx, execution_id)
    return { nodes: Object.fromEntries(await ctx.runs.estimates(pipelineId)) }
  },
})
