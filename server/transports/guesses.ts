import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { DomainError } from '@/server/operations/domain-error'
import type { Door } from './door'
import { RateLimit } from './rate-limit'

/** Wrong proofs of one address: so many at once, and as many again in `windowMs`. */
const GUESSES = { count: 20, windowMs: 4_000 } as const

/**
 * What a proof is for; each has its own limit. Sessions have none: their cookies are signed, nobody guesses one, and wrong tokens must
 * not lock out people who share an address (a proxy).
 */
type Proof = 'token' | 'hook' | 'metrics'

/**
 * Limits guesses before they are checked: an address that was wrong too often gets no check at all, so that the right one inside a
 * flood is refused as the others are. A right proof costs nothing, and other addresses notice nothing.
 */
export class Guesses {
  readonly #limit: RateLimit
  /** The last check of each address that is under way. */
  readonly #turns = new Map<string, Promise<unknown>>()

  /** @param rateLimit requests a second of a caller: guesses have no more */
  constructor(
    rateLimit: number,
    private readonly now: () => number,
  ) {
    this.#limit = new RateLimit(Math.min(rateLimit, GUESSES.count), GUESSES.windowMs)
  }

  /** Before a check. @throws DomainError `rate_limited` when this address was wrong too often */
  admit(proof: Proof, request: IncomingMessage): void {
    const wait = this.#limit.wait(keyOf(proof, request), this.now())
    if (wait > 0)
      throw new DomainError('rate_limited', `Too many wrong attempts: try again in ${wait} s.`, [], wait)
  }

  /** After a check that failed. */
  wrong(proof: Proof, request: IncomingMessage): void {
    this.#limit.take(keyOf(proof, request), this.now())
  }

  /**
   * Checks for one address run one after the other: of many requests that come at once, none is checked before it is known how those
   * before it ended. null of `check`: the proof was wrong.
   */
  async checked<T>(
    proof: Proof,
    request: IncomingMessage,
    check: () => Promise<T | null>,
  ): Promise<T | null> {
    const key = keyOf(proof, request)
    const before = this.#turns.get(key)
    const turn = (async () => {
      await before?.catch(() => undefined)
      this.admit(proof, request)
      const found = await check()
      if (found === null) this.wrong(proof, request)
      return found
    })()
    this.#turns.set(key, turn)
    try {
      return await turn
    } finally {
      if (this.#turns.get(key) === turn) this.#turns.delete(key)
    }
  }
}

/** The door with that limit in front of every token. */
export function guardDoor(door: Door, guesses: Guesses): Door {
  return {
    ...door,
    async callerOf(request) {
      // A header without anything in it guesses nothing.
      if (!request.headers.authorization) return door.callerOf(request)
      return guesses.checked('token', request, () => door.callerOf(request))
    },
  }
}

function keyOf(proof: Proof, request: IncomingMessage): string {
  return `${proof} ${addressOf(request)}`
}

/** Who sends, for a limit: of IPv6 the network of 64 bits, because whoever has one has all of its addresses. */
export function addressOf(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? ''
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  if (!isIPv6(address)) return address
  const [before = '', after] = address.replace(/%.*$/, '').split('::')
  const head = before.split(':').filter(Boolean)
  const tail = (after ?? '').split(':').filter(Boolean)
  const zeros = after === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':')
}
