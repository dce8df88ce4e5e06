import type { Exchange } from '@/server/transports/rest/route'
import { DomainError } from '@/server/operations/domain-error'
import { holdsAny, type OperationDescription } from '@/server/operations/operation'
import type { Hub } from './hub'
import { resourceOf } from '@/server/operations/rights'

/** A reader that has not taken this many bytes is slow: it gets no more until it has, and catches up from the journal. */
const mostUnread = 256 * 1024

export const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** What every stream begins with: when to try again, and the instant of the server's clock. */
export const streamStart = (hub: Hub): string => `retry: 1000\n\n: ${hub.options.ctx.clock.now()}\n\n`

/** The comment that everything up to `standing` stands before it. */
export const beatOf = (hub: Hub, standing: string | number): string =>
  `: ${hub.options.ctx.clock.now()} ${standing}\n\n`

/**
 * One open answer of type `text/event-stream`: bounded, kept alive by comments, and closed when the caller is no longer let in.
 */
export class StreamWriter {
  readonly ended: Promise<void>
  readonly #hub: Hub
  readonly #response: Exchange['response']
  readonly #leave: () => void
  #open = true
  /** Called when a slow reader has caught up with what was written. */
  onDrain: () => void = () => {}
  /** Called now and then: the moment to look again whether something was missed. */
  onPoll: () => void = () => {}
  /** What a heartbeat says: up to where everything that is committed was written; null while that is not so. */
  standing: () => string | null = () => null
  onEnd: () => void = () => {}

  /** @throws DomainError `unavailable` when the server carries no more streams. */
  constructor(
    hub: Hub,
    exchange: Exchange,
    options: Pick<OperationDescription, 'rights'> & {
      readonly headers?: Readonly<Record<string, string>> | undefined
    },
  ) {
    if (!hub.hasRoom())
      throw new DomainError('unavailable', 'The server has too many open streams: try again later.')
    const { response, request, fields } = exchange
    const resource = resourceOf(fields)
    this.#hub = hub
    this.#response = response
    // Ends with its connection: no message is wrapped once more, which costs a fourth of writing it.
    response.useChunkedEncodingByDefault = false
    response.writeHead(200, { connection: 'close', ...streamHeaders, ...options.headers })
    response.write(streamStart(hub))
    response.on('drain', () => this.onDrain())
    this.#leave = hub.join({
      beat: () => this.beat(),
      poll: () => {
        if (!this.isFull()) this.onPoll()
      },
      recheck: async () => {
        const caller = await hub.options.callerOf(request)
        if (!caller || !holdsAny(caller, options.rights, resource)) this.end()
      },
      end: () => this.end(),
    })
    this.ended = new Promise((resolve) => {
      response.on('close', () => {
        this.end()
        resolve()
      })
    })
  }

  get isOpen(): boolean {
    return this.#open
  }

  isFull(): boolean {
    return this.#response.writableLength > mostUnread
  }

  write(message: string | Buffer): void {
    if (this.#open) this.#response.write(message)
  }

  /**
   * Keeps the line alive by a comment. One with an instant of the server's clock (milliseconds) and a standing says more: all that
   * was committed up to then stands before it, so that a reader knows how far it is behind, and finds what it has lost.
   */
  beat(): void {
    if (this.isFull()) return
    const standing = this.standing()
    this.write(standing === null ? ':\n\n' : beatOf(this.#hub, standing))
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#leave()
    this.onEnd()
    this.#response.end()
  }
}
