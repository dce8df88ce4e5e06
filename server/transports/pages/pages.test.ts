import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPages } from './pages'
import { person } from '@/testing/person'

let now = 0
let rendered: { path: string; policy: string; nonce: string }[] = []
let ready = true
let port = 0

const pages = createPages({
  door: {
    callerOf: async (request) => (request.headers.cookie === 'ok' ? person('owner') : null),
    hostNames: new Set(),
    origins: new Set(),
  },
  now: () => now,
  development: false,
  secure: true,
  render: () =>
    ready
      ? async (request, response) => {
          rendered.push({
            path: request.url ?? '',
            policy: String(request.headers['content-security-policy']),
            nonce: String(request.headers['x-nonce']),
          })
          response.end('drawn')
        }
      : null,
  redeem: async (token) => (token === 'good' ? ['penstock.session=1; HttpOnly'] : null),
  onDefect: (error) => {
    throw error
  },
})
const server = createServer((request, response) => void pages(request, response))
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  rendered = []
  ready = true
  now += 120_000
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' })
const signIn = (body: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: `http://127.0.0.1:${port}`,
      ...headers,
    },
    body,
    redirect: 'manual',
  })

/** A request whose target nobody normalises. Answers the status. */
async function raw(target: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString('latin1')
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}

describe('pages', () => {
  it('redirects callers without a session to the sign-in page, and remembers where they wanted to go', async () => {
    const answer = await get('/executions/x?tab=graph')
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      '/sign-in?next=%2Fexecutions%2Fx%3Ftab%3Dgraph',
    ])
    expect((await get('/executions/x', { cookie: 'ok' })).status).toBe(200)
    expect(rendered).toHaveLength(1)
  })

  it('opens the sign-in page and static files, and nothing that only looks like them', async () => {
    for (const path of [
      '/sign-in',
      '/sign-in?token=good',
      '/icon.svg',
      '/favicon.ico',
      '/_next/static/chunks/a-b_c.1~x.js',
      '/_next/static/chunks/%5Broot%5D__x._.js',
    ]) {
      expect((await get(path)).status, path).toBe(200)
    }
    const count = rendered.length
    for (const target of [
      '/sign-in/',
      '/sign-in/x',
      '/SIGN-IN',
      '/_next/static/../../executions',
      '/_next/static/..%2f..%2fexecutions',
      '/_next/static/%2e%2e/executions',
      '//executions',
      '/_next/static//x',
      '/_next/image?url=x',
      '/_next/data/x.json',
      '/x/icon.svg',
      '/icon.svg/x',
      '/_next/static/a\\..\\b',
      '/executions/_next/static/x.js',
      '/%00',
      '/%zz',
      'http://127.0.0.1/sign-in',
    ]) {
      expect([303, 404], target).toContain(await raw(target))
    }
    expect(rendered.length, 'none of them was drawn').toBe(count)
  })

  it('gives every page a nonce of its own, the same on request and answer, and lets no inline script run', async () => {
    const answers = [await get('/', { cookie: 'ok' }), await get('/', { cookie: 'ok' })]
    const policies = answers.map((answer) => answer.headers.get('content-security-policy') ?? '')
    expect(new Set(policies).size).toBe(2)
    expect(rendered.map((page) => page.policy)).toEqual(policies)
    expect(policies[0]).toContain(`'nonce-${rendered[0]?.nonce}'`)
    expect(policies[0]).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    expect(policies[0]).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline/)
    expect(answers[0]?.headers.get('strict-transport-security')).toBeTruthy()
  })

  it('takes only GET and HEAD, and answers to its own names', async () => {
    expect(
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { cookie: 'ok' } })).status,
    ).toBe(405)
  })

  it('says that it starts while the pages are not ready', async () => {
    ready = false
    const answer = await get('/sign-in')
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
  })
})

describe('signing in', () => {
  it('consumes the token by POST only: opening the link decides nothing', async () => {
    const opened = await get('/sign-in?token=good')
    expect(opened.headers.get('set-cookie')).toBeNull()
    const done = await signIn('token=good&next=/executions/x')
    expect([done.status, done.headers.get('location'), done.headers.get('set-cookie')]).toEqual([
      303,
      '/executions/x',
      'penstock.session=1; HttpOnly',
    ])
  })

  it('sends a bad token back with the reason, as a page or as JSON', async () => {
    const form = await signIn('token=bad')
    expect([form.status, form.headers.get('location'), form.headers.get('set-cookie')]).toEqual([
      303,
      '/sign-in?error=invalid_link',
      null,
    ])
    const json = await signIn('{"token": "bad"}', { 'content-type': 'application/json' })
    expect(json.status).toBe(401)
    const good = await signIn('{"token": "good", "next": "/approvals"}', {
      'content-type': 'application/json',
    })
    expect(await good.json()).toEqual({ next: '/approvals' })
    expect(good.headers.get('set-cookie')).toBeTruthy()
  })

  it.each([
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    `java${'script'}:alert(1)`,
    '/a\nb',
    '/%0d%0a',
    '',
  ])('never leads elsewhere: %j', async (next) => {
    const done = await signIn(new URLSearchParams({ token: 'good', next }).toString())
    expect(['/', '/%0d%0a']).toContain(done.headers.get('location'))
  })

  it('refuses other origins, other types and large bodies', async () => {
    expect((await signIn('token=good', { origin: 'https://evil.example' })).status).toBe(403)
    expect((await signIn('token=good', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await signIn(`token=${'x'.repeat(5_000)}`)).status).toBe(413)
  })

  it('takes five attempts a minute from one address', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 7; n++) statuses.push((await signIn('token=bad')).status)
    expect(statuses).toEqual([303, 303, 303, 303, 303, 429, 429])
    const refused = await signIn('token=good')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    now += 60_000
    expect((await signIn('token=good')).headers.get('location')).toBe('/')
  })
})
