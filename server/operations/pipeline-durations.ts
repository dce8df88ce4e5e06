import { z } from 'zod'
import { historyOf, type NodeProfile } from '@/core/engine/timeline/run-profile'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { count, instantText } from './schemas/json'
import { nodeStatus } from './schemas/execution'

/** Nodes that are listed: those that added most to the critical paths. */
const MOST_NODES = 100

/**
 * How long the nodes of a pipeline took in the runs of it that were closed last, and what they added to the critical paths. The runs
 * are newest first, and so are the cells of each node. `critical_ms`: what all nodes together added. `pending`: runs that were not looked at yet; who asks again gets more.
 */
export const pipelineDurations = operation({
  kind: 'query',
  summary: 'Get durations of nodes in the latest executions',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines/:pipeline_id/durations' },
  request: z.strictObject({ pipeline_id: idField, limit: z.int().min(1).max(50).default(50) }),
  answer: z.strictObject({
    runs: z.array(
      z.strictObject({
        execution_id: z.string(),
        revision: z.int().min(1),
        status: z.string(),
        handled_failures: count,
        mocked: z.boolean(),
        created_at: instantText,
        started_at: instantText.nullable(),
        finished_at: instantText.nullable(),
      }),
    ),
    nodes: z.array(
      z.strictObject({
        node_id: z.string(),
        median_ms: z.number().nullable(),
        critical: z.strictObject({
          runs: count,
          run_ms: z.number(),
          queue_ms: z.number(),
          wait_ms: z.number(),
        }),
        cells: z.array(
          z
            .strictObject({ status: nodeStatus, attempts: count, duration_ms: z.number().nullable() })
            .nullable(),
        ),
      }),
    ),
    nodes_total: count,
    critical_ms: z.number(),
    pending: count,
    unreadable: count,
  }),
  errors: ['not_found'],
  example: {
    request: { pipeline_id: 'seattle_weather', limit: 1 },
    answer: {
      runs: [
        {
          execution_id: '01JDW3Q8',
          revision: 3,
          status: 'completed',
          handled_failures: 0,
          mocked: false,
          created_at: '2026-01-31T06:00:00.000Z',
          started_at: '2026-01-31T06:00:00.004Z',
          finished_at: '2026-01-31T06:00:09.120Z',
        },
      ],
      nodes: [
        {
          node_id: 'extract',
          median_ms: 9112,
          critical: { runs: 1, run_ms: 9112, queue_ms: 0, wait_ms: 0 },
          cells: [{ status: 'completed', attempts: 1, duration_ms: 9112 }],
        },
      ],
      nodes_total: 1,
      critical_ms: 9112,
      pending: 0,
      unreadable: 0,
    },
  },
  run: async (ctx, _caller, { pipeline_id, limit }) => {
    if (!(await ctx.pipelines.get(pipeline_id))) throw missing('pipeline', pipeline_id)
    const { runs, pending, unreadable } = await ctx.runs.profiles(pipeline_id, limit)
    const known = runs.flatMap(({ row, profile }) => (profile === null ? [] : [{ row, profile }]))
    const nodes = historyOf(known.map(({ profile }) => profile))
    return {
      runs: known.map(({ row }) => ({
        execution_id: row.executionId,
        revision: row.revision,
        status: row.status,
        handled_failures: row.handledFailures,
        mocked: row.mocked,
        created_at: formatInstant(row.createdAt),
        started_at: formatInstantOrNull(row.startedAt),
        finished_at: formatInstantOrNull(row.finishedAt),
      })),
      nodes: nodes.slice(0, MOST_NODES).map(({ id, median, onPath, run, queue, wait, cells }) => ({
        node_id: id,
        median_ms: median,
        critical: { runs: onPath, run_ms: run, queue_ms: queue, wait_ms: wait },
        cells: cells.map((cell) => (cell === null ? null : cellOf(cell))),
      })),
      nodes_total: nodes.length,
      critical_ms: nodes.reduce((sum, { run, queue, wait }) => sum + run + queue + wait, 0),
      pending,
      unreadable,
    }
  },
})

const cellOf = ({ status, attempts, duration }: NodeProfile) => ({ status, attempts, duration_ms: duration })
