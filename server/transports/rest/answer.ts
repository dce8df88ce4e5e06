import type { Principal } from '@/core/engine/principal'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationContext } from '@/server/operations/context'
import { DomainError } from '@/server/operations/domain-error'
import { demandAny } from '@/server/operations/operation'
import { isContent } from '@/server/operations/registry'
import { accepted } from '@/server/transports/accept'
import { goneSignal, sendError, sendJson, sendText } from '@/server/transports/respond'
import { readRequest } from './read-request'
import type { Handler, Handlers, Route } from './route'
import type { Router } from './router'
import { resourceOf } from '@/server/operations/rights'

export type Rest = {
  readonly router: Router
  readonly handlers: Handlers
  readonly onDefect: (error: unknown) => void
}

/** One REST call of a recognised caller. `path` is what follows `/api/v1`. */
export type RestRequest = {
  readonly ctx: OperationContext
  readonly caller: Principal
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
  readonly query: string
}

/** Answers one call: match, authorise, read, call, answer. Never throws; `onDefect` gets what is not the caller's doing. */
export async function answerRest(rest: Rest, call: RestRequest): Promise<void> {
  const { request, response } = call
  try {
    const match = rest.router.match(request.method ?? '', call.path)
    if (match.kind === 'none') throw new DomainError('not_found', 'There is nothing at this address.')
    if (match.kind === 'method') {
      const allow = match.allow.join(', ')
      const refused = new DomainError('method_not_allowed', `This address answers ${allow} only.`)
      return sendError(response, refused, rest.onDefect, { allow })
    }
    demandAny(call.caller, match.route.operation.rights, resourceOf(match.params))
    const fields = await readRequest(request, match.route, match.params, call.query)
    await answer(rest.handlers, match.route, call, fields)
  } catch (error) {
    // What is left of a refused body is not awaited.
    const headers = request.complete ? {} : { connection: 'close' }
    sendError(response, error, rest.onDefect, headers)
  }
}

async function answer(
  handlers: Handlers,
  { operation, name, status }: Route,
  { ctx, caller, request, response }: RestRequest,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const handler = handlerOf(handlers, name)
  if (handler !== null) return handler({ ctx, caller, request, response, fields })
  if (isContent(operation)) throw new Error(`${name} has no handler`)
  const signal = operation.rest?.endsWithCaller === true ? goneSignal(response) : undefined
  const result = await operation.handle(ctx, caller, fields, signal)
  if (operation.rest?.yaml === true && hasYaml(result) && prefersYaml(request.headers.accept))
    return sendText(response, status, { text: result.yaml, type: 'application/yaml; charset=utf-8' })
  sendJson(response, status, result)
}

function handlerOf(handlers: Readonly<Record<string, Handler>>, name: string): Handler | null {
  return Object.hasOwn(handlers, name) ? (handlers[name] ?? null) : null
}

const hasYaml = (result: unknown): result is { readonly yaml: string } =>
  typeof result === 'object' && result !== null && 'yaml' in result && typeof result.yaml === 'string'

function prefersYaml(header: string | undefined): boolean {
  const type = accepted(header, ['application/json', 'application/yaml', 'text/yaml'])
  return type === 'application/yaml' || type === 'text/yaml'
}
