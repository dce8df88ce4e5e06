import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openApiServer } from '@/testing/api-server'

type Door = NonNullable<NonNullable<Parameters<typeof openApiServer>[0]>['metricsDoor']>

/** Asks for the metrics of a server with that door. */
async function ask(door: Door, headers: Record<string, string> = {}, method = 'GET') {
  await using server = await openApiServer({ metricsDoor: door })
  const response = await fetch(`${server.base}/metrics`, { headers, method })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** As `fetch`, which does not let a caller choose the host. */
async function askAs(host: string, door: Door = {}): Promise<string> {
  await using server = await openApiServer({ metricsDoor: door })
  return await new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1')
    let text = ''
    socket.on('data', (data) => (text += String(data)))
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
    socket.on('error', reject)
    socket.write(`GET /metrics HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
  })
}

describe('the door of the metrics', () => {
  it('[H-20] lets programs of this machine in, and answers in the format of Prometheus', async () => {
    const { status, text, headers } = await ask({})
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(text).toContain('# TYPE hlp_executor_tasks_total counter\n')
  })

  it.each([['x-forwarded-for'], ['forwarded'], ['via'], ['x-real-ip'], ['x-forwarded-host']])(
    'refuses what a proxy passes on, by %s',
    async (name) => {
      expect((await ask({}, { [name]: '203.0.113.7' })).status).toBe(403)
    },
  )

  it('refuses everybody without a token when people come through a proxy', async () => {
    const { status, text } = await ask({ behindProxy: true })
    expect(status).toBe(403)
    expect(text).toContain('PENSTOCK_METRICS_TOKEN')
  })

  it.each([['localhost'], ['127.0.0.1:3000'], ['[::1]:3000']])('answers to the host %s', async (host) => {
    expect(await askAs(host)).toBe('HTTP/1.1 200 OK')
  })

  it.each([['attacker.example'], ['127.0.0.1.attacker.example'], ['203.0.113.7'], ['']])(
    'does not answer to the host "%s"',
    async (host) => {
      expect(await askAs(host)).toMatch(/^HTTP\/1\.1 40[03] /)
    },
  )

  it('with a token asks everybody for it, and takes nothing else', async () => {
    const door = { token: 'a token of a scraper', behindProxy: true }
    expect((await ask(door)).status).toBe(401)
    expect((await ask(door, { authorization: 'Bearer root' })).status).toBe(401)
    expect((await ask(door, { authorization: 'Bearer a token of a scraper' })).status).toBe(401)
    const plain = { token: 'scrape-token', behindProxy: true }
    expect((await ask(plain, { authorization: 'Bearer scrape-token' })).status).toBe(200)
    const refused = await ask(plain)
    expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    expect(refused.text).not.toContain('hlp_executor')
  })

  it('does not let its token into the API', async () => {
    await using server = await openApiServer({ metricsDoor: { token: 'scrape-token' } })
    const headers = { authorization: 'Bearer scrape-token' }
    expect((await fetch(`${server.base}/api/v1/pipelines`, { headers })).status).toBe(401)
  })

  it('limits guesses, and refuses the right token inside a flood', async () => {
    await using server = await openApiServer({ metricsDoor: { token: 'scrape-token' } })
    const guess = async (token: string) =>
      (await fetch(`${server.base}/metrics`, { headers: { authorization: `Bearer ${token}` } })).status
    const answers = []
    for (let at = 0; at < 25; at += 1) answers.push(await guess(`wrong-${at}`))
    expect(answers.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(answers).toContain(429)
    expect(await guess('scrape-token')).toBe(429)
  })

  it('answers GET and HEAD only', async () => {
    expect((await ask({}, {}, 'POST')).status).toBe(405)
    expect(await ask({}, {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('is not on this port when metrics have one of their own', async () => {
    expect((await ask({ ownPort: true })).status).toBe(404)
  })
})
