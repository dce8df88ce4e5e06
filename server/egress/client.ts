import { lookup } from 'node:dns/promises'
import { Agent, type Dispatcher } from 'undici'
import { headerProblem } from '@/core/pipeline/http-headers'
import type { Egress, EgressRequest, EgressResponse, ResolveHost } from '@/server/ports/egress'
import type { EgressRule } from './allowance'
import { ENCODINGS, readableBody } from './body'
import { createConnector } from './connect'
import { egressFailure, networkFailure } from './egress-failure'
import { readUrl, redirected, type Hop } from './redirect'
import { readAnswerHeaders } from './answer-headers'

const MAX_BYTES = 10 * 1024 * 1024
const MAX_REDIRECTS = 5
const HEADER_BYTES = 32 * 1024
/** Without a byte for so long, an answer is given up; the caller's signal bounds the whole. */
const SILENCE_MS = 300_000

export type EgressOptions = {
  /** What may be reached besides public addresses. */
  readonly allow: readonly EgressRule[]
  /** The system's look-up when absent. */
  readonly resolve?: ResolveHost
}

const systemLookup: ResolveHost = async (host) => {
  const found = await lookup(host, { all: true })
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/** The one HTTP client of the server. Proxies of the environment are not used: they would connect instead of it. */
export function createEgress({ allow, resolve = systemLookup }: EgressOptions): Egress {
  const agent = new Agent({
    connect: createConnector(allow, resolve),
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    allowH2: false,
  })
  return {
    async fetch(request) {
      let hop: Hop = {
        url: readUrl(request.url),
        method: request.method,
        headers: readHeaders(request.headers),
        body: request.body,
      }
      for (let redirects = 0; ; redirects += 1) {
        const answer = await send(agent, hop, request)
        const next = request.followRedirects ? redirectOf(answer, hop) : null
        if (next === null) return response(answer, hop, request)
        discard(answer.body)
        if (redirects === MAX_REDIRECTS) {
          throw egressFailure('unreachable', `${hop.url.host} redirects more than ${MAX_REDIRECTS} times`)
        }
        hop = next
      }
    },
    close: () => agent.destroy(),
  }
}

type Answer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly setCookies: readonly string[]
  readonly body: Dispatcher.ResponseData['body']
}

function readHeaders(given: ReadonlyMap<string, string>): Map<string, string> {
  const headers = new Map([
    ['accept-encoding', ENCODINGS],
    ['user-agent', 'Penstock'],
  ])
  for (const [name, value] of given) {
    const problem = headerProblem(name, value)
    if (problem !== null) throw egressFailure('invalid_request', problem)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

async function send(
  agent: Agent,
  { url, method, headers, body }: Hop,
  { signal }: EgressRequest,
): Promise<Answer> {
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers,
      body,
      signal,
    })
    return { status: answer.statusCode, ...readAnswerHeaders(answer.headers), body: answer.body }
  } catch (thrown) {
    throw signal.aborted ? signal.reason : networkFailure(thrown, url)
  }
}

function redirectOf(answer: Answer, hop: Hop): Hop | null {
  try {
    return redirected(hop, answer.status, answer.headers.get('location'))
  } catch (refused) {
    discard(answer.body)
    throw refused
  }
}

function response(
  { status, headers, setCookies, body }: Answer,
  hop: Hop,
  request: EgressRequest,
): EgressResponse {
  const empty =
    hop.method === 'HEAD' || status === 204 || status === 304 || headers.get('content-length') === '0'
  const { maxBytes = MAX_BYTES, signal } = request
  const encoding = empty ? undefined : headers.get('content-encoding')
  try {
    return {
      url: hop.url.href,
      status,
      headers,
      setCookies,
      body: readableBody(body, { url: hop.url, encoding: encoding ?? null, maxBytes, signal }),
    }
  } catch (refused) {
    discard(body)
    throw refused
  }
}

/** What nobody reads is not waited for: the connection goes with it. */
function discard(body: Answer['body']): void {
  body.on('error', () => undefined).destroy()
}
