import { DomainError } from '@/server/operations/domain-error'
import { followMany } from '@/server/operations/follow-many'
import { parseRequest } from '@/server/operations/operation'
import type { Exchange, Handler } from '@/server/transports/rest/route'
import { checkPosition } from './follow-execution'
import { Follower } from './follower'
import type { Hub, List, ListChange } from './hub'
import { StreamWriter } from './stream-writer'

/**
 * The one stream that a page needs, whatever it shows: `GET /stream?executions=a:12,b&lists=executions,approvals`.
 *
 * - `event: execution`, `data: {"event": …, "variables": [{"name", "value"}]}`: one entry of one of the named executions, in order of
 *   seq for each, ready to be folded. `a:12` begins after seq 12; without a number it begins at the first.
 * - `event: lists`, `data: {"executions": [{"execution_id", "pipeline_id", "status"}], "more": false, "approvals": {"pending": 3},
 *   "slots": {"total": 100, "in_use": 4, "queued": 0}, "health": {"violations": 0}}`: what changed in lists since the last message;
 *   a part that is absent did not change. `more: true` says that not every changed execution is named: read the list again.
 *   The first message of a (re)connected stream says so too, and one after a removal. `slots` comes at most once a second, also when work began, ended or
 *   waits and the numbers are the same.
 * - `event: removed`, `data: {"execution_id": "a"}`: the execution was removed, and nothing more comes of it.
 *
 * Heartbeats are comments. One that says `: 1764350000000 a:14,b:3` was written when everything that was committed until then
 * (milliseconds of the server's clock) had been: a reader with less of `a` than 14 has missed something.
 *
 * `id` holds the positions of all executions (`a:14,b:3`), so that a reconnect with `Last-Event-ID` misses and repeats nothing.
 * The stream stays open when executions end: a browser would only connect again.
 */
export function followManyHandler(hub: Hub): Handler {
  return async (exchange) => {
    const { executions, lists } = parseRequest(followMany.request, exchange.fields)
    if (executions.length + lists.length === 0) {
      throw new DomainError('invalid_request', 'Name what to follow: executions, lists or both.')
    }
    const positions = startPositions(executions, exchange.request.headers['last-event-id'])
    for (const [id, position] of positions) await checkPosition(exchange, id, position)
    await follow(hub, exchange, positions, new Set(lists))
  }
}

async function follow(
  hub: Hub,
  exchange: Exchange,
  positions: ReadonlyMap<string, number>,
  lists: ReadonlySet<List>,
): Promise<void> {
  const { ctx, caller } = exchange
  const writer = new StreamWriter(hub, exchange, followMany)
  const followers = new Map<string, Follower>()
  // A slow reader that could not take a list message is asked later to read the lists again.
  let owes = lists.size > 0
  const isCurrent = () => !owes && [...followers.values()].every((follower) => follower.isCurrent)
  const identity = () => [...followers].map(([id, follower]) => `${id}:${follower.position}`).join(',')
  for (const [id, position] of positions) {
    const follower = new Follower(
      hub,
      caller,
      { executionId: id, position },
      {
        isFull: () => writer.isFull(),
        get isOpen() {
          return writer.isOpen
        },
        emit: (frame) => writer.write(`id: ${identity()}\nevent: execution\ndata: ${frame.many}\n\n`),
        current: () => {
          if (isCurrent()) writer.beat()
        },
        // A run that has ended may be run again.
        closed: () => {},
        unreadable: () => {},
        removed: () => {
          followers.delete(id)
          writer.write(`event: removed\ndata: ${JSON.stringify({ execution_id: id })}\n\n`)
          if (isCurrent()) writer.beat()
        },
      },
    )
    followers.set(id, follower)
  }
  const send = (change: ListChange) => {
    if (writer.isFull()) owes = true
    else writer.write(`event: lists\ndata: ${JSON.stringify(change)}\n\n`)
  }
  const sendAll = async () => {
    const approvals = lists.has('approvals') ? { approvals: { pending: await ctx.approvals.count() } } : {}
    owes = false
    send({
      ...(lists.has('executions') ? { executions: [], more: true } : {}),
      ...approvals,
      ...(lists.has('slots') ? hub.slots() : {}),
      ...(lists.has('health') ? hub.health() : {}),
    })
    if (isCurrent()) writer.beat()
  }
  const forget = lists.size > 0 ? hub.watchLists(lists, send) : () => {}
  writer.onEnd = () => {
    for (const follower of followers.values()) follower.stop()
    forget()
  }
  writer.standing = () => (isCurrent() ? identity() : null)
  writer.onDrain = writer.onPoll = () => {
    for (const follower of followers.values()) follower.poll()
    if (owes) sendAll().catch(hub.options.onDefect)
  }
  writer.onPoll()
  await writer.ended
}

/** @throws DomainError `malformed` for a Last-Event-ID that this stream cannot have given. */
function startPositions(
  executions: readonly string[],
  header: string | string[] | undefined,
): Map<string, number> {
  const positions = new Map<string, number>()
  for (const named of executions) {
    const [id = '', seq = '0'] = named.split(':')
    if (positions.has(id)) throw new DomainError('invalid_request', `Execution "${id}" is named twice.`)
    positions.set(id, Number(seq))
  }
  if (header === undefined || header === '') return positions
  const wrong = new DomainError('malformed', 'Last-Event-ID is not one of this stream.')
  if (typeof header !== 'string' || header.length > 4_000) throw wrong
  for (const part of header.split(',')) {
    const [, id = '', seq = ''] = /^([A-Za-z0-9_-]{1,128}):(\d{1,15})$/.exec(part) ?? []
    if (!positions.has(id)) throw wrong
    positions.set(id, Number(seq))
  }
  return positions
}
