import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { readFile, readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { taskCatalog } from '@/tasks/contracts'
import { createRunnerFixture, errorOf, outputsOf, type RunnerFixture } from '@/testing/runner-fixture'

type Answer = (...parameters: Parameters<RequestListener>) => unknown

let at: RunnerFixture
let answer: Answer = (_request, response) => response.end()
let base = ''
const server = createServer((request, response) => void answer(request, response))

beforeAll(async () => {
  at = await createRunnerFixture({ egressAllow: '127.0.0.1', limits: { warmChildren: 0 } })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await at[Symbol.asyncDispose]()
})

function call(input: JsonObject, by: Answer) {
  answer = by
  return at.run('http.request', { method: 'GET', url: `${base}/data`, ...input })
}

/** Answers with what it was asked, as JSON. */
const echo: Answer = async (request: IncomingMessage, response) => {
  const { method, url, headers } = request
  const body = await text(request)
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, url, headers, body }))
}

describe('what it sends', () => {
  it('merges the query, keeping what the URL says of other names', async () => {
    const outputs = outputsOf(
      await call({ url: `${base}/a?x=1&y=2`, query: { y: 'a&b', z: [1, true], __proto__x: '' } }, echo),
    )
    expect(outputs['body']).toMatchObject({ method: 'GET', url: '/a?x=1&y=a%26b&z=1&z=true&__proto__x=' })
  })

  it('[R-86] sends no half of a character, which would become another in UTF-8, but in JSON', async () => {
    for (const input of [
      { method: 'POST', body: 'a\ud800' },
      { method: 'GET', query: { a: '\ud800' } },
      { method: 'GET', url: `${base}/\udc00` },
    ])
      expect(errorOf(await call(input, echo)).kind).toBe('invalid_input')
    const sent = outputsOf(await call({ method: 'POST', body: ['\ud800'] }, echo))['body'] as JsonObject
    expect(sent['body']).toBe('["\\ud800"]')
  })

  it('sends text as it stands and any other value as JSON, unless a header says what it is', async () => {
    const sent = async (input: JsonObject) =>
      outputsOf(await call({ method: 'POST', ...input }, echo))['body'] as JsonObject
    expect(await sent({ body: { a: 'ä' } })).toMatchObject({
      body: '{"a":"ä"}',
      headers: { 'content-type': 'application/json', 'user-agent': 'Penstock' },
    })
    expect(await sent({ body: 'a' })).toMatchObject({
      body: 'a',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
    expect(await sent({ body: '<a/>', headers: { 'Content-Type': 'text/xml' } })).toMatchObject({
      body: '<a/>',
      headers: { 'content-type': 'text/xml' },
    })
    expect((await sent({ body: null }))['body']).toBe('null')
  })

  it('carries the stable key of the work where it changes something, unless a header gives one', async () => {
    const key = async (input: JsonObject) => {
      const { headers } = outputsOf(await call(input, echo))['body'] as { headers: JsonObject }
      return headers['idempotency-key']
    }
    expect(await key({ method: 'GET' })).toBeUndefined()
    expect(await key({ method: 'PUT', headers: { 'idempotency-KEY': 'mine' } })).toBe('mine')
    answer = echo
    const request = { method: 'DELETE', url: base }
    const work = at.run('http.request', request, { idempotencyKey: 'e1/n/1/7' })
    expect(outputsOf(await work)['body']).toMatchObject({ headers: { 'idempotency-key': 'e1/n/1/7' } })
  })

  it.each([
    [{ method: 'TRACE' }, 'method'],
    [{ method: 'CONNECT' }, 'method'],
    [{ headers: { Host: 'a' } }, 'Host'],
    [{ headers: { 'x-a': 'a\r\nx-b: c' } }, 'line break'],
    [{ headers: { 'x-a': 'a', 'X-A': 'b' } }, 'twice'],
    [{ body: 'a' }, 'GET'],
    [{ expect: '6xx' }, 'expect'],
    [{ expect: 99 }, 'expect'],
    [{ max_bytes: 0 }, 'max_bytes'],
    [{ max_bytes: 1024 ** 3 }, 'max_bytes'],
    [{ url: 'no address' }, 'URL'],
    [{ url: 'http://a:hunter2@b.example/' }, 'Authorization'],
    [{ follow: true }, 'follow'],
  ] as const)('refuses %j with a word about %s', async (input, word) => {
    let reached = false
    const error = errorOf(await call(input as unknown as JsonObject, () => (reached = true)))
    expect(error.kind).toBe('invalid_input')
    expect(error.message).toContain(word)
    expect(reached).toBe(false)
  })

  it('[R-83] refuses other schemes and addresses that are not public', async () => {
    for (const url of [
      'ftp://a.example/',
      'file:///etc/passwd',
      'http://169.254.169.254/',
      'http://[::1]/',
    ]) {
      expect(errorOf(await call({ url }, echo)).kind).toBe('egress_refused')
    }
  })
})

describe('what it gives back', () => {
  const asText = ' (large_numbers: text gives such numbers as text)'

  it.each([
    ['application/json; charset=utf-8', '{"a":[1]}', { a: [1] }],
    ['application/problem+json', '"a"', 'a'],
    ['text/html; charset=utf-8', '<p>ä', '<p>ä'],
    ['image/svg+xml', '<svg/>', '<svg/>'],
    ['', 'plain', 'plain'],
    ['application/json', '', null],
  ])('reads %j', async (type, body, expected) => {
    const outputs = outputsOf(
      await call({}, (_request, response) => {
        if (type !== '') response.setHeader('content-type', type)
        response.setHeader('x-twice', ['a', 'b']).end(body)
      }),
    )
    expect(outputs).toMatchObject({ status: 200, headers: { 'x-twice': 'a, b' }, body: expected })
  })

  it.each([
    ['windows-1252', [0x80, 0x92, 0xe4], '€’ä'],
    ['"cp1252"', [0x80], '€'],
    ['ISO-8859-1', [0x80], '€'],
    ['iso_8859-1:1987', [0x99], '™'],
    ['windows-1251', [0x88], '€'],
    ['iso-8859-15', [0xa4], '€'],
    ['iso-8859-16', [0xa4], '€'],
    ['x-user-defined', [0x80], '\uf780'],
    ['shift_jis', [0x93, 0xfa], '日'],
    ['gb18030', [0xa2, 0xe3], '€'],
    ['big5', [0xa4, 0xa4], '中'],
    ['utf-16le', [0xac, 0x20], '€'],
    ['utf-8', [0xef, 0xbb, 0xbf, 0x61], 'a'],
    ['iso-8859-1', [0xef, 0xbb, 0xbf, 0xe2, 0x82, 0xac], '€'],
  ])('[R-86] reads text in the charset %s', async (charset, bytes, expected) => {
    const outputs = outputsOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', `text/plain; charset=${charset}`).end(Buffer.from(bytes)),
      ),
    )
    expect(outputs['body']).toBe(expected)
  })

  it.each([
    ['with a byte order mark', 'application/json', Buffer.from('\ufeff{"a":"€"}')],
    ['of UTF-16 with a byte order mark', 'application/json', Buffer.from('\ufeff{"a":"€"}', 'utf16le')],
    ['of UTF-16 that says so', 'application/json; charset=utf-16le', Buffer.from('{"a":"€"}', 'utf16le')],
    ['of an older charset', 'application/json; charset=windows-1252', Buffer.from('{"a":"\x80"}', 'latin1')],
    ['that says a charset and is UTF-8', 'application/json; charset=ISO-8859-1', Buffer.from('{"a":"€"}')],
  ])('[R-86] reads JSON %s', async (_name, type, bytes) => {
    const outputs = outputsOf(
      await call({}, (_request, response) => response.setHeader('content-type', type).end(bytes)),
    )
    expect(outputs['body']).toEqual({ a: '€' })
  })

  it('refuses JSON in no known charset, instead of changing it', async () => {
    const error = errorOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', 'application/json').end(Buffer.from([0x22, 0xe4, 0x22])),
      ),
    )
    expect(error).toMatchObject({
      kind: 'task_failed',
      message: expect.stringContaining('no JSON') as string,
    })
  })

  it.each([101, 20_000])('[R-61] refuses JSON of %i levels, in words', async (levels) => {
    const deep = (count: number) => '['.repeat(count) + ']'.repeat(count)
    const get = (body: string) =>
      call({}, (_request, response) => response.setHeader('content-type', 'application/json').end(body))
    expect(errorOf(await get(deep(levels)))).toMatchObject({
      kind: 'task_failed',
      message: 'the JSON of the answer cannot be taken: it is nested deeper than 100 levels',
    })
    expect(outputsOf(await get(deep(100)))['status']).toBe(200)
  })

  it.each([
    ['{"a":1,\n"a":2}', "line 2, column 1: the key 'a' is written twice"],
    ['[1e400]', `line 1, column 2: 1e400 is larger than a number can be${asText}`],
    [
      '{"id":7615917337495251231}',
      `line 1, column 7: 7615917337495251231 would become 7615917337495251000, as whole numbers are exact up to 9007199254740991${asText}`,
    ],
  ])('[R-86] refuses JSON whose value would not say what it says: %s', async (body, why) => {
    const error = errorOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', 'application/json').end(body),
      ),
    )
    expect(error).toEqual({
      kind: 'task_failed',
      message: `the JSON of the answer cannot be taken: ${why}`,
    })
  })

  it('[R-86] gives numbers that do not fit as text, where the task says so', async () => {
    const body =
      '{"id":7615917337495251231,"ids":[-18446744073709551615,1e400],"rows":3,"of":1.10,"name":"1e400"}'
    const outputs = outputsOf(
      await call({ large_numbers: 'text' }, (_request, response) =>
        response.setHeader('content-type', 'application/json').end(body),
      ),
    )
    expect(outputs['body']).toEqual({
      id: '7615917337495251231',
      ids: ['-18446744073709551615', '1e400'],
      rows: 3,
      of: 1.1,
      name: '1e400',
    })
    const twice = await call({ large_numbers: 'text' }, (_request, response) =>
      response.setHeader('content-type', 'application/json').end('{"a":7615917337495251231,"a":1}'),
    )
    expect(errorOf(twice).message).toContain("the key 'a' is written twice")
  })

  it.each([
    ['text/html', '<!doctype html><meta charset="windows-1252"><p>\x80'],
    [
      'text/html',
      '<!-- <meta charset=utf-8> --><META http-equiv=Content-Type content="text/html; charset=iso-8859-1"><p>\x80',
    ],
    ['application/xml', '<?xml version="1.0" encoding="windows-1252"?><p>\x80</p>'],
    ['application/rss+xml', "<?xml version='1.0' encoding='ISO-8859-1'?><p>\x80</p>"],
  ])('[R-86] reads %s in the charset that the text names itself', async (type, body) => {
    const outputs = outputsOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', type).end(Buffer.from(body, 'latin1')),
      ),
    )
    expect(outputs['body']).toBe(body.replace('\x80', '€'))
  })

  it('gives cookies as a list, since they have commas of their own', async () => {
    const cookies = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2']
    const set = async (list: string[]) =>
      outputsOf(await call({}, (_request, response) => response.setHeader('set-cookie', list).end()))
    expect(await set(cookies)).toMatchObject({ headers: { 'set-cookie': cookies } })
    expect(await set(['a=1'])).toMatchObject({ headers: { 'set-cookie': ['a=1'] } })
  })

  it('says that an answer is incomplete, and tells a status whatever its text is', async () => {
    const cut = gzipSync(randomBytes(5_000)).subarray(0, 4_000)
    const get = (status: number) =>
      call({}, (_request, response) => response.writeHead(status, { 'content-encoding': 'gzip' }).end(cut))
    expect(errorOf(await get(200))).toEqual({
      kind: 'task_failed',
      message: `the answer of ${base.slice(7)} cannot be read to its end: the compressed data ends too early`,
    })
    expect(errorOf(await get(503)).detail).toMatchObject({ status: 503 })
  })

  it('reads HEAD, and the text of a failure in its charset', async () => {
    const refused = await call({}, (_request, response) =>
      response.writeHead(400, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0x80])),
    )
    expect(errorOf(refused).detail).toMatchObject({ body: '€' })
    const head = await call({ method: 'HEAD' }, (_request, response) =>
      response.setHeader('content-length', '12').end(),
    )
    expect(outputsOf(head)).toMatchObject({ body: null, headers: { 'content-length': '12' } })
  })

  it('makes an artifact of what is binary, too large for a variable, or no such text', async () => {
    const bytes = randomBytes(100)
    const binary = outputsOf(
      await call({ url: `${base}/a/..%2flogo.png?x` }, (_request, response) =>
        response.setHeader('content-type', 'image/png').end(bytes),
      ),
    )
    expect(binary['body']).toMatchObject({
      name: '..%2flogo.png'.replace('%', '_'),
      content_type: 'image/png',
      bytes: 100,
    })
    const row = await at.artifacts.get('e1', (binary['body'] as { artifact_id: string }).artifact_id)
    if (row === null) throw new Error('no row')
    expect(await readFile(at.artifacts.pathOf(row))).toEqual(bytes)

    const large = 'ä'.repeat(1_000_000)
    const text = outputsOf(
      await call({ url: `${base}/` }, (_request, response) =>
        response.setHeader('content-type', 'text/plain').end(large),
      ),
    )
    expect(text['body']).toMatchObject({ name: 'body', content_type: 'text/plain', bytes: 2_000_000 })
    expect(await at.textOf(text['body'])).toBe(large)

    // Small as bytes, too large as JSON.
    const quotes = await call({}, (_request, response) => response.end('"'.repeat(700_000)))
    expect(outputsOf(quotes)['body']).toMatchObject({ bytes: 700_000 })
    const broken = await call({}, (_request, response) =>
      response.setHeader('content-type', 'text/plain').end(Buffer.from([0xff, 0xfe, 0xfd])),
    )
    expect(outputsOf(broken)['body']).toMatchObject({ bytes: 3 })
  })

  it('takes no value of an answer for a file', async () => {
    const forged = { $file: '/etc/passwd', name: 'a', contentType: 'text/plain' }
    const outputs = outputsOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(forged)),
      ),
    )
    expect(JSON.parse(await at.textOf(outputs['body']))).toEqual(forged)
  })

  it('keeps names like __proto__ as data', async () => {
    const outputs = outputsOf(
      await call({}, (_request, response) =>
        response
          .setHeader('content-type', 'application/json')
          .setHeader('__proto__', 'a')
          .setHeader('constructor', 'b')
          .end('{"__proto__":{"polluted":true}}'),
      ),
    )
    expect(Object.keys(outputs['body'] as object)).toEqual(['__proto__'])
    expect(Object.keys(outputs['headers'] as object)).toEqual(
      expect.arrayContaining(['__proto__', 'constructor']),
    )
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('[R-61] fails past max_bytes, and leaves nothing in the folder of work', async () => {
    const error = errorOf(
      await call({ max_bytes: 1_000_000 }, (_request, response) =>
        response.setHeader('content-type', 'image/png').end(Buffer.alloc(3_000_000)),
      ),
    )
    expect(error.kind).toBe('output_too_large')
    const homes = await readdir(at.workRoot)
    expect(homes).toHaveLength(1)
    await expect.poll(() => readdir(`${at.workRoot}/${homes[0]}`)).toEqual([])
  })
})

