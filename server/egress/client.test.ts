import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { Egress, EgressRequest, ResolveHost } from '@/server/ports/egress'
import { parseEgressRule, type EgressRule } from './allowance'
import { createEgress } from './client'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function listen(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return { server, port: (server.address() as AddressInfo).port }
}

function rules(...entries: string[]): EgressRule[] {
  return entries.map((entry) => {
    const rule = parseEgressRule(entry)
    if (rule === null) throw new Error(entry)
    return rule
  })
}

function client(allow: string[], resolve?: ResolveHost): Egress {
  const egress = createEgress({ allow: rules(...allow), ...(resolve === undefined ? {} : { resolve }) })
  open.push(() => egress.close())
  return egress
}

function get(url: string, more: Partial<EgressRequest> = {}): EgressRequest {
  return {
    method: 'GET',
    url,
    headers: new Map(),
    body: null,
    signal: new AbortController().signal,
    followRedirects: true,
    ...more,
  }
}

async function failureOf(call: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await call
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    return { code: 'code' in thrown ? thrown.code : thrown.name, message: thrown.message }
  }
  throw new Error('it did not fail')
}

async function body(egress: Egress, request: EgressRequest): Promise<string> {
  return text((await egress.fetch(request)).body)
}

describe('where the way out leads', () => {
  it('reaches what is allowed and gives back status, headers and body', async () => {
    const { port } = await listen((request, response) => {
      response.writeHead(201, { 'x-seen': `${request.method} ${request.url} ${request.headers['x-a']}` })
      request.pipe(response)
    })
    const answer = await client(['127.0.0.1']).fetch(
      get(`http://127.0.0.1:${port}/a?b=c#d`, {
        method: 'POST',
        headers: new Map([['X-A', 'ü']]),
        body: Buffer.from('hello'),
      }),
    )
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-seen')).toBe('POST /a?b=c ü')
    expect(await text(answer.body)).toBe('hello')
  })

  it.each([
    'http://127.0.0.1',
    'http://127.0.0.1.',
    'http://localhost',
    'http://2130706433',
    'http://0x7f000001',
    'http://0x7f.1',
    'http://0177.0.0.1',
    'http://017700000001',
    'http://127.1',
    'http://①②⑦.⓪.⓪.①',
    'http://0',
    'http://0.0.0.0',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[0:0:0:0:0:ffff:7f00:1]',
    'http://[64:ff9b::127.0.0.1]',
    'http://[2002:7f00:1::]',
    'http://169.254.169.254',
    'http://[fd00:ec2::254]',
    'https://10.0.0.1',
    'http://198.18.0.1',
    'http://100.64.0.1',
  ])('[R-83] does not connect to %s', async (base) => {
    let reached = 0
    const { port } = await listen((_request, response) => {
      reached += 1
      response.end('secret')
    })
    const failure = await failureOf(client([]).fetch(get(`${base}:${port}/`)))
    expect(failure.code).toBe('egress_refused')
    expect(failure.message).toContain('PENSTOCK_EGRESS_ALLOW')
    expect(failure.message).not.toContain('secret')
    expect(reached).toBe(0)
  })

  it.each([
    'file:///etc/passwd',
    'ftp://a.example/',
    'gopher://a.example/',
    'data:text/plain,a',
    'unix:/x',
    'ws://a',
  ])('[R-83] refuses the scheme of %s', async (url) => {
    expect((await failureOf(client([]).fetch(get(url)))).code).toBe('egress_refused')
  })

  it.each([
    '',
    '/a',
    'http://',
    'http://a:99999/',
    'http://user:hunter2@a.example/',
    'http://user@a.example/',
  ])('refuses %j, which is no address that it could go to', async (url) => {
    const failure = await failureOf(client([]).fetch(get(url)))
    expect(failure.code).toBe('invalid_request')
    expect(failure.message).not.toContain('hunter2')
  })

  it('checks the address that the socket uses: a name that is rebound is looked up once, and caught', async () => {
    let reached = 0
    const { port } = await listen((_request, response) => {
      reached += 1
      response.end()
    })
    let asked = 0
    const egress = client([], async () => {
      asked += 1
      return [{ address: '127.0.0.1', family: 4 }]
    })
    const failure = await failureOf(egress.fetch(get(`http://rebound.example:${port}/`)))
    expect(failure).toEqual({
      code: 'egress_refused',
      message: 'rebound.example leads to an address that is not public; PENSTOCK_EGRESS_ALLOW can open it',
    })
    expect({ asked, reached }).toEqual({ asked: 1, reached: 0 })
  })

  it('refuses a name when one of its addresses is not public, and connects to nothing but what was looked up', async () => {
    const { port } = await listen((_request, response) => response.end('here'))
    const mixed = client([], async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
    expect((await failureOf(mixed.fetch(get(`http://mixed.example:${port}/`)))).code).toBe('egress_refused')
    const pinned = client([`named.example:${port}`], async () => [{ address: '127.0.0.1', family: 4 }])
    expect(await body(pinned, get(`http://named.example:${port}/`))).toBe('here')
    expect((await failureOf(pinned.fetch(get(`http://other.example:${port}/`)))).code).toBe('egress_refused')
    const nowhere = client([], async () => [])
    expect((await failureOf(nowhere.fetch(get('http://a.example/')))).code).toBe('unreachable')
  })

  it('uses no proxy of the environment', async () => {
    let proxied = 0
    const proxy = await listen((_request, response) => {
      proxied += 1
      response.end('proxied')
    })
    const { port } = await listen((_request, response) => response.end('direct'))
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names)
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`
    try {
      expect(await body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`))).toBe('direct')
    } finally {
      names.forEach((name, at) => {
        if (before[at] === undefined) delete process.env[name]
        else process.env[name] = before[at]
      })
    }
    expect(proxied).toBe(0)
  })

  it.each([
    ['Host', 'a'],
    ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Proxy-Authorization', 'a'],
    ['x-a', 'a\r\nx-b: c'],
    ['x-a', 'a\nb'],
    ['x-a', 'a\0'],
    ['x-a', '→'],
    ['x a', 'a'],
    ['x-a:', 'a'],
    ['', 'a'],
  ])('refuses the header %j: %j', async (name, value) => {
    const failure = await failureOf(
      client([]).fetch(get('http://127.0.0.1', { headers: new Map([[name, value]]) })),
    )
    expect(failure.code).toBe('invalid_request')
  })
})

