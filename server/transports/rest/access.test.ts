import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { holds, INSTALLATION, roles, type Right } from '@/server/operations/rights'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { Router } from './router'
import { restRoutes } from './routes'
import type { Route } from './route'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'] as const
const people = {
  nobody: [],
  root: [...roles],
  ...Object.fromEntries(roles.map((role) => [role, [role]])),
} as Record<string, readonly string[]>

let api: ApiServer
let table: readonly Route[]
beforeAll(async () => {
  api = await openApiServer({ people })
  table = restRoutes
})
afterAll(() => api[Symbol.asyncDispose]())

/** A request as bytes: fetch would normalise the path and refuse some methods. Answers the status. */
function raw(
  method: string,
  target: string,
  headers: Record<string, string> = {},
  from = '127.0.0.1',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: api.port, host: '127.0.0.1', localAddress: from })
    let answer = ''
    socket.on('error', reject)
    socket.on('data', (bytes: Buffer) => {
      answer += bytes.toString('latin1')
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
      if (status === undefined) return
      socket.destroy()
      resolve(Number(status))
    })
    const lines = Object.entries({ host: `127.0.0.1:${api.port}`, connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.write(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  })
}

const filled = (path: string) => `/api/v1${path.replace(/:[a-z_]+/g, 'nowhere')}`
const bearer = (name: string) => ({ authorization: `Bearer ${name}` })

/** Paths that a careless comparison would take for `path`. */
function variants(path: string): string[] {
  const last = path.lastIndexOf('/')
  return [
    `${path}/`,
    `${path}.`,
    `${path}%20`,
    `${path};x`,
    `${path}/.`,
    `${path}%00`,
    `${path}.json`,
    path.replace('/api/v1/', '/api/v1//'),
    path.replace('/api/v1/', '//api/v1/'),
    path.replace('/api/v1/', '/api/v1/./'),
    path.replace('/api/v1/', '/api/v1/x/../'),
    path.replace('/api/v1/', '/api/v1%2F'),
    path.replace('/api/v1/', '/API/v1/'),
    path.replace('/api/v1/', '/api/V1/'),
    `${path.slice(0, last)}\\${path.slice(last + 1)}`,
    `${path.slice(0, last + 1)}${path.slice(last + 1).toUpperCase()}`,
    `${path.slice(0, last + 1)}%${path.charCodeAt(last + 1).toString(16)}${path.slice(last + 2)}`,
    `/healthz/..${path}`,
    `/readyz${path}`,
    `${path}/healthz`,
  ]
}

