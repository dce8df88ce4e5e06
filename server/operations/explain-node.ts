import { z } from 'zod'
import { explain } from '@/core/engine/view/explain'
import type { Explanation } from '@/core/engine/view/view'
import { operation } from './operation'
import { stateOf } from './execution-exists'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'
import { exampleExplanation, explanation } from './schemas/explanation'

/** Why a node is, or is not, running: its gate leaf by leaf, then the slots that it competes for. */
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
    const { slots, inUse, queued } = ctx.runs.admission()
    const position = queued.findIndex(
      (entry) => entry.executionId === execution_id && entry.nodeId === node_id,
    )
    const running = ctx.runs.runsOf(state.pipeline.definition.id)
    return explain(state, node_id, {
      scheduling: { slots, slots_in_use: inUse, position: position < 0 ? null : position + 1 },
      holders: running.waiting.includes(execution_id) ? running.holders : [],
    })
  },
})
