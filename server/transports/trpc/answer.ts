import type { IncomingMessage, ServerResponse } from 'node:http'
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import { DomainError } from '@/server/operations/domain-error'
import { bodyLimits, contentType, parseJson, readText } from '@/server/transports/body'
import type { TrpcContext } from './procedures'
import { appRouter } from './router'

/** Most calls that one batch may carry. */
const batchSize = 50

/**
 * Answers a tRPC call of a recognised caller. `path` is what follows `/api/trpc/`. Queries by GET, mutations by POST with JSON: the other
 * content types that tRPC could read are refused before it sees them.
 * @throws DomainError `method_not_allowed`, `unsupported_media_type`, `too_large`, `malformed`
 */
export async function answerTrpc(
  context: TrpcContext,
  {
    request,
    response,
    path,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly path: string },
  onDefect: (error: unknown) => void,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'POST') {
    throw new DomainError('method_not_allowed', 'This address answers GET and POST only.')
  }
  if (request.method === 'POST' && contentType(request) !== 'application/json') {
    throw new DomainError('unsupported_media_type', 'Send the body as application/json.')
  }
  const input = request.method === 'POST' ? await readText(request, bodyLimits.definition) : inputOf(request)
  // tRPC parses by itself, and less strictly: what it is given says the same to both.
  if (input !== '') parseJson(input)
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  await nodeHTTPRequestHandler({
    router: appRouter,
    req: request.method === 'POST' ? Object.assign(request, { body: input }) : request,
    res: response,
    path,
    createContext: () => context,
    maxBatchSize: batchSize,
    onError: ({ error }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR') onDefect(error.cause ?? error)
    },
  })
}

/** The input of a query, as its address carries it. */
function inputOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : (new URLSearchParams(url.slice(mark + 1)).get('input') ?? '')
}
