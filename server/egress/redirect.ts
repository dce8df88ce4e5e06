import type { EgressMethod } from '@/server/ports/egress'
import { egressFailure } from './egress-failure'

/** One request on its way: what is sent, and where to. */
export type Hop = {
  readonly url: URL
  readonly method: EgressMethod
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array | null
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/** Headers that may be sent to another origin. Any other could be a credential, whatever its name is. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'idempotency-key',
  'user-agent',
])

/** Reads an address that the client may go to: http or https, without credentials in it. */
export function readUrl(text: string, base?: URL): URL {
  // The text is not quoted: credentials in it would get into logs.
  if (!URL.canParse(text, base))
    throw egressFailure('invalid_request', 'the URL cannot be read: it begins with http:// or https://')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw egressFailure('egress_refused', `only http and https can be reached, not ${url.protocol}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw egressFailure(
      'invalid_request',
      'a URL cannot carry a user or a password: write an Authorization header',
    )
  }
  return url
}

/**
 * The request that a redirect asks for, or null when the answer is none. As fetch does it: 303, and 301 and 302 of a POST,
 * become a GET without a body. Another origin learns nothing but harmless headers; https never becomes http.
 */
export function redirected(hop: Hop, status: number, location: string | undefined): Hop | null {
  if (!REDIRECTS.includes(status) || location === undefined) return null
  const url = readUrl(location, hop.url)
  url.hash = ''
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw egressFailure(
      'egress_refused',
      `${hop.url.host} redirects from https to http, which is not followed`,
    )
  }
  const toGet =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') ||
    ((status === 301 || status === 302) && hop.method === 'POST')
  const abroad = url.origin !== hop.url.origin
  const kept = [...hop.headers].filter(
    ([name]) => !(abroad && !HARMLESS.has(name)) && !(toGet && name.startsWith('content-')),
  )
  return {
    url,
    method: toGet ? 'GET' : hop.method,
    headers: new Map(kept),
    body: toGet ? null : hop.body,
  }
}
