import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '@/server/operations/domain-error'
import { sendJson } from './respond'

/**
 * Answers `/healthz` (the process runs) and `/readyz` (it can work), which are open to everybody.
 * @throws DomainError `method_not_allowed`
 */
export async function answerProbe(
  request: IncomingMessage,
  response: ServerResponse,
  path: '/healthz' | '/readyz',
  isReady: () => Promise<boolean>,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD')
    throw new DomainError('method_not_allowed', 'This address answers GET only.')
  }
  if (path === '/healthz') return sendJson(response, 200, { status: 'ok' })
  const ready = await isReady().catch(() => false)
  sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' })
}
