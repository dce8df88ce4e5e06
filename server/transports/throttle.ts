import type { IncomingMessage, ServerResponse } from 'node:http'
import { DomainError } from '@/server/operations/domain-error'
import { addressOf } from './guesses'
import { RateLimit } from './rate-limit'
import { sendError } from './respond'

/** Requests a second of one address that are refused for want of a caller. */
const STRANGER_RATE = 50

export type ThrottleOptions = {
  /** Requests a second for one caller. */
  readonly rateLimit: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly onDefect: (error: unknown) => void
}

/** Holds callers and strangers to their rates, and answers those whom it refuses. */
export function createThrottle({ rateLimit, now, onDefect }: ThrottleOptions) {
  const perCaller = new RateLimit(rateLimit, 1_000)
  // What is refused has a bucket of its own, by address. Guesses are limited before they are checked (guesses.ts).
  const perStranger = new RateLimit(Math.min(rateLimit, STRANGER_RATE), 1_000)

  function refuseRate(response: ServerResponse, seconds: number): void {
    const error = new DomainError(
      'rate_limited',
      `Too many requests: try again in ${seconds} s.`,
      [],
      seconds,
    )
    sendError(response, error, onDefect)
  }

  return {
    /** Takes one request of a caller. False: it was one too many, and is answered. */
    admits(caller: string, response: ServerResponse): boolean {
      const wait = perCaller.take(caller, now())
      if (wait > 0) refuseRate(response, wait)
      return wait === 0
    },

    /** Answers a request of which nobody knows who sent it. */
    refuseStranger(
      request: IncomingMessage,
      response: ServerResponse,
      message = 'Sign in, or send a valid token: Authorization: Bearer <token>.',
    ): void {
      const wait = perStranger.take(addressOf(request), now())
      if (wait > 0) return refuseRate(response, wait)
      sendError(response, new DomainError('unauthenticated', message), onDefect, {
        'www-authenticate': 'Bearer',
        ...(request.complete ? {} : { connection: 'close' }),
      })
    },
  }
}
