import { z } from 'zod'
import type { Estimates } from '@/core/engine/timeline/expectation'
import { historyOf, type NodeHistory, type NodeProfile } from '@/core/engine/timeline/run-profile'
import type { Savings } from '@/core/engine/timeline/savings'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { count, instantText } from './schemas/json'
import { nodeStatus } from './schemas/execution'

/** Nodes that are listed: those that added most to the critical paths. */
const MOST_NODES = 100
/** Siblings that are named of one group. */
const MOST_SIBLINGS = 20

/**
 * How long the nodes of a pipeline took in the runs of it that were closed last, and what they added to the critical paths. The runs
 * are newest first, and so are the cells of each node. `critical_ms`: what all nodes together added. `pending`: runs that were not looked at yet; who asks again gets more.
 *
 * `savings`: what a run of the latest revision would gain, by the median durations and the slots of this server: from each node, or group of
 * siblings, that took no time, and from more slots; what saves most first. `alone`: of siblings the one that saves most by itself. null
 * while runs are pending, or before the first one.
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
        error: z.strictObject({ kind: z.string(), message: z.string() }).nullable(),
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
    savings: z
      .strictObject({
        total_ms: z.number(),
        nodes: z.array(
          z.strictObject({
            node_ids: z.array(z.string()),
            nodes_total: count,
            saving_ms: z.number(),
            work_ms: z.number(),
            alone: z.strictObject({ node_id: z.string(), saving_ms: z.number() }).nullable(),
          }),
        ),
        places: z.array(
          z.strictObject({
            pool: z.string(),
            amount: z.number(),
            twice_saving_ms: z.number(),
            enough: z.number(),
            enough_saving_ms: z.number(),
          }),
        ),
      })
      .nullable(),
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
          error: null,
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
      savings: {
        total_ms: 9112,
        nodes: [{ node_ids: ['extract'], nodes_total: 1, saving_ms: 9112, work_ms: 9112, alone: null }],
        places: [],
      },
      pending: 0,
      unreadable: 0,
    },
  },
  run: async (ctx, _caller, { pipeline_id, limit }) => {
    const row = await ctx.pipelines.get(pipeline_id)
    if (row === null) throw missing('pipeline', pipeline_id)
    const { runs, pending, unreadable } = await ctx.runs.profiles(pipeline_id, limit)
    const known = runs.flatMap(({ row, profile }) => (profile === null ? [] : [{ row, profile }]))
    const nodes = historyOf(known.map(({ profile }) => profile))
    const latest = pending > 0 ? null : await ctx.runs.pipeline(pipeline_id, row.revision)
    const savings =
      latest === null || known.length === 0 ? null : await ctx.runs.savings(latest, durationsOf(nodes))
    return {
      savings: savings === null ? null : savingsView(savings),
      runs: known.map(({ row }) => ({
        execution_id: row.executionId,
        revision: row.revision,
        status: row.status,
        handled_failures: row.handledFailures,
        mocked: row.mocked,
        error: row.error,
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

/** A node that was there and never completed takes no time; of one that is new nothing is known yet. */
const durationsOf = (nodes: readonly NodeHistory[]): Estimates =>
  new Map(nodes.map(({ id, median, items }) => [id, { p50: median ?? 0, p90: null, items }] as const))

const savingsView = ({ total, nodes, places }: Savings) => ({
  total_ms: Math.round(total),
  nodes: nodes.map(({ nodes: ids, saving, work, alone }) => ({
    node_ids: ids.slice(0, MOST_SIBLINGS),
    nodes_total: ids.length,
    saving_ms: Math.round(saving),
    work_ms: Math.round(work),
    alone: alone === null ? null : { node_id: alone.node, saving_ms: Math.round(alone.saving) },
  })),
  places: places.map(({ pool, amount, saving, enough, enoughSaving }) => ({
    pool,
    amount,
    twice_saving_ms: Math.round(saving),
    enough,
    enough_saving_ms: Math.round(enoughSaving),
  })),
})

const cellOf = ({ status, attempts, duration }: NodeProfile) => ({ status, attempts, duration_ms: duration })
