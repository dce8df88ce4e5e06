import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * The server, with every listener that its sockets have: nothing else gets hold of it, so nothing opens a way around `handle`.
 *
 * - `upgrade` is null but in development: without a listener Node answers such a request as any other, and does not upgrade.
 * - CONNECT is refused.
 * - `Expect: 100-continue` goes through `handle`; the sender is asked for the body when somebody wants to read it, and not before.
 * - What cannot be parsed, is too long or too slow is answered once and the connection closed.
 */
export function createHttpServer(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  upgrade: Upgrade | null,
): Server {
  const server = createServer(handle)
  if (upgrade !== null) server.on('upgrade', upgrade)
  server.on('connect', (_request, socket) => refuse(socket, 405, 'This server is no proxy.'))
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const ask = (event: string | symbol) => {
      if (event !== 'data' && event !== 'readable') return
      request.off('newListener', ask)
      if (!response.headersSent) response.writeContinue()
    }
    request.on('newListener', ask)
    handle(request, response)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW') refuse(socket, 431, 'The headers are too large.')
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuse(socket, 408, 'The request took too long.')
    else refuse(socket, 400, 'This is no HTTP request.')
  })
  return server
}

/** Answers without a request that could be answered, and closes. */
export function refuse(socket: Duplex, status: number, message: string): void {
  socket.on('error', () => undefined)
  if (!socket.writable) return void socket.destroy()
  const body = JSON.stringify({ error: { code: 'malformed', message } })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  // The other side may never read it or close its own.
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
