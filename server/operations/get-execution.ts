import { z } from 'zod'
import { viewOf } from '@/core/engine/view/project'
import { operation } from './operation'
import { stateOf } from './execution-exists'
import { forksOf } from './list-forks'
import { idField } from './request-fields'
import { exampleExecution, execution } from './schemas/execution'

/** Everything that people see of one execution: the fold of its journal, projected. */
export const getExecution = operation({
  kind: 'query',
  summary: 'Get an execution',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id' },
  request: z.strictObject({ execution_id: idField }),
  answer: execution,
  errors: ['not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8' }, answer: exampleExecution },
  run: async (ctx, _caller, { execution_id }) => {
    const state = await stateOf(ctx, execution_id)
    const estimates = await ctx.runs.estimates(state.pipeline.definition.id)
    const timeline = await ctx.runs.timeline(state)
    const forks = await forksOf(ctx, execution_id)
    // The state moves on with every commit: it is asked for again after the waits.
    const current = (await ctx.runs.state(execution_id)) ?? state
    const capacities = ctx.runs.places(current)
    return {
      ...viewOf(current, ctx.clock.now(), { estimates, timeline, capacities }),
      forks,
    }
  },
})