describe('redirects', () => {
  it('checks every hop', async () => {
    let reached = 0
    const inside = await listen((_request, response) => {
      reached += 1
      response.end('secret')
    })
    const outside = await listen((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end()
    })
    const egress = client([`127.0.0.1:${outside.port}`])
    const failure = await failureOf(egress.fetch(get(`http://127.0.0.1:${outside.port}/`)))
    expect(failure.code).toBe('egress_refused')
    expect(reached).toBe(0)
    for (const location of ['file:///etc/passwd', 'gopher://a/', 'http://user:hunter2@a.example/']) {
      const { port } = await listen((_request, response) => {
        response.writeHead(302, { location }).end()
      })
      const refused = await failureOf(client(['127.0.0.1']).fetch(get(`http://127.0.0.1:${port}/`)))
      expect(['egress_refused', 'invalid_request']).toContain(refused.code)
    }
  })

  it('follows five and no more, and none when asked not to', async () => {
    const { port } = await listen((request, response) => {
      const left = Number(request.url?.slice(1))
      if (left === 0) response.end('there')
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    const egress = client(['127.0.0.1'])
    const answer = await egress.fetch(get(`http://127.0.0.1:${port}/5`))
    expect(answer.url).toBe(`http://127.0.0.1:${port}/0`)
    expect(await text(answer.body)).toBe('there')
    expect(await failureOf(egress.fetch(get(`http://127.0.0.1:${port}/6`)))).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('more than 5 times'),
    })
    const first = await egress.fetch(get(`http://127.0.0.1:${port}/1`, { followRedirects: false }))
    expect(first.status).toBe(302)
    first.body.destroy()
  })

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', 'hello'],
    [307, 'POST', 'POST', 'hello'],
    [308, 'POST', 'POST', 'hello'],
  ] as const)('%d turns %s into %s', async (status, method, then, content) => {
    const { port } = await listen((request, response) => {
      if (request.url === '/') response.writeHead(status, { location: '/then' }).end()
      else {
        response.setHeader('x-method', request.method ?? '')
        response.setHeader('x-type', request.headers['content-type'] ?? 'none')
        request.pipe(response)
      }
    })
    const answer = await client(['127.0.0.1']).fetch(
      get(`http://127.0.0.1:${port}/`, {
        method,
        body: Buffer.from('hello'),
        headers: new Map([['content-type', 'text/plain']]),
      }),
    )
    expect(answer.headers.get('x-method')).toBe(then)
    expect(answer.headers.get('x-type')).toBe(content === '' ? 'none' : 'text/plain')
    expect(await text(answer.body)).toBe(content)
  })

  it('sends another origin nothing that could be a credential', async () => {
    const seen: unknown[] = []
    const other = await listen((request, response) => {
      seen.push(request.headers)
      response.end()
    })
    const first = await listen((request, response) => {
      if (request.url === '/') response.writeHead(307, { location: '/same' }).end()
      else {
        seen.push(request.headers)
        response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end()
      }
    })
    const secrets = { authorization: 'Bearer word', cookie: 'a=word', 'x-api-key': 'word' }
    await body(
      client(['127.0.0.1']),
      get(`http://127.0.0.1:${first.port}/`, {
        headers: new Map(Object.entries({ ...secrets, Accept: 'text/plain', 'Idempotency-Key': 'k' })),
      }),
    )
    expect(seen[0]).toMatchObject(secrets)
    expect(seen[1]).toMatchObject({ accept: 'text/plain', 'idempotency-key': 'k' })
    expect(JSON.stringify(seen[1])).not.toContain('word')
  })
})

