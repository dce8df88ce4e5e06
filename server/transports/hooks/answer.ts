import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationContext } from '@/server/operations/context'
import { DomainError } from '@/server/operations/domain-error'
import { recogniseHook, type HookCaller, type HookGuard } from '@/server/operations/recognise-hook'
import { runHook } from '@/server/operations/run-hook'
import { bodyLimits, contentType, decodeText, parseJson, readBytes } from '@/server/transports/body'
import { readQueryFields } from '@/server/transports/query'
import { sendJson } from '@/server/transports/respond'

/** What every call hears that proved nothing: how to prove it, and not what was wrong. */
export const hookRefusal =
  'This call does not prove to know the secret of a hook that takes calls: send Authorization: Bearer <secret>, or the ' +
  'signature that the trigger asks for, at most five minutes old.'

const pathPattern = /^\/hooks\/([a-z][a-z0-9_]{0,62})\/([a-z][a-z0-9_]{0,62})$/

/** One call to a hook. */
type HookExchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: string
}

/** What stands before the hooks. */
type HookDoor = {
  readonly refuse: () => void
  readonly mayGoOn: (name: string) => boolean
  readonly guard: HookGuard
}

/**
 * `POST /hooks/{pipeline}/{trigger}`: outside of the API, with a door of its own. Whoever does not prove to know the trigger's
 * secret gets the same 401, whatever is wrong; only then is anything said about the message.
 *
 * `refuse` answers a call that proved nothing
 * `mayGoOn` takes one call from a caller's rate; answers itself and with false when there is none left. `guard` limits guesses, before
 * the body is read as well.
 */
export async function answerHook(
  ctx: OperationContext,
  { request, response, ...target }: HookExchange,
  { refuse, mayGoOn, guard }: HookDoor,
): Promise<void> {
  const [, pipelineId, triggerId] = pathPattern.exec(target.path) ?? []
  if (pipelineId === undefined || triggerId === undefined)
    throw new DomainError('not_found', 'There is nothing at this address.')
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    throw new DomainError('method_not_allowed', 'This address answers POST only.')
  }
  guard.admit()
  const body = await readBytes(request, bodyLimits.fields)
  const headers = headersOf(request)
  const caller = await recogniseHook(ctx, { pipelineId, triggerId }, { headers, body }, guard)
  if (caller === null) return refuse()
  if (!mayGoOn(nameOf(caller))) return
  const answer = await runHook(ctx, caller, {
    body: messageOf(request, body),
    headers,
    query: readQueryFields(target.query),
    idempotencyKey: headers['idempotency-key'],
  })
  sendJson(response, 202, answer)
}

const nameOf = ({ pipeline, trigger }: HookCaller) => `hook:${pipeline.definition.id}/${trigger.id}`

function messageOf(request: IncomingMessage, body: Uint8Array): unknown {
  const type = contentType(request)
  if (type === null && body.length === 0) return {}
  if (type === 'application/json' || type?.endsWith('+json'))
    return body.length === 0 ? {} : parseJson(decodeText(body))
  throw new DomainError('unsupported_media_type', 'Send the body as application/json.')
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const given = Object.entries(request.headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return Object.fromEntries(given)
}
