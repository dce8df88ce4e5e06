import { DomainError } from '@/server/operations/domain-error'
import { executionRow } from '@/server/operations/execution-exists'
import { getExecution } from '@/server/operations/get-execution'
import { parseRequest } from '@/server/operations/operation'
import { startExecution, startVariants } from '@/server/operations/start-execution'
import { accepted } from '@/server/transports/accept'
import { goneSignal, sendJson } from '@/server/transports/respond'
import { streamEvents } from '@/server/transports/sse/follow-execution'
import type { Hub } from '@/server/transports/sse/hub'
import type { Exchange, Handler } from './route'

/**
 * Starts an execution and answers as the caller asks: at once (202); with `wait` when the execution has ended (200 with the
 * whole of it), or after that time as at once; with `Accept: text/event-stream` by its events from seq 1. However the caller goes
 * away, the execution goes on. A repeated idempotency key waits for, or streams, the execution that it started first.
 */
export function startHandler(hub: Hub): Handler {
  return async (exchange) => {
    const { ctx, caller, request, response } = exchange
    const { wait, fields } = variantsOf(exchange)
    const streams = accepted(request.headers.accept, ['application/json', 'text/event-stream'])
    const toStream = streams === 'text/event-stream'
    // Refused before anything is started.
    if (toStream && !hub.hasRoom())
      throw new DomainError('unavailable', 'The server has too many open streams: try again later.')
    const started = await startExecution(ctx, caller, parseRequest(startExecution.request, fields))
    const id = started.execution_id
    if (id === null) return sendJson(response, 202, started)
    const headers = { location: `/api/v1/executions/${id}` }
    if (toStream) return streamEvents(hub, exchange, { executionId: id, position: 0, headers })
    if (wait === undefined) return sendJson(response, 202, started, headers)
    const hasEnded = async () => (await executionRow(ctx, id)).finishedAt !== null
    const signal = goneSignal(response)
    const ended = await hub.endings.wait(id, { ms: wait, signal, hasEnded })
    if (signal.aborted) return
    if (ended) return sendJson(response, 200, await getExecution(ctx, caller, { execution_id: id }), headers)
    const { status } = await executionRow(ctx, id)
    sendJson(response, 202, { execution_id: id, status }, headers)
  }
}

/** What the transport reads of the request, and what the operation does. */
function variantsOf({ fields }: Exchange): { wait: number | undefined; fields: Record<string, unknown> } {
  const { wait, ...others } = fields
  const variants = parseRequest(startVariants, wait === undefined ? {} : { wait })
  return { wait: variants.wait, fields: others }
}
