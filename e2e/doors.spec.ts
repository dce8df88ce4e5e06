// What the framework could open by itself once it draws pages.
import { connect } from 'node:net'
import { expect, startWithPages, test } from './fixture'

test('an upgrade that nobody asked for is answered as any request, also after pages were drawn', async () => {
  const server = await startWithPages()
  try {
    const { hostname, port } = new URL(server.origin)
    const ask = async (path: string, host: string) => {
      const socket = connect(Number(port), hostname)
      const lines = [
        `GET ${path} HTTP/1.1`,
        `Host: ${host}`,
        'Connection: Upgrade, close',
        'Upgrade: websocket',
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      let answer = ''
      for await (const chunk of socket) answer += String(chunk)
      return answer.split('\r\n')[0]
    }
    expect(await ask('/api/v1/whoami', 'evil.example')).toMatch(/ 400 /)
    expect(await ask('/api/v1/whoami', `127.0.0.1:${port}`)).toMatch(/ 401 /)
    expect(await ask('/_next/webpack-hmr', `127.0.0.1:${port}`)).toMatch(/ (?:303|404) /)
  } finally {
    await server.stop()
  }
})
