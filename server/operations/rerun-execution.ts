import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { z } from 'zod'
import { resetSetOf } from '@/core/engine/decide/reset'
import type { Rerun } from '@/core/engine/input'
import type { OperationContext } from './context'
import { stateOf } from './execution-exists'
import { keyed } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, nodeField } from './request-fields'

/**
 * Runs nodes again in the same run, with everything downstream; answers with exactly the nodes that are reset. `dry_run` answers the
 * same and changes nothing. Unknown nodes are `unknown_node`, all at once; `failed` where nothing failed is `nothing_to_rerun`;
 * a run that is being cancelled refuses.
 */
export const rerunExecution = operation({
  kind: 'command',
  summary: 'Run nodes again in the same execution',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/rerun' },
  request: z.strictObject({
    execution_id: idField,
    nodes: z.union([
      z.literal('failed'),
      z.array(nodeField).min(1).max(500, 'at most 500 nodes can be named; what follows them is added anyway'),
    ]),
    dry_run: z.boolean().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({ nodes: z.array(z.string()) }),
  errors: ['execution_finished', 'not_found', 'nothing_to_rerun', 'set_apart', 'unknown_node'],
  example: {
    request: { execution_id: '01JDW3Q8', nodes: ['extract'] },
    answer: { nodes: ['extract', 'publish'] },
  },
  run: async (ctx, caller, request): Promise<{ nodes: readonly string[] }> => {
    const { execution_id, nodes, dry_run } = request
    if (dry_run === true) return dryRun(ctx, execution_id, nodes)
    const key = keyed(ctx, caller, 'rerun_execution', request)
    const answer = await ctx.engine.submit({
      executionId: execution_id,
      input: { type: 'rerun', nodes, actor: caller },
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    const types = answer.entries.map(({ type }) => eventTypeOf(type))
    const resets = types.filter(({ level, word }) => level === 'node' && word === 'reset')
    return { nodes: resets.map(({ node }) => node) }
  },
})

async function dryRun(ctx: OperationContext, executionId: string, nodes: Rerun) {
  const set = resetSetOf(await stateOf(ctx, executionId), nodes)
  if (!set.ok) throw refusal(set.rejection)
  return { nodes: set.nodes }
}
