import type { IncomingMessage, ServerResponse } from 'node:http'
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http'
import { DomainError } from '@/server/operations/domain-error'
import { bodyLimits, contentType } from '@/server/transports/body'
import type { TrpcContext } from './procedures'
import { appRouter } from './router'

/** Most calls that one batch may carry. */
const batchSize = 50

/**
 * Answers a tRPC call of a recognised caller. `path` is what follows `/api/trpc/`. Queries by GET, mutations by POST with JSON: the other
 * content types that tRPC could read are refused before it sees them.
 * @throws DomainError `method_not_allowed`, `unsupported_media_type`, `too_large`
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
  if (Number(request.headers['content-length'] ?? 0) > bodyLimits.definition) {
    throw new DomainError('too_large', `The body is larger than ${bodyLimits.definition} bytes.`)
  }
  response.setHeader('cache-control', 'no-store')
  response.setHeader('x-content-type-options', 'nosniff')
  await nodeHTTPRequestHandler({
    router: appRouter,
    req: request,
    res: response,
    path,
    createContext: () => context,
    maxBodySize: bodyLimits.definition,
    maxBatchSize: batchSize,
    onError: ({ error }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR') onDefect(error.cause ?? error)
    },
  })
}
