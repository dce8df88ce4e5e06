import { z } from 'zod'
import { explain } from '@/core/engine/view/explain'
import type { Demand } from '@/core/pipeline/definition/demand'
import type { ExecutionState } from '@/core/engine/state'
import type { Explanation, PoolView } from '@/core/engine/view/view'
import { orderText } from '@/core/scheduling/order-text'
import type { OperationContext } from './context'
import { operation } from './operation'
import { holdersOf } from './pool-holders'
import { stateOf } from './execution-exists'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'
import { unreachableText } from './unreachable-approvals'
import { exampleExplanation, explanation } from './schemas/explanation'

/** Why a node is, or is not, running: its gate leaf by leaf, then the pools that it competes for, and who holds them. */
export const explainNode = operation({
  kind: 'query',
  summary: 'Explain why a node is, or is not, running',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/nodes/:node_id/explain' },
  request: z.strictObject({ execution_id: idField, node_id: nodeField }),
  answer: explanation,
  errors: ['not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8', node_id: 'publish' }, answer: exampleExplanation },
  run: async (ctx, _caller, { execution_id, node_id }): Promise<Explanation> => {
    const state = await stateOf(ctx, execution_id)
    if (!state.pipeline.nodes.has(node_id)) throw missing('node', node_id)
    const unbegun = [...state.inFlight.values()].find(
      ({ node, beginBy }) => node === node_id && beginBy !== null,
    )
    const preparation = unbegun === undefined ? null : ctx.runs.preparation(execution_id, unbegun)
    const running = ctx.runs.runsOf(state.pipeline.definition.id)
    return explain(state, node_id, {
      scheduling: await schedulingOf(ctx, state, node_id),
      holders: running.waiting.includes(execution_id) ? running.holders : [],
      preparation,
      unreachable: await unreachableOf(ctx, state, node_id),
    })
  },
})

/** Why the approval is never given, where that is so. */
async function unreachableOf(ctx: OperationContext, state: ExecutionState, nodeId: string) {
  const node = state.nodes.get(nodeId)
  if (node?.status !== 'waiting' || node.approval === null) return null
  return unreachableText(ctx, state.executionId, nodeId, await ctx.people.list())
}

/** Who stands further behind in the queue has no position. */
const MOST_LOOKED_AT = 1_000

/** How the pools stand for which the node waits; null: it waits for none. */
async function schedulingOf(
  ctx: OperationContext,
  state: ExecutionState,
  nodeId: string,
): Promise<Explanation['scheduling']> {
  const { slots, inUse } = ctx.runs.admission()
  const { items: queued } = ctx.runs.queue(MOST_LOOKED_AT)
  const at = queued.findIndex((entry) => entry.executionId === state.executionId && entry.nodeId === nodeId)
  if (at < 0 && state.nodes.get(nodeId)?.status !== 'queued') return null
  const pools = []
  for (const demand of state.pipeline.nodes.get(nodeId)!.demands) pools.push(await poolView(ctx, demand))
  const [own, behind] = [queued[at], queued[at + 1]]
  const order = own === undefined || behind === undefined ? null : orderText(own, behind)
  return { slots, slots_in_use: inUse, position: at < 0 ? null : at + 1, order, pools }
}

async function poolView(ctx: OperationContext, { pool, amount }: Demand): Promise<PoolView> {
  const { capacity, used, waiting } = ctx.runs.poolOf(pool)
  return { pool, amount, capacity, in_use: used, waiting, ...(await holdersOf(ctx, pool)) }
}
