import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OperationContext } from '@/server/operations/context'
import { DomainError } from '@/server/operations/domain-error'
import { checkHost, checkOrigin, type Door } from './door'
import type { Guesses } from './guesses'
import type { AnswerMetrics } from './metrics-door'
import { answerHook, hookRefusal } from './hooks/answer'
import { answerProbe } from './probe'
import { sendError } from './respond'
import { answerRest } from './rest/answer'
import { Router } from './rest/router'
import { restHandlers, restRoutes } from './rest/routes'
import type { Hub } from './sse/hub'
import { createThrottle } from './throttle'
import { answerTrpc } from './trpc/answer'

export type ApiOptions = {
  readonly ctx: OperationContext
  /** Already with its limit of guesses (`guardDoor`). */
  readonly door: Door
  readonly guesses: Guesses
  readonly hub: Hub
  /** Requests a second for one caller (PENSTOCK_RATE_LIMIT). */
  readonly rateLimit: number
  /** Ends the session of this request and takes its cookie back. */
  readonly signOut: (request: IncomingMessage, response: ServerResponse) => Promise<void>
  /** True when the database takes writes and the engine leads. */
  readonly isReady: () => Promise<boolean>
  /** null: metrics have a port of their own, or there are none. */
  readonly answerMetrics: AnswerMetrics | null
  readonly onDefect: (error: unknown) => void
}

/**
 * The API as one function: host, rate, caller, origin, then REST, tRPC or the two open probes. Answers true when the path was
 * its own (everything below `/api` and `/hooks`, `/healthz`, `/readyz`, `/metrics`), else false without touching anything. Nothing below
 * `/api` is open, a hook only to who knows its secret, and metrics have a door of their own.
 */
export function createApi(
  options: ApiOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const { ctx, door, hub, rateLimit, isReady, answerMetrics, onDefect } = options
  const rest = { router: new Router(restRoutes), handlers: restHandlers(hub), onDefect }
  const throttle = createThrottle({ rateLimit, now: () => ctx.clock.now(), onDefect })

  async function answerApi(
    request: IncomingMessage,
    response: ServerResponse,
    target: Target,
  ): Promise<void> {
    checkHost(request, door)
    const caller = await door.callerOf(request)
    if (!caller) return throttle.refuseStranger(request, response)
    if (!throttle.admits(`${caller.via}:${caller.id}`, response)) return
    checkOrigin(request, caller, door)
    if (target.path.startsWith('/api/v1/')) {
      const path = target.path.slice('/api/v1'.length)
      return answerRest(rest, { ctx, caller, request, response, path, query: target.query })
    }
    if (target.path.startsWith('/api/trpc/')) {
      const signOut = async () => {
        if (caller.via === 'session') await options.signOut(request, response)
      }
      const path = target.path.slice('/api/trpc/'.length)
      return answerTrpc({ operations: ctx, caller, signOut }, { request, response, path }, onDefect)
    }
    throw new DomainError('not_found', 'There is nothing at this address.')
  }

  /** Hooks have no caller but who knows the secret of a trigger; the name of the host is whatever the sender uses. */
  function answerHooks(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    return answerHook(
      ctx,
      { request, response, ...target },
      {
        refuse: () => throttle.refuseStranger(request, response, hookRefusal),
        mayGoOn: (name) => throttle.admits(name, response),
        guard: {
          admit: () => options.guesses.admit('hook', request),
          wrong: () => options.guesses.wrong('hook', request),
        },
      },
    )
  }

  return async (request, response) => {
    const target = targetOf(request)
    const { path } = target
    try {
      if (path === '/healthz' || path === '/readyz') await answerProbe(request, response, path, isReady)
      else if (path === '/metrics') await answerWith(answerMetrics, request, response)
      else if (path === '/api' || path.startsWith('/api/')) await answerApi(request, response, target)
      else if (path.startsWith('/hooks/')) await answerHooks(request, response, target)
      else return false
    } catch (error) {
      sendError(response, error, onDefect, request.complete ? {} : { connection: 'close' })
    }
    return true
  }
}

async function answerWith(answer: AnswerMetrics | null, request: IncomingMessage, response: ServerResponse) {
  if (answer === null) throw new DomainError('not_found', 'There is nothing at this address.')
  await answer(request, response)
}

type Target = { readonly path: string; readonly query: string }

/** The raw path and the query of a request; nothing is decoded or normalised. */
export function targetOf(request: IncomingMessage): Target {
  // Whoever speaks to a proxy names the server, too; the host was checked by its header.
  const url = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '')
  const mark = url.indexOf('?')
  return mark < 0 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) }
}
