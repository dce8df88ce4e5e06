import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { readBytes } from './body'
import { mayUpgrade } from './door'
import { createHttpServer } from './http-server'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function listening(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createHttpServer(handle, null)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  /** What a connection answers to these bytes, until the server closes it or `until` is in it. */
  const say = async (text: string, until?: string) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.write(text)
    for await (const chunk of socket) {
      answer += String(chunk)
      if (until !== undefined && answer.includes(until)) break
    }
    return answer
  }
  return { server, say }
}

describe('[SECURITY] the listeners of the server', () => {
  const refusing = (_request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(401, { connection: 'close' }).end()
  }

  it('an upgrade is a request as any other, and is answered', async () => {
    const { server, say } = await listening(refusing)
    const head = 'GET /api/v1/whoami HTTP/1.1\r\nHost: evil.example\r\n'
    for (const upgrade of ['websocket', 'h2c', 'anything']) {
      const answer = await say(`${head}Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`)
      expect(answer, upgrade).toMatch(/^HTTP\/1\.1 401 /)
    }
    expect(server.listenerCount('upgrade')).toBe(0)
  })

  it('CONNECT is refused and closed', async () => {
    const { say } = await listening(refusing)
    expect(await say('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 /,
    )
  })

  it('asks for the body of a careful sender only when somebody reads it', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n'
    const stranger = await listening(refusing)
    expect(await stranger.say(head)).toMatch(/^HTTP\/1\.1 401 /)
    const reading = await listening((request, response) => {
      readBytes(request, 10).then(
        (bytes) => response.writeHead(200, { connection: 'close' }).end(`read ${bytes.length}`),
        () => response.destroy(),
      )
    })
    expect(await reading.say(head, '100 Continue')).toMatch(/^HTTP\/1\.1 100 Continue/)
    const whole = await reading.say(`${head}{}`)
    expect(whole).toContain('HTTP/1.1 200')
    expect(whole).toContain('read 2')
  })

  it('answers what is no request once, and closes', async () => {
    const { say } = await listening(refusing)
    expect(await say('nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*This is no HTTP request/)
    const large = `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`
    expect(await say(large)).toMatch(/^HTTP\/1\.1 431 /)
  })

  it('in development, only our own pages open the channel of the framework', () => {
    const door = { hostNames: new Set<string>(), origins: new Set<string>() }
    const asks = (url: string, host: string, origin?: string) =>
      mayUpgrade({ url, headers: { host, origin } } as unknown as IncomingMessage, door)
    expect(asks('/_next/webpack-hmr', 'localhost:3000', 'http://localhost:3000')).toBe(true)
    expect(asks('/_next/webpack-hmr', 'localhost:3000', 'http://evil.example')).toBe(false)
    expect(asks('/_next/webpack-hmr', 'evil.example', 'http://evil.example')).toBe(false)
    expect(asks('/_next/webpack-hmr', 'localhost:3000')).toBe(false)
    expect(asks('/api/v1/whoami', 'localhost:3000', 'http://localhost:3000')).toBe(false)
  })
})