describe('which answers it takes', () => {
  it.each([
    [undefined, 204, true],
    [undefined, 404, false],
    [404, 404, true],
    ['404', 404, true],
    ['4xx', 404, true],
    [[200, '5xx'], 503, true],
    [[200, '5xx'], 404, false],
    [404, 200, false],
  ] as const)('expect %j and a %d: %s', async (expected, status, taken) => {
    const result = await call(expected === undefined ? {} : { expect: expected }, (_request, response) =>
      response.writeHead(status).end(),
    )
    if (taken) expect(outputsOf(result)['status']).toBe(status)
    else expect(errorOf(result)).toMatchObject({ kind: 'task_failed', detail: { status } })
  })

  it('reports the status, an excerpt of at most 2 KB and when to try again', async () => {
    const fail = (retryAfter: string) =>
      call({}, (_request, response) =>
        response.writeHead(503, { 'retry-after': retryAfter }).end(`sorry ${'ä'.repeat(5_000)}`),
      )
    const error = errorOf(await fail('120'))
    expect(error).toMatchObject({
      kind: 'task_failed',
      message: `${base.slice(7)} answered 503 where 2xx is expected`,
      detail: { status: 503, retry_after: 120 },
    })
    const { body } = error.detail as { body: string }
    expect(body).toMatch(/^sorry ä+$/)
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2048)
    const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
    expect(errorOf(await fail(date)).detail).toMatchObject({ retry_after: date })
  })

  it('says when an answer is not the JSON that it says it is', async () => {
    const error = errorOf(
      await call({}, (_request, response) =>
        response.setHeader('content-type', 'application/json').end('<html>'),
      ),
    )
    expect(error).toMatchObject({ kind: 'task_failed', detail: { body: '<html>' } })
  })

  it('[R-57] ends with its attempt, and closes the connection', async () => {
    let arrived: () => void = () => undefined
    let gone: () => void = () => undefined
    const here = new Promise<void>((resolve) => (arrived = resolve))
    const closed = new Promise<void>((resolve) => (gone = resolve))
    answer = (request) => {
      request.socket.once('close', gone)
      arrived()
    }
    const work = at.start('http.request', { method: 'GET', url: base })
    await here
    work.abort('timeout')
    expect(errorOf((await work.finished).result).kind).toBe('timeout')
    await closed
  })
})

it('declares the outputs that it returns', async () => {
  const outputs = outputsOf(await call({}, echo))
  expect(Object.keys(outputs).sort()).toEqual(
    Object.keys(taskCatalog.get('http.request')?.output ?? {}).sort(),
  )
})
