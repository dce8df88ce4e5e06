import { z } from 'zod'
import { executionRow } from '@/server/operations/execution-exists'
import { parseRequest } from '@/server/operations/operation'
import { readLogs } from '@/server/operations/read-logs'
import { exchangeRoute, type Route } from '@/server/transports/rest/route'
import type { Hub } from './hub'
import { StreamWriter } from './stream-writer'

const request = readLogs.request.omit({ cursor: true, limit: true })

/** How often the log is looked at while the run goes on: lines are not events, nobody announces them. */
const pollMs = 500

/**
 * Log lines of a node as they come: `id` = number of the line, `event: line`, `data` = the line. Resumes after `Last-Event-ID`
 * (or `after`); ends when the execution is closed and every line was sent.
 */
export function followLogs(hub: Hub): Route {
  return exchangeRoute(
    'GET',
    '/executions/:execution_id/nodes/:node_id/logs/stream',
    'Follow the log of a node (SSE)',
    {
      right: readLogs.right,
      schema: request,
      query: { attempt: 'integer', item: 'integer', after: 'integer' },
    },
    async (exchange) => {
      const fields = parseRequest(request, exchange.fields)
      const resumed = z.coerce.number().int().min(0).safeParse(exchange.request.headers['last-event-id'])
      const { ctx, caller } = exchange
      const read = (after: number) => readLogs(ctx, caller, { ...fields, after, limit: 500 })
      let after = resumed.success ? resumed.data : (fields.after ?? 0)
      await executionRow(ctx, fields.execution_id)
      const writer = new StreamWriter(hub, exchange, readLogs.right)
      let wake: () => void = () => {}
      writer.onEnd = writer.onDrain = () => wake()
      while (writer.isOpen) {
        const closed = (await executionRow(ctx, fields.execution_id)).closedAt !== null
        const { items, next_cursor } = writer.isFull() ? { items: [], next_cursor: null } : await read(after)
        for (const line of items) {
          after = line.n
          writer.write(`id: ${line.n}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`)
        }
        if (next_cursor !== null) continue
        if (closed && items.length === 0 && !writer.isFull()) writer.end()
        else
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, pollMs)
            wake = () => {
              clearTimeout(timer)
              resolve()
            }
          })
      }
      await writer.ended
    },
  )
}
