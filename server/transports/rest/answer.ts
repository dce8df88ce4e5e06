import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@/core/engine/principal'
import type { OperationContext } from '@/server/operations/context'
import { DomainError } from '@/server/operations/domain-error'
import { demand, resourceOf } from '@/server/operations/rights'
import { sendError, sendJson, sendText } from '@/server/transports/respond'
import { readRequest } from './read-request'
import type { Router } from './router'

/**
 * Answers one REST call of a recognised caller: match, authorise, read, call, answer. Never throws; `onDefect` is told of what
 * is not the caller's doing.
 */
export async function answerRest(
  router: Router,
  ctx: OperationContext,
  caller: Principal,
  request: IncomingMessage,
  response: ServerResponse,
  target: { readonly path: string; readonly query: string },
  onDefect: (error: unknown) => void,
): Promise<void> {
  try {
    const match = router.match(request.method ?? '', target.path)
    if (match.kind === 'none') throw new DomainError('not_found', 'There is nothing at this address.')
    if (match.kind === 'method') {
      const refused = new DomainError(
        'method_not_allowed',
        `This address answers ${match.allow.join(', ')} only.`,
      )
      return sendError(response, refused, onDefect, { allow: match.allow.join(', ') })
    }
    const { route, params } = match
    demand(caller, route.right, resourceOf(params))
    const fields = await readRequest(request, route, params, target.query)
    if (route.answer.kind === 'exchange')
      return await route.answer.run({ ctx, caller, request, response, fields })
    if (route.answer.kind === 'json') {
      const signal = route.endsWithCaller ? goneSignal(response) : undefined
      const answer = await route.answer.run(ctx, caller, fields, signal)
      return sendJson(response, answer === null ? 204 : route.status, answer)
    }
    const document = await route.answer.run(ctx, caller, fields)
    if (prefersYaml(request.headers.accept))
      return sendText(response, 200, document.yaml, 'application/yaml; charset=utf-8')
    sendJson(response, route.status, document)
  } catch (error) {
    // What is left of a body that was refused is not waited for.
    const headers = request.complete ? {} : { connection: 'close' }
    sendError(response, error, onDefect, headers)
  }
}

/** Aborted when the caller has closed the connection before the answer. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function prefersYaml(accept: string | undefined): boolean {
  const first = (accept ?? '')
    .split(',')
    .map((part) => part.split(';')[0]?.trim().toLowerCase())
    .find(
      (type) =>
        type === 'application/json' || type === 'application/yaml' || type === 'text/yaml' || type === '*/*',
    )
  return first === 'application/yaml' || first === 'text/yaml'
}
