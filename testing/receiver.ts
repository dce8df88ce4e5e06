// A receiver of webhooks: a real HTTP server on the loopback address that remembers what it was sent.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Event } from '@/core/engine/event'

export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: {
    readonly event_type: string
    readonly execution_id: string
    readonly timestamp: string
    readonly event: Event
  }
}

export type Receiver = AsyncDisposable & {
  readonly url: string
  /** In the order in which the requests were complete. */
  readonly received: readonly Received[]
  /** How it answers from now on. */
  answer: (response: ServerResponse, request: Received) => void
  /** Resolves when what was received satisfies the condition. */
  until(condition: (received: readonly Received[]) => boolean): Promise<void>
}

export const answering =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end()

/** Opens a receiver, on a port of its own unless one is given. */
export async function openReceiver(
  answer: Receiver['answer'] = answering(204),
  { port = 0 } = {},
): Promise<Receiver> {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const body = JSON.parse(text) as Received['body']
      const one = { path: request.url ?? '', headers: request.headers, text, body }
      received.push(one)
      receiver.answer(response, one)
      for (const look of waiting) look()
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    until: (condition) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!condition(received)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}
