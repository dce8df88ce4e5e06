import { z } from 'zod'
import { attemptSpanId, spanIdOf, traceOf } from '@/core/engine/trace'
import { stateOf } from './execution-exists'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'

/** Where a node is in the traces that the server sends: its ids, and a link to the tracing tool where the operator gave one. */
export const getNodeTrace = operation({
  kind: 'query',
  summary: 'Get the trace and the span of a node',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/nodes/:node_id/trace' },
  request: z.strictObject({ execution_id: idField, node_id: nodeField }),
  answer: z.strictObject({
    trace_id: z.string(),
    /** Of the node in its generation. */
    span_id: z.string(),
    /** Of its last attempt; null: it had none, or runs for each of a list. */
    attempt_span_id: z.string().nullable(),
    /** null: PENSTOCK_TRACE_LINK is not set. */
    url: z.string().nullable(),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8', node_id: 'publish' },
    answer: {
      trace_id: '5b8aa5a2d2c872e8321cf37308d69df2',
      span_id: '051581bf3cb55c13',
      attempt_span_id: '5fb397be34d26b51',
      url: 'https://jaeger.example/trace/5b8aa5a2d2c872e8321cf37308d69df2?uiFind=051581bf3cb55c13',
    },
  },
  run: async (ctx, _caller, { execution_id: executionId, node_id: node }) => {
    const state = await stateOf(ctx, executionId)
    const found = state.nodes.get(node)
    if (found === undefined) throw missing('node', node)
    const { generation, attempts: attempt, items } = found
    const { traceId } = traceOf(state)
    const spanId = spanIdOf(executionId, node, generation)
    return {
      trace_id: traceId,
      span_id: spanId,
      attempt_span_id:
        attempt === 0 || items !== null
          ? null
          : attemptSpanId(executionId, { node, generation, item: null, attempt }),
      url: ctx.traceLink?.replaceAll('{trace_id}', traceId).replaceAll('{span_id}', spanId) ?? null,
    }
  },
})