describe('headers of the answer', () => {
  const raw = (head: string): RequestListener => {
    return ({ url }, response) => {
      if (url === '/') response.socket?.end(Buffer.from(head, 'latin1'))
      else response.end(url)
    }
  }
  const bytes = (text: string) => Buffer.from(text).toString('latin1')

  it('follows a Location in UTF-8, as most that are not ASCII are', async () => {
    const { port } = await listen(raw(`HTTP/1.1 302 Found\r\nLocation: ${bytes('/größe/日本?q=ä')}\r\n\r\n`))
    const found = await body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`))
    expect(decodeURI(found)).toBe('/größe/日本?q=ä')
  })

  it('reads values in UTF-8, and others as they came', async () => {
    const { port } = await listen(
      raw(`HTTP/1.1 200 OK\r\nX-A: ${bytes('€')}\r\nX-B: \xe4\r\nContent-Length: 0\r\n\r\n`),
    )
    const { headers } = await client(['127.0.0.1']).fetch(get(`http://127.0.0.1:${port}/`))
    expect([headers.get('x-a'), headers.get('x-b')]).toEqual(['€', 'ä'])
  })

  it('keeps cookies apart, whose values have commas', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2']
    const { port } = await listen((_request, response) =>
      response.writeHead(200, { 'set-cookie': cookies, 'x-a': ['a', 'b'] }).end(),
    )
    const answer = await client(['127.0.0.1']).fetch(get(`http://127.0.0.1:${port}/`))
    expect(answer.setCookies).toEqual(cookies)
    expect([answer.headers.get('x-a'), answer.headers.has('set-cookie')]).toEqual(['a, b', false])
  })
})

