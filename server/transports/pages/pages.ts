import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { targetOf } from '@/server/transports/api'
import { contentType, parseJson, readText } from '@/server/transports/body'
import { checkHost, checkOrigin, type Door } from '@/server/transports/door'
import { DomainError } from '@/server/operations/domain-error'
import { addressOf } from '@/server/transports/guesses'
import { RateLimit } from '@/server/transports/rate-limit'
import { sendError, sendJson, sendText } from '@/server/transports/respond'
import { pageHeaders } from './page-headers'

export type PagesOptions = {
  readonly door: Door
  readonly now: () => number
  readonly development: boolean
  /** Pages come by https: cookies and transport headers follow from it. */
  readonly secure: boolean
  /** Draws a page; null while the pages are not prepared yet (or were not built). */
  readonly render: () => ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | null
  /** Consumes a one-time token. Answers the cookies of the new session, or null. */
  readonly redeem: (token: string) => Promise<readonly string[] | null>
  readonly onDefect: (error: unknown) => void
}

/** Files that a browser needs before anybody has signed in: exact places, plain names. */
const staticFile =
  /^\/(?:_next\/static\/(?:[A-Za-z0-9_@~()[\]-][A-Za-z0-9_.@~()[\]-]*\/)*[A-Za-z0-9_@~()[\]-][A-Za-z0-9_.@~()[\]-]*|favicon\.ico|icon\.svg|icon\.png|apple-icon\.png|manifest\.webmanifest)$/

const signInPath = '/sign-in'
const signInsPerMinute = 5

/**
 * Everything that is not the API: pages for those who are signed in, the way to sign in, static files. A GET of the link only
 * shows a page; the POST of its button consumes the token, so that a link preview cannot.
 */
export function createPages(
  options: PagesOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const signIns = new RateLimit(signInsPerMinute, 60_000)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path } = targetOf(request)
    if (path === signInPath && request.method === 'POST') return signIn(request, response)
    checkHost(request, options.door)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new DomainError('method_not_allowed', 'Pages answer GET and HEAD only.')
    }
    // Programs may name the server in the address; the renderer must see the path that was checked.
    if (request.url?.startsWith('/') !== true || !isPlain(path))
      throw new DomainError('not_found', 'There is nothing at this address.')
    const isStatic = staticFile.test(decoded(path)) || (options.development && path.startsWith('/_next/'))
    if (!isStatic && path !== signInPath && !(await isSignedIn(request)))
      return sendToSignIn(request, response, path)
    return draw(request, response)
  }

  async function isSignedIn(request: IncomingMessage): Promise<boolean> {
    return (await options.door.callerOf(request)) !== null
  }

  function sendToSignIn(request: IncomingMessage, response: ServerResponse, path: string): void {
    const next = path === '/' ? '' : `?next=${encodeURIComponent(request.url ?? '/')}`
    sendText(response, 303, { text: '', type: null }, { location: `${signInPath}${next}` })
  }

  async function draw(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const render = options.render()
    const nonce = randomBytes(18).toString('base64')
    const headers = pageHeaders(nonce, options)
    if (!render) {
      return sendText(
        response,
        503,
        { text: starting, type: 'text/html; charset=utf-8' },
        { ...headers, 'retry-after': '1' },
      )
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    // The renderer takes the nonce for its own scripts from the policy on the request.
    request.headers['content-security-policy'] = headers['content-security-policy']
    request.headers['x-nonce'] = nonce
    await render(request, response)
  }

  async function signIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    checkHost(request, options.door)
    checkOrigin(request, null, options.door)
    const wait = signIns.take(addressOf(request), options.now())
    if (wait > 0) {
      const message = `Too many attempts to sign in: try again in ${wait} s.`
      throw new DomainError('rate_limited', message, [], wait)
    }
    const type = contentType(request)
    if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded') {
      throw new DomainError('unsupported_media_type', 'Send the token as a form or as JSON.')
    }
    const fields = readFields(type, await readText(request, 4_000))
    const cookies = await options.redeem(fields.token)
    if (type === 'application/json') {
      if (!cookies)
        throw new DomainError(
          'unauthenticated',
          'This link is not good any more: take the newest one from the console.',
        )
      response.setHeader('set-cookie', [...cookies])
      return sendJson(response, 200, { next: fields.next })
    }
    if (cookies) response.setHeader('set-cookie', [...cookies])
    sendText(
      response,
      303,
      { text: '', type: null },
      {
        location: cookies ? fields.next : `${signInPath}?error=invalid_link`,
      },
    )
  }

  return async (request, response) => {
    try {
      await answer(request, response)
    } catch (error) {
      sendError(response, error, options.onDefect, request.complete ? {} : { connection: 'close' })
    }
  }
}

const starting =
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1"><title>Penstock is starting</title><p>Penstock is starting.</p></html>'

/** No empty, dot or encoded-dot segments, no backslash, no control characters: what we check is what the renderer sees. */
function isPlain(path: string): boolean {
  return (
    /^\/[A-Za-z0-9_.~!$&'()*+,;=:@%/[\]-]*$/.test(path) &&
    !/\/\/|\/\.{1,2}(?:\/|$)|%(?:2e|2f|5c|00|25)/i.test(path) &&
    decoded(path) !== ''
  )
}

/** The path without percent-encoding; empty when it cannot be decoded. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}

/** Where to go after signing in: a path of our own, or the first page. */
function ownPath(next: unknown): string {
  return typeof next === 'string' &&
    next.length < 2_000 &&
    /^\/(?![/\\])[\x21-\x7e]*$/.test(next) &&
    !next.includes('\\')
    ? next
    : '/'
}

function readFields(type: string, text: string): { token: string; next: string } {
  if (type !== 'application/json') {
    const form = new URLSearchParams(text)
    return { token: form.get('token') ?? '', next: ownPath(form.get('next')) }
  }
  const body = parseJson(text)
  const fields = body !== null && typeof body === 'object' ? (body as Record<string, unknown>) : {}
  return { token: typeof fields['token'] === 'string' ? fields['token'] : '', next: ownPath(fields['next']) }
}
