import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import type { ExecutionView } from '@/core/engine/view/view'
import { viewOf } from '@/core/engine/view/project'
import { operation } from './operation'
import { stateOf } from './execution-exists'
import { idField } from './request-fields'
import { exampleExecution, execution } from './schemas/execution'

const MOST_FORKS = 20

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
    const forks = await ctx.executions.forksOf(execution_id, MOST_FORKS)
    // The state moves on with every commit: it is asked for again after the waits.
    const current = (await ctx.runs.state(execution_id)) ?? state
    return {
      ...viewOf(current, ctx.clock.now(), { estimates, timeline }),
      forks: forks.map(({ executionId, revision, status, createdAt }) => ({
        execution_id: executionId,
        revision,
        status: status as ExecutionView['status'],
        created_at: formatInstant(createdAt),
      })),
    }
  },
})
