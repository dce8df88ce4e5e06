import { z } from 'zod'
import { expectedOutputs } from '@/core/engine/decide/by-hand'
import type { JsonObject } from '@/core/engine/event'
import type { ExecutionState } from '@/core/engine/state'
import { isRecord } from '@/core/pipeline/json'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { LIMITS } from '@/core/engine/event'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { stateOf } from './execution-exists'
import { keyed } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, jsonObjectField, nodeField } from './request-fields'
import { demandNoHiddenGates } from './rerun-execution'

/**
 * A person did the work of a node elsewhere and gives its outputs: it completes by hand, and the run goes on. Answers with the nodes
 * that are reset with it. Refused for approvals and what stands for one, and for a node that neither failed nor waits for a retry
 * (`not_completable`); outputs that do not fit are `invalid_outputs`, with every issue.
 */
export const completeNode = operation({
  kind: 'command',
  summary: 'Complete a failed node by hand',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/nodes/:node_id/complete' },
  request: z.strictObject({
    execution_id: idField,
    node_id: nodeField,
    outputs: jsonObjectField
      .default({})
      .meta({ description: 'Every output of the node, as others read them; of a `forEach` lists.' }),
    reason: z
      .string()
      .trim()
      .min(1)
      .max(LIMITS.textLength)
      .meta({ description: 'Why, for those who look later.' }),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({
    nodes: z
      .array(z.string())
      .meta({ description: 'The node, and those that are reset and rerun because of it.' }),
  }),
  errors: [
    'execution_finished',
    'invalid_outputs',
    'not_completable',
    'not_found',
    'payload_too_large',
    'set_apart',
    'too_many_running',
    'unknown_mock',
    'unknown_node',
  ],
  example: {
    request: {
      execution_id: '01JDW3Q8',
      node_id: 'extract',
      outputs: { rows: 1461 },
      reason: 'Loaded from the archive',
    },
    answer: { nodes: ['extract', 'publish'] },
  },
  run: async (ctx, caller, request) => {
    const { execution_id, node_id, outputs, reason } = request
    const state = await stateOf(ctx, execution_id)
    const runsOther = state.pipeline.nodes.get(node_id)?.child != null
    const subPipelines = runsOther ? await ctx.runs.subPipelines(state) : null
    await demandNoHiddenGates(ctx, execution_id)
    await demandFiles(ctx, state, { node: node_id, outputs: outputs as JsonObject })
    const key = keyed(ctx, caller, 'complete_node', request)
    const answer = await ctx.engine.submit({
      executionId: execution_id,
      input: {
        type: 'complete_by_hand',
        node: node_id,
        outputs: outputs as JsonObject,
        reason,
        actor: caller,
        ...(subPipelines === null ? {} : { subPipelines }),
      },
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    const nodes = answer.entries.flatMap(({ type }) => {
      const { level, node, word } = eventTypeOf(type)
      return level === 'node' && word === 'reset' ? [node] : []
    })
    if (!answer.repeated)
      await ctx.audit.append({
        at: ctx.clock.now(),
        actor: caller.name,
        actorId: caller.id,
        action: 'node.completed_by_hand',
        subject: `${execution_id}/${node_id}`,
        result: { reason },
      })
    return { nodes }
  },
})

/**
 * A file that an output names is one of the run: whoever reads it later would find none.
 * @throws DomainError `invalid_outputs`
 */
async function demandFiles(
  ctx: OperationContext,
  state: ExecutionState,
  { node, outputs }: { readonly node: string; readonly outputs: JsonObject },
): Promise<void> {
  const compiled = state.pipeline.nodes.get(node)
  if (compiled === undefined) return
  for (const [name, type] of expectedOutputs(compiled)) {
    if (type !== 'file') continue
    const value = Object.hasOwn(outputs, name) ? outputs[name] : null
    for (const file of Array.isArray(value) ? value : [value]) {
      const id = isRecord(file) ? file['artifact_id'] : null
      if (typeof id !== 'string' || (await ctx.artifacts.get(state.executionId, id)) !== null) continue
      const message = `the output '${name}' of '${node}' names a file that this execution does not have: ${id.slice(0, 80)}`
      throw new DomainError('invalid_outputs', message, [
        { path: ['outputs', name], code: 'unknown_file', message },
      ])
    }
  }
}
