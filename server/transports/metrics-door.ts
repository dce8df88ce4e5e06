import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { DomainError } from '@/server/operations/domain-error'
import type { Guesses } from './guesses'
import { sendError, sendText } from './respond'

export type MetricsDoorOptions = {
  /** Whoever has it may read, from anywhere. null: only programs of this machine may. */
  readonly token: string | null
  /** People come through a proxy, which may run on this machine: then no address proves anything. */
  readonly behindProxy: boolean
  readonly guesses: Guesses
  readonly page: () => Promise<{ readonly type: string; readonly text: string }>
  readonly onDefect: (error: unknown) => void
}

/** Answers `GET /metrics`. Sessions and API tokens do not count here: a scraper needs nothing else of the server. */
export type AnswerMetrics = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export function createMetricsDoor(options: MetricsDoorOptions): AnswerMetrics {
  const { token, guesses, page, onDefect } = options
  const expected = token === null ? null : digest(token)

  function demandToken(request: IncomingMessage, wanted: Buffer): void {
    guesses.admit('metrics', request)
    const given = /^Bearer ([\x21-\x7e]{1,500})$/i.exec(request.headers.authorization ?? '')?.[1]
    if (given !== undefined && timingSafeEqual(digest(given), wanted)) return
    if (given !== undefined) guesses.wrong('metrics', request)
    throw new DomainError(
      'unauthenticated',
      'Send the token of PENSTOCK_METRICS_TOKEN: Authorization: Bearer <token>.',
    )
  }

  function demandThisMachine(request: IncomingMessage): void {
    if (!options.behindProxy && isDirect(request)) return
    throw new DomainError(
      'forbidden',
      'Metrics are for programs of this machine: set PENSTOCK_METRICS_TOKEN to read them from elsewhere or behind a proxy.',
    )
  }

  return async (request, response) => {
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD')
        throw new DomainError('method_not_allowed', 'This address answers GET only.')
      }
      if (expected === null) demandThisMachine(request)
      else demandToken(request, expected)
      sendText(response, 200, await page())
    } catch (error) {
      if (expected !== null) response.setHeader('www-authenticate', 'Bearer')
      sendError(response, error, onDefect)
    }
  }
}

/** Headers by which a proxy says that it passes something on. */
const PASSED_ON = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'] as const

/** From this machine, for this machine, and not on behalf of somebody else; a page in a browser that was misled names another host. */
function isDirect({ socket, headers }: IncomingMessage): boolean {
  if (PASSED_ON.some((name) => headers[name] !== undefined)) return false
  const host = /^(?:\[([0-9a-f:.]+)\]|([^:]+))(?::\d{1,5})?$/i.exec(headers.host ?? '')
  const name = (host?.[1] ?? host?.[2] ?? '').toLowerCase()
  return isLoopback(socket.remoteAddress ?? '') && (name === 'localhost' || isLoopback(name))
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

/** Equal length for the comparison in constant time. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
