import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import type { Principal } from '@/core/engine/principal'
import { DomainError } from '@/server/operations/domain-error'

/** What stands before every transport. The composition root gives the ways to recognise people. */
export type Door = {
  /** Who asks: by bearer token (a wrong one is nobody, whatever cookie comes with it) or by session cookie. */
  callerOf(request: IncomingMessage): Promise<Principal | null>
  /** Host names by which the server may be called, besides localhost and addresses. */
  readonly hostNames: ReadonlySet<string>
  /** Origins of pages that may act with a session, besides the one the request was sent to. */
  readonly origins: ReadonlySet<string>
}

/**
 * Refuses names that are not ours: a page elsewhere whose name was pointed at this machine would otherwise be same-origin
 * with us (DNS rebinding). Addresses cannot be rebound.
 * @throws DomainError `malformed`
 */
export function checkHost(request: IncomingMessage, door: Pick<Door, 'hostNames'>): void {
  const name = hostName(request.headers.host)
  if (name !== null && (name === 'localhost' || isIP(name) !== 0 || door.hostNames.has(name))) return
  throw new DomainError(
    'malformed',
    'This server is not known by that name: set PENSTOCK_PUBLIC_URL to the address that people use.',
  )
}

/**
 * Holds a state-changing request that comes with a session to our own pages: the Origin has to be the one that was called (or a
 * configured one); a browser that sends none has to say `Sec-Fetch-Site: same-origin`. Tokens need no such proof: no browser adds them.
 * @throws DomainError `forbidden`
 */
export function checkOrigin(
  request: IncomingMessage,
  caller: Principal | null,
  door: Pick<Door, 'origins'>,
): void {
  if (caller?.via === 'token') return
  if (request.method === 'GET' || request.method === 'HEAD') return
  const site = request.headers['sec-fetch-site']
  const origin = request.headers.origin
  const refused = new DomainError('forbidden', 'This request does not come from a page of this server.')
  if (site !== undefined && site !== 'same-origin') throw refused
  if (origin === undefined) {
    if (site === 'same-origin') return
    throw refused
  }
  if (door.origins.has(origin)) return
  const host = request.headers.host
  if (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)) return
  throw refused
}

/** Whether a request for a channel of the framework comes from one of our own pages; only development has such a channel. */
export function mayUpgrade(request: IncomingMessage, door: Pick<Door, 'hostNames' | 'origins'>): boolean {
  if (!/^\/_next\//.test(request.url ?? '')) return false
  try {
    checkHost(request, door)
    const { host, origin } = request.headers
    return origin !== undefined && (door.origins.has(origin) || origin === `http://${host}`)
  } catch {
    return false
  }
}

function hostName(host: string | undefined): string | null {
  if (host === undefined) return null
  const match = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(host)
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null
}
