import { executionRow } from '@/server/operations/execution-exists'
import { followLogs } from '@/server/operations/follow-logs'
import { parseRequest } from '@/server/operations/operation'
import { readLogs } from '@/server/operations/read-logs'
import type { Handler } from '@/server/transports/rest/route'
import { lastEventId } from './follow-execution'
import type { Hub } from './hub'
import { StreamWriter } from './stream-writer'

/**
 * Log lines of a node as they come: `id` = number of the line, `event: line`, `data` = the line. Resumes after `Last-Event-ID`
 * (or `after`); ends when the execution is closed and every line was sent.
 */
export function followLogsHandler(hub: Hub): Handler {
  return async (exchange) => {
    const fields = parseRequest(followLogs.request, exchange.fields)
    const { ctx, caller } = exchange
    const read = (after: number) => readLogs(ctx, caller, { ...fields, after, limit: 500 })
    let after = exchange.request.headers['last-event-id'] ? lastEventId(exchange) : (fields.after ?? 0)
    // Refuses what is not there while an answer can still say so.
    await read(after)
    const writer = new StreamWriter(hub, exchange, followLogs)
    // Whatever announces more (lines written, the end of the run, room in the socket) turns the loop once more.
    let more = true
    let turn = () => {}
    const wake = () => {
      more = true
      turn()
    }
    writer.onEnd = writer.onDrain = wake
    const stops = [
      ctx.orchestrator.onLog((executionId, nodeId) => {
        if (executionId === fields.execution_id && nodeId === fields.node_id) wake()
      }),
      ctx.orchestrator.onCommit(({ executionId, row }) => {
        if (executionId === fields.execution_id && row?.closedAt != null) wake()
      }),
      ctx.orchestrator.onRemoved((executionId) => {
        if (executionId === fields.execution_id) writer.end()
      }),
    ]
    try {
      while (writer.isOpen) {
        if (!more) await new Promise<void>((resolve) => (turn = resolve))
        if (!writer.isOpen || writer.isFull()) {
          more = false
          continue
        }
        more = false
        const closed = (await executionRow(ctx, fields.execution_id)).closedAt !== null
        const { items, next_cursor } = await read(after)
        for (const line of items) {
          after = line.n
          writer.write(`id: ${line.n}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`)
        }
        if (next_cursor !== null) more = true
        else if (closed && !more) writer.end()
      }
    } finally {
      for (const stop of stops) stop()
    }
    await writer.ended
  }
}
