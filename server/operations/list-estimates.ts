import { z } from 'zod'
import { stateOf } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/**
 * What the end of an execution is expected by: how long its nodes took in earlier runs of its pipeline, median and P90 (null: too few
 * runs), milliseconds; and how much of each pool it may have beside the other runs.
 */
export const listEstimates = operation({
  kind: 'query',
  summary: 'Get durations of nodes in earlier runs',
  right: 'read',
  rest: null,
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({
    nodes: z.record(z.string(), z.strictObject({ p50: z.number(), p90: z.number().nullable() })),
    places: z.record(z.string(), z.number()),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: { nodes: { extract: { p50: 9112, p90: null } }, places: { slots: 100, children: 4 } },
  },
  run: async (ctx, _caller, { execution_id }) => {
    const state = await stateOf(ctx, execution_id)
    const estimates = await ctx.runs.estimates(state.pipeline.definition.id)
    const current = (await ctx.runs.state(execution_id)) ?? state
    return {
      nodes: Object.fromEntries(estimates),
      places: Object.fromEntries(ctx.runs.places(current)),
    }
  },
})
