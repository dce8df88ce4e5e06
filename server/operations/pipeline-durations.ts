import { z } from 'zod'
import { historyOf, type NodeProfile } from '@/core/engine/timeline/run-profile'
import { instant, instantOrNull } from './instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Nodes that are told: those that added most to the critical paths. */
const MOST_NODES = 100

/**
 * How long the nodes of a pipeline took in the runs of it that were closed last, and what they added to the critical paths. The runs
 * are newest first, and so are the cells of each node. `critical_ms`: what all nodes together added. `pending`: runs that were not looked at yet; who asks again gets more.
 */
export const pipelineDurations = operation({
  right: 'read',
  request: z.strictObject({ pipeline_id: idField, limit: z.int().min(1).max(50).default(50) }),
  run: async (ctx, _caller, { pipeline_id, limit }) => {
    if (!(await ctx.pipelines.get(pipeline_id))) throw missing('pipeline', pipeline_id)
    const { runs, pending, unreadable } = await ctx.runs.profiles(pipeline_id, limit)
    const told = runs.flatMap(({ row, profile }) => (profile === null ? [] : [{ row, profile }]))
    const nodes = historyOf(told.map(({ profile }) => profile))
    return {
      runs: told.map(({ row }) => ({
        execution_id: row.executionId,
        revision: row.revision,
        status: row.status,
        created_at: instant(row.createdAt),
        started_at: instantOrNull(row.startedAt),
        finished_at: instantOrNull(row.finishedAt),
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
