import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/** How long the nodes of an execution took in earlier runs of its pipeline: median and P90 (null: too few runs), milliseconds. */
export const listEstimates = operation({
  kind: 'query',
  summary: 'Get durations of nodes in earlier runs',
  right: 'read',
  rest: null,
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({
    nodes: z.record(z.string(), z.strictObject({ p50: z.number(), p90: z.number().nullable() })),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: { nodes: { extract: { p50: 9112, p90: null } } },
  },
  run: async (ctx, _caller, { execution_id }) => {
    const { pipelineId } = await executionRow(ctx, execution_id)
    return { nodes: Object.fromEntries(await ctx.orchestrator.estimates(pipelineId)) }
  },
})