describe('limits', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('reads %s', async (encoding, compress) => {
    const { port } = await listen((request, response) => {
      expect(request.headers['accept-encoding']).toContain(encoding)
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(Buffer.from('plain')))
    })
    expect(await body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`))).toBe('plain')
    expect(await body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`, { method: 'HEAD' }))).toBe('')
  })

  it('[R-61] counts a body after decompression: a bomb is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    expect(bomb.length).toBeLessThan(100_000)
    const { port } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
    })
    const failure = await failureOf(body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`)))
    expect(failure).toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining(String(10 * 1024 * 1024)),
    })
  })

  it('[R-61] refuses a body without an end, and lets one of exactly the limit through', async () => {
    const { port } = await listen((request, response) => {
      if (request.url === '/ten') return response.end('0123456789')
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) continue
      }
      response.on('drain', more)
      more()
    })
    const egress = client(['127.0.0.1'])
    expect(await body(egress, get(`http://127.0.0.1:${port}/ten`, { maxBytes: 10 }))).toBe('0123456789')
    const nine = failureOf(body(egress, get(`http://127.0.0.1:${port}/ten`, { maxBytes: 9 })))
    expect((await nine).code).toBe('output_too_large')
    const endless = failureOf(body(egress, get(`http://127.0.0.1:${port}/endless`, { maxBytes: 1_000_000 })))
    expect((await endless).code).toBe('output_too_large')
  })

  it('refuses headers that are too large, and an encoding that nobody asked for', async () => {
    const { port } = await listen((request, response) => {
      if (request.url === '/large') response.setHeader('x-a', 'x'.repeat(40_000))
      else response.setHeader('content-encoding', 'gzip, gzip')
      response.end('a')
    })
    const egress = client(['127.0.0.1'])
    expect((await failureOf(egress.fetch(get(`http://127.0.0.1:${port}/large`)))).code).toBe(
      'output_too_large',
    )
    expect((await failureOf(egress.fetch(get(`http://127.0.0.1:${port}/odd`)))).code).toBe('unreachable')
  })

  it.each([
    ['gzip', (data: Buffer) => gzipSync(data).subarray(0, 50), 'the compressed data ends too early'],
    ['br', (data: Buffer) => brotliCompressSync(data).subarray(0, 50), 'the compressed data ends too early'],
    ['gzip', (data: Buffer) => data, 'the compressed data is damaged'],
    ['br', (data: Buffer) => Buffer.concat([Buffer.from([0xff]), data]), 'the compressed data is damaged'],
  ])('says what is wrong with %s that cannot be read', async (encoding, damage, why) => {
    const data = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * at * 31) % 251))
    const { port } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(damage(data))
    })
    expect(await failureOf(body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`)))).toEqual({
      code: 'unreachable',
      message: `the answer of 127.0.0.1:${port} cannot be read to its end: ${why}`,
    })
  })

  it('takes a body that says it has no encoding', async () => {
    const { port } = await listen((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'identity' }).end('plain')
    })
    expect(await body(client(['127.0.0.1']), get(`http://127.0.0.1:${port}/`))).toBe('plain')
  })

  it('ends with its signal before the headers and inside the body', async () => {
    const arrived: string[] = []
    let onRequest: () => void = () => undefined
    const { port } = await listen((request, response) => {
      arrived.push(request.url ?? '')
      if (request.url === '/body') {
        response.writeHead(200)
        response.write('a')
      }
      onRequest()
    })
    const egress = client(['127.0.0.1'])
    const before = new AbortController()
    const waiting = failureOf(egress.fetch(get(`http://127.0.0.1:${port}/slow`, { signal: before.signal })))
    await new Promise<void>((resolve) => (onRequest = resolve))
    before.abort(new Error('enough'))
    expect((await waiting).message).toBe('enough')

    const within = new AbortController()
    const answer = await egress.fetch(get(`http://127.0.0.1:${port}/body`, { signal: within.signal }))
    const reading = failureOf(text(answer.body))
    within.abort(new Error('enough'))
    expect((await reading).message).toBe('enough')
    expect(arrived).toEqual(['/slow', '/body'])
  })

  it('says in words why an address cannot be reached', async () => {
    const { server, port } = await listen((request, response) => {
      if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('a', () => response.destroy())
      } else response.socket?.end('not HTTP\r\n\r\n')
    })
    const egress = client(['127.0.0.1'])
    expect(await failureOf(body(egress, get(`http://127.0.0.1:${port}/cut`)))).toEqual({
      code: 'unreachable',
      message: `the answer of 127.0.0.1:${port} cannot be read to its end: the connection was closed`,
    })
    expect((await failureOf(egress.fetch(get(`http://127.0.0.1:${port}/odd`)))).code).toBe('unreachable')
    await new Promise((resolve) => server.close(resolve))
    expect(await failureOf(egress.fetch(get(`http://127.0.0.1:${port}/`)))).toEqual({
      code: 'unreachable',
      message: `127.0.0.1:${port} cannot be reached: nothing listens there`,
    })
  })
})
