import { z } from 'zod'
import { numberCursor, readNumberCursor } from './cursor'
import { executionRow } from './execution-exists'
import { findLogLines } from './find-log-lines'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, nodeField } from './request-fields'
import { exampleLogLine, logLine } from './schemas/log-line'
import { pageOf } from './schemas/json'

/** Log lines of a node, oldest first; `after` is the number of the last line that the reader has. `search` looks through all of them. */
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
    search: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Only lines that show this text, whatever the case. All stored lines are looked through.'),
    stream: logLine.shape.stream.optional().describe('Only lines of this stream.'),
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
  run: async (ctx, _caller, { execution_id, node_id, after, cursor, limit, ...wanted }) => {
    const start = cursor === undefined ? (after ?? 0) : readNumberCursor('line', cursor)
    const row = await executionRow(ctx, execution_id)
    const pipeline = await ctx.runs.pipeline(row.pipelineId, row.revision)
    if (pipeline && !pipeline.nodes.has(node_id)) throw missing('node', node_id)
    const place = { executionId: execution_id, nodeId: node_id, after: start }
    const { items, next } = await findLogLines(ctx.logs, place, wanted, limit)
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
      next_cursor: next === null ? null : numberCursor('line', next),
    }
  },
})