describe('every route, every method, every caller', () => {
  it('has a right on every row, and no two rows for one call', () => {
    expect(table.length).toBeGreaterThanOrEqual(30)
    const known: readonly Right[] = ['know_self', 'read', 'decide', 'operate', 'edit', 'administer']
    for (const { method, path, operation } of table)
      for (const right of operation.rights) expect(known, `${method} ${path}`).toContain(right)
    expect(() => new Router([...table, table[0]!])).toThrow(/two routes/)
  })

  it('lets nobody in without a token, with a wrong one, or with a trusted-looking header', async () => {
    const strangers: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic cm9vdDpyb290' },
      { authorization: 'bearer' },
      { cookie: 'person=stranger' },
      { authorization: 'Bearer wrong', cookie: 'person=root' },
      { 'x-forwarded-for': '127.0.0.1', 'x-request-from': 'internal', 'x-original-url': '/healthz' },
    ]
    const seen = new Set<number>()
    for (const path of new Set(table.map((route) => filled(route.path)))) {
      for (const method of methods)
        for (const headers of strangers) seen.add(await raw(method, path, headers, '127.0.0.2'))
    }
    // Guessing is slowed down as well: some of so many answers say so.
    expect([...seen].toSorted()).toEqual([401, 429])
  })

  it('answers each role by the table of rights: 403 exactly where the right is not held', async () => {
    const wrong: string[] = []
    for (const route of table) {
      for (const [name, held] of Object.entries(people)) {
        const status = await raw(route.method, filled(route.path), bearer(name))
        const allowed = route.operation.rights.some((right) => holds({ roles: held }, right, INSTALLATION))
        if (allowed ? status === 403 || status === 401 : status !== 403)
          wrong.push(`${name} ${route.method} ${route.path}: ${status}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('answers 405 to every other method, with what it allows', async () => {
    for (const path of new Set(table.map((route) => route.path))) {
      const own = table.filter((route) => route.path === path).map((route) => route.method as string)
      for (const method of methods.filter((candidate) => !own.includes(candidate))) {
        // A literal path may also be the parameter of a sibling: POST /pipelines/validate and GET /pipelines/:id.
        expect([405], `${method} ${path}`).toContain(await raw(method, filled(path), bearer('root')))
      }
    }
    expect((await api.call('PUT', '/api/v1/events', {})).headers.get('allow')).toBe('POST')
  })

  it('takes no other spelling of a path for it', async () => {
    const wrong: string[] = []
    for (const path of new Set(table.map((route) => filled(route.path)))) {
      for (const variant of variants(path).filter((candidate) => candidate !== path)) {
        const stranger = await raw('GET', variant)
        if (variant.startsWith('/api/') ? ![401, 429].includes(stranger) : stranger === 200)
          wrong.push(`stranger ${variant}: ${stranger}`)
        const known = await raw('GET', variant, bearer('root'))
        if (![404, 400].includes(known)) wrong.push(`root ${variant}: ${known}`)
      }
    }
    // `nowhere` in capitals, with an ending, or in its place, is another id: 404, or 405 where nothing is read.
    expect(wrong.filter((line) => !/(NOWHERE|nowhere\.json|secrets\/healthz): 405$/.test(line))).toEqual([])
  })

  it('keeps open only the two probes', async () => {
    expect(await raw('GET', '/healthz')).toBe(200)
    expect(await raw('HEAD', '/healthz')).toBe(200)
    expect(await raw('GET', '/readyz')).toBe(200)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
      expect(await raw(method, '/healthz'), method).toBe(405)
    for (const path of [
      '/api',
      '/api/',
      '/api/v1',
      '/api/v2/pipelines',
      '/api/trpc',
      '/api/trpc/pipelines.list',
    ]) {
      expect([401, 429], path).toContain(await raw('GET', path))
    }
  })
})

describe('sessions of browsers', () => {
  const session = { cookie: 'person=root' }
  const here = () => `http://127.0.0.1:${api.port}`
  const post = (headers: Record<string, string>) =>
    raw('POST', '/api/v1/executions/nowhere/cancel', { ...session, 'content-length': '0', ...headers })

  it('may read; may act only from our own pages', async () => {
    expect(await raw('GET', '/api/v1/whoami', session)).toBe(200)
    expect(await post({ origin: here() })).toBe(404)
    expect(await post({ 'sec-fetch-site': 'same-origin' })).toBe(404)
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${here()}.evil.example` },
      { origin: here(), 'sec-fetch-site': 'cross-site' },
      { origin: here(), 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ] as Record<string, string>[]) {
      expect(await post(headers), JSON.stringify(headers)).toBe(403)
    }
    expect(
      await raw('POST', '/api/v1/executions/nowhere/cancel', {
        ...bearer('root'),
        origin: 'https://evil.example',
        'content-length': '0',
      }),
    ).toBe(404)
  })

  it('answers to its own names only, so that a rebound name is not same-origin', async () => {
    for (const host of [
      'evil.example',
      'evil.example:3000',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'a@localhost',
      '',
    ]) {
      expect(await raw('GET', '/api/v1/whoami', { ...session, host }), host).toBe(400)
    }
    for (const host of ['localhost', `localhost:${api.port}`, '[::1]:3000', '10.0.0.7']) {
      expect(await raw('GET', '/api/v1/whoami', { ...session, host }), host).toBe(200)
    }
  })

  it('gives no other origin leave to read', async () => {
    const answer = await api.call('GET', '/api/v1/whoami', undefined, { origin: 'https://evil.example' })
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

describe('rate', () => {
  it('answers 429 with Retry-After past the limit of a caller, and nobody else notices', async () => {
    await using limited = await openApiServer({ people, rateLimit: 5 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => limited.call('GET', '/api/v1/whoami')))
    const refused = answers.filter((answer) => answer.status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(10)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect((await limited.call('GET', '/api/v1/whoami', undefined, bearer('viewer'))).status).toBe(200)
  })
})
