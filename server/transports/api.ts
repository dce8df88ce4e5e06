import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Principal } from '@/core/engine/principal'
import type { OperationContext } from '@/server/operations/context'
import { DomainError } from '@/server/operations/domain-error'
import { checkHost, checkOrigin, type Door } from './door'
import { answerHook, hookRefusal } from './hooks/answer'
import { RateLimit } from './rate-limit'
import { sendError, sendJson } from './respond'
import { answerRest } from './rest/answer'
import { Router } from './rest/router'
import { restHandlers, restRoutes } from './rest/routes'
import type { Hub } from './sse/hub'
import { answerTrpc } from './trpc/answer'

export type ApiOptions = {
  readonly ctx: OperationContext
  readonly door: Door
  readonly hub: Hub
  /** Requests a second for one caller (PENSTOCK_RATE_LIMIT). */
  readonly rateLimit: number
  /** Ends the session of this request and takes its cookie back. */
  readonly signOut: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** True when the database takes writes and the engine leads. */
  readonly isReady: () => Promise<boolean>
  readonly onDefect: (error: unknown) => void
}

/**
 * The API as one function: host, rate, caller, origin, then REST, tRPC or the two open probes. Answers true when the path was
 * its own (everything below `/api` and `/hooks`, `/healthz`, `/readyz`), else false without touching anything. Nothing below `/api` is
 * open, and a hook only to who knows its secret.
 */
export function createApi(
  options: ApiOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const { ctx, door, hub, onDefect } = options
  const rest = { router: new Router(restRoutes), handlers: restHandlers(hub), onDefect }
  const perCaller = new RateLimit(options.rateLimit, 1_000)
  // Guessing tokens costs the guesser: refused requests have a bucket of their own, by address.
  const perStranger = new RateLimit(Math.min(options.rateLimit, 50), 1_000)

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    target: { path: string; query: string },
  ): Promise<void> {
    checkHost(request, door)
    const caller = await door.callerOf(request)
    if (!caller) return refuseStranger(request, response)
    const wait = perCaller.take(`${caller.via}:${caller.id}`, ctx.clock.now())
    if (wait > 0) return refuseRate(response, wait)
    checkOrigin(request, caller, door)
    if (target.path.startsWith('/api/v1/')) {
      const path = target.path.slice('/api/v1'.length)
      return answerRest(rest, { ctx, caller, request, response, path, query: target.query })
    }
    if (target.path.startsWith('/api/trpc/')) {
      const context = { operations: ctx, caller, signOut: () => signOut(caller, request, response) }
      const path = target.path.slice('/api/trpc/'.length)
      return answerTrpc(context, { request, response, path }, onDefect)
    }
    throw new DomainError('not_found', 'There is nothing at this address.')
  }

  /** Hooks have no caller but who knows the secret of a trigger; the name of the host is whatever the sender was told. */
  function answerHooks(
    request: IncomingMessage,
    response: ServerResponse,
    target: { path: string; query: string },
  ): Promise<void> {
    return answerHook(
      ctx,
      { request, response, ...target },
      {
        refuse: () => refuseStranger(request, response, hookRefusal),
        mayGoOn(name) {
          const wait = perCaller.take(name, ctx.clock.now())
          if (wait > 0) refuseRate(response, wait)
          return wait === 0
        },
      },
    )
  }

  async function signOut(
    caller: Principal,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    if (caller.via === 'session') await options.signOut(request, response)
  }

  function refuseStranger(
    request: IncomingMessage,
    response: ServerResponse,
    message = 'Sign in, or send a valid token: Authorization: Bearer <token>.',
  ): void {
    const wait = perStranger.take(request.socket.remoteAddress ?? '', ctx.clock.now())
    if (wait > 0) return refuseRate(response, wait)
    sendError(response, new DomainError('unauthenticated', message), onDefect, {
      'www-authenticate': 'Bearer',
      ...(request.complete ? {} : { connection: 'close' }),
    })
  }

  function refuseRate(response: ServerResponse, seconds: number): void {
    const error = new DomainError('rate_limited', `Too many requests: try again in ${seconds} s.`)
    sendError(response, error, onDefect, { 'retry-after': String(seconds), connection: 'close' })
  }

  async function probe(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendError(
        response,
        new DomainError('method_not_allowed', 'This address answers GET only.'),
        onDefect,
        { allow: 'GET, HEAD' },
      )
    }
    if (path === '/healthz') return sendJson(response, 200, { status: 'ok' })
    const ready = await options.isReady().catch(() => false)
    sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready' })
  }

  return async (request, response) => {
    const { path, query } = targetOf(request)
    try {
      if (path === '/healthz' || path === '/readyz') await probe(request, response, path)
      else if (path === '/api' || path.startsWith('/api/'))
        await answerApi(request, response, { path, query })
      else if (path.startsWith('/hooks/')) await answerHooks(request, response, { path, query })
      else return false
    } catch (error) {
      sendError(response, error, onDefect, request.complete ? {} : { connection: 'close' })
    }
    return true
  }
}

/** The raw path and the query of a request; nothing is decoded or normalised. */
export function targetOf(request: IncomingMessage): { readonly path: string; readonly query: string } {
  const url = request.url ?? '/'
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}
