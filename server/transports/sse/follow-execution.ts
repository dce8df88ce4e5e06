import { DomainError } from '@/server/operations/domain-error'
import { followExecution } from '@/server/operations/follow-execution'
import { parseRequest } from '@/server/operations/operation'
import { readEntries } from '@/server/operations/read-entries'
import type { Exchange, Handler } from '@/server/transports/rest/route'
import { CLOSED, Follower, pageSize } from './follower'
import { messageOf } from './frame'
import { FEW_ENTRIES } from './turns'
import type { Hub } from './hub'
import { beatOf, streamHeaders, streamStart, StreamWriter } from './stream-writer'

/**
 * The events of one execution: `id` = seq, `event` = type, `data` = the event. Resumes after `Last-Event-ID`; ends after a
 * `pipeline.closed` that nothing follows; resumed at the end it answers 200 and ends. Of an execution that is rerun
 * afterwards a new connection gets the rest.
 */
export function followExecutionHandler(hub: Hub): Handler {
  return async (exchange) => {
    const { execution_id } = parseRequest(followExecution.request, exchange.fields)
    const position = lastEventId(exchange)
    await checkPosition(exchange, execution_id, position)
    await streamEvents(hub, exchange, { executionId: execution_id, position })
  }
}

type From = {
  readonly executionId: string
  readonly position: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Streams the events of an execution after a seq until the execution has closed or the caller goes away. */
export async function streamEvents(hub: Hub, exchange: Exchange, from: From): Promise<void> {
  if (await answerWhole(hub, exchange, from)) return
  const writer = new StreamWriter(hub, exchange, { rights: followExecution.rights, headers: from.headers })
  const follower = new Follower(hub, exchange.caller, from, {
    isFull: () => writer.isFull(),
    get isOpen() {
      return writer.isOpen
    },
    emit: (frame) => writer.write(frame.single),
    current: () => writer.beat(),
    closed: () => writer.end(),
    unreadable: () => writer.end(),
    removed: () => writer.end(),
  })
  writer.onEnd = () => follower.stop()
  writer.standing = () => (follower.isCurrent ? String(follower.position) : null)
  writer.onDrain = writer.onPoll = () => follower.poll()
  follower.poll()
  await writer.ended
}

/**
 * Answers with all that is left of a run that has closed, in one piece and on a connection that stays: most runs have ended before
 * anybody looks. False: it has not closed, or more is left of it than one page.
 */
async function answerWhole(hub: Hub, { ctx, caller, response }: Exchange, from: From): Promise<boolean> {
  const after = from.position
  const page = await readEntries(ctx, caller, { execution_id: from.executionId, after, limit: pageSize })
  const last = page.entries.at(-1)?.event
  if (page.more || (last === undefined ? !page.closed : last.type !== CLOSED)) return false
  if (page.entries.length > FEW_ENTRIES) await hub.turns.next()
  const messages = page.entries.map(({ event }) => messageOf(event)).join('')
  const text = streamStart(hub) + messages + beatOf(hub, after + page.entries.length)
  response.writeHead(200, { ...streamHeaders, ...from.headers, 'content-length': Buffer.byteLength(text) })
  response.end(text)
  return true
}

/**
 * The execution exists, and the position is one that it has reached.
 * @throws DomainError `not_found`, `malformed`, `set_apart`
 */
export async function checkPosition(
  exchange: Exchange,
  executionId: string,
  position: number,
): Promise<void> {
  const { ctx, caller } = exchange
  const page = await readEntries(ctx, caller, {
    execution_id: executionId,
    after: Math.max(0, position - 1),
    // Of a run that was set apart the first page may not be readable: so it is refused now rather than by a stream without events.
    limit: ctx.runs.setApart(executionId) === null ? 1 : pageSize,
  })
  if (position > 0 && page.entries.length === 0) {
    throw new DomainError('malformed', `Execution "${executionId}" has no event ${position} to resume after.`)
  }
}

/**
 * The seq or line after which a stream resumes; 0 without the header.
 * @throws DomainError `malformed`
 */
export function lastEventId({ request: { headers } }: Exchange): number {
  const header = headers['last-event-id']
  if (header === undefined || header === '') return 0
  if (typeof header !== 'string' || !/^\d{1,15}$/.test(header))
    throw new DomainError('malformed', 'Last-Event-ID is not the number of an event.')
  return Number(header)
}
