import type { Exchange } from '@/server/transports/rest/route'
import { DomainError } from '@/server/operations/domain-error'
import { holds, type Right } from '@/server/operations/rights'
import type { Hub } from './hub'

/** A reader that has not taken this many bytes is slow: it gets no more until it has, and catches up from the journal. */
const mostUnread = 256 * 1024

/**
 * One open answer of type `text/event-stream`: bounded, kept alive by comments, and closed when the caller is no longer let in.
 */
export class StreamWriter {
  readonly ended: Promise<void>
  readonly #response: Exchange['response']
  readonly #leave: () => void
  #open = true
  /** Called when a slow reader has caught up with what was written. */
  onDrain: () => void = () => {}
  /** Called at every heartbeat: the moment to look again whether something was missed. */
  onTick: () => void = () => {}
  onEnd: () => void = () => {}

  /** @throws DomainError `unavailable` when the server carries no more streams. */
  constructor(hub: Hub, exchange: Exchange, right: Right) {
    if (!hub.hasRoom())
      throw new DomainError('unavailable', 'The server carries no more streams now: try again later.')
    const { response, request } = exchange
    this.#response = response
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    response.write('retry: 1000\n\n')
    response.on('drain', () => this.onDrain())
    this.#leave = hub.join({
      tick: () => {
        if (this.isFull()) return
        response.write(':\n\n')
        this.onTick()
      },
      recheck: async () => {
        const caller = await hub.options.callerOf(request)
        if (!caller || !holds(caller.roles, right)) this.end()
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

  write(text: string): void {
    if (this.#open) this.#response.write(text)
  }

  end(): void {
    if (!this.#open) return
    this.#open = false
    this.#leave()
    this.onEnd()
    this.#response.end()
  }
}
