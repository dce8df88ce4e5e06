import { z } from 'zod'
import { numberCursor, readNumberCursor } from './cursor'
import { executionRow } from './execution-exists'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'
import { exampleLogLine, logLine } from './schemas/log-line'
import { pageOf } from './schemas/json'

/** Log lines of a node, oldest first; `after` is the number of the last line that the reader has. */
export const readLogs = operation({
  kind: 'query',
  summary: 'List log lines of a node',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/nodes/:node_id/logs' },
  request: z.strictObject({
    execution_id: idField,
    node_id: nodeField,
    attempt: z.int().min(1).optional(),
    item: z.int().min(0).optional(),
    after: z.int().min(0).optional(),
    cursor: z.string().min(1).max(500).optional(),
    limit: z.int().min(1).max(1_000).default(250),
  }),
  answer: pageOf(logLine),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8', node_id: 'extract' },
    answer: { items: [exampleLogLine], next_cursor: null },
  },
  run: async (ctx, _caller, { execution_id, node_id, attempt, item, after, cursor, limit }) => {
    const start = cursor === undefined ? (after ?? 0) : readNumberCursor('line', cursor)
    const row = await executionRow(ctx, execution_id)
    const pipeline = await ctx.orchestrator.pipeline(row.pipelineId, row.revision)
    if (pipeline && !pipeline.nodes.has(node_id)) throw missing('node', node_id)
    const lines = await ctx.logs.read(execution_id, node_id, {
      after: start,
      limit: limit + 1,
      ...(attempt === undefined ? {} : { attempt }),
      ...(item === undefined ? {} : { item }),
    })
    const items = lines.slice(0, limit)
    const last = items.at(-1)
    return {
      items: items.map((line) => ({
        n: line.n,
        timestamp: formatInstant(line.at),
        generation: line.generation,
        attempt: line.attempt,
        item: line.item,
        stream: line.stream,
        text: line.text,
      })),
      next_cursor: lines.length > items.length && last ? numberCursor('line', last.n) : null,
    }
  },
})
