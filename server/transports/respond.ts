import type { ServerResponse } from 'node:http'
import { DomainError, isDomainError } from '@/server/operations/domain-error'
import { statuses } from './statuses'

/** What every answer of the API carries: never sniffed, never cached, never framed. */
const common = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const

export type Headers = Readonly<Record<string, string>>

/** Sends a JSON answer; `body` null sends none. Does nothing when the answer has already begun. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Headers = {},
): void {
  if (body === null || body === undefined)
    return sendText(response, status, { text: '', type: null }, headers)
  const text = JSON.stringify(body)
  sendText(response, status, { text, type: 'application/json; charset=utf-8' }, headers)
}

/** Sends a whole text of a content type (null: none). A HEAD request gets the same headers and no body. */
export function sendText(
  response: ServerResponse,
  status: number,
  { text, type }: { readonly text: string; readonly type: string | null },
  headers: Headers = {},
): void {
  if (response.headersSent) return
  response.writeHead(status, {
    ...common,
    ...(type === null ? {} : { 'content-type': type }),
    ...(status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) }),
    ...headers,
  })
  response.end(response.req.method === 'HEAD' || status === 204 ? undefined : text)
}

/** Aborted when the connection closes, be it before the answer or after it. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (response.destroyed) gone.abort()
  else response.once('close', () => gone.abort())
  return gone.signal
}

/**
 * Answers a refusal in the wire shape. Anything else that was thrown is a defect: the caller learns that and nothing of its
 * insides; `onDefect` gets it for the log.
 */
export function sendError(
  response: ServerResponse,
  error: unknown,
  onDefect: (error: unknown) => void,
  headers: Headers = {},
): void {
  if (!isDomainError(error)) onDefect(error)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const refusal = isDomainError(error)
    ? error
    : new DomainError('internal', 'Something went wrong in the server; its log says what.')
  sendJson(
    response,
    statuses[refusal.code].http,
    { error: { code: refusal.code, message: refusal.message, issues: refusal.issues } },
    // Whoever asks too often has to connect anew.
    refusal.retryAfter === null
      ? headers
      : { ...headers, 'retry-after': String(refusal.retryAfter), connection: 'close' },
  )
}
