import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { count, instantText } from './schemas/json'

const waiting = z
  .strictObject({
    execution_id: z.string(),
    pipeline_id: z.string(),
    node_id: z.string(),
    since: instantText,
    priority: z.number().meta({ description: 'Of the run and of the node together.' }),
    path_ms: z
      .number()
      .meta({ description: 'The critical path of its run from this node on, its own work included.' }),
    risk: z.number().meta({
      description: '0 to 1: declared complexity and impact, failure rate, and how much it demands.',
    }),
    waits_for: z.strictObject({
      pool: z.string(),
      reason: z.enum(['full', 'behind_others', 'too_large']).meta({
        description:
          'full: others hold it; behind_others: there is room, and those before it need it; too_large: the whole pool is smaller.',
      }),
      amount: z.number(),
      in_use: z.number(),
      capacity: z.number(),
    }),
  })
  .meta({ id: 'QueuedNode' })

/** Nodes that wait for a pool, in the order in which they go, with the pool that each of them lacks [H-5]. */
export const listQueue = operation({
  kind: 'query',
  summary: 'List nodes that wait for a pool',
  right: 'read',
  rest: { method: 'GET', path: '/queue' },
  request: z.strictObject({ limit: z.int().min(1).max(250).default(50) }),
  answer: z.strictObject({
    items: z.array(waiting),
    total: count.meta({ description: 'How many wait, also those that are not listed.' }),
  }),
  example: {
    request: {},
    answer: {
      items: [
        {
          execution_id: '01JDW3Q8',
          pipeline_id: 'training',
          node_id: 'train',
          since: '2026-01-31T08:00:00.000Z',
          priority: 5,
          path_ms: 720_000,
          risk: 0.4,
          waits_for: { pool: 'gpu', reason: 'full', amount: 1, in_use: 10, capacity: 10 },
        },
      ],
      total: 1,
    },
  },
  run: async (ctx, _caller, { limit }) => {
    const { total, items } = ctx.runs.queue(limit)
    return {
      total,
      items: items.map(({ executionId, pipelineId, nodeId, queuedAt, priority, path, risk, lacks }) => ({
        execution_id: executionId,
        pipeline_id: pipelineId,
        node_id: nodeId,
        since: formatInstant(queuedAt),
        priority,
        path_ms: path,
        risk,
        waits_for: {
          pool: lacks.pool,
          reason: lacks.reason,
          amount: lacks.amount,
          in_use: lacks.used,
          capacity: lacks.capacity,
        },
      })),
    }
  },
})
