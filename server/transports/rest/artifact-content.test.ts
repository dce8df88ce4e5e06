import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { rangeOf } from './artifact-content'

let api: ApiServer
let execution: string
beforeAll(async () => {
  api = await openApiServer()
  await api.call('POST', '/api/v1/pipelines', {
    id: 'p',
    nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
  })
  execution = (
    (await api.call('POST', '/api/v1/pipelines/p/executions', {})).body as { execution_id: string }
  ).execution_id
  await api.closed(execution)
})
afterAll(() => api[Symbol.asyncDispose]())

let rows = 0
/** A real content under a row of any name and type, also of those that the store would refuse: the door trusts no row. */
async function put(name: string, contentType: string, text: string): Promise<string> {
  const kept = await api.artifacts.putBytes({
    executionId: execution,
    nodeId: 'a',
    name: 'kept',
    contentType: 'text/plain',
    bytes: Buffer.from(text),
  })
  const artifactId = `row${(rows += 1)}`
  await api.artifactRows.insert({ ...kept, artifactId, name, contentType })
  return `/api/v1/executions/${execution}/artifacts/${artifactId}`
}

describe('artifacts', () => {
  it('lists what a run produced, without contents', async () => {
    await put('out/first.csv', 'text/csv', 'a,b')
    const list = (await api.call('GET', `/api/v1/executions/${execution}/artifacts`)).body as {
      items: object[]
    }
    expect(list.items.at(-1)).toMatchObject({
      name: 'out/first.csv',
      content_type: 'text/csv',
      bytes: 3,
      node_id: 'a',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('shows a page in a sandbox: no scripts, no origin, no network, no guessing', async () => {
    const answer = await api.call('GET', await put('report.html', 'text/html', '<script>alert(1)</script>'))
    expect(answer.status).toBe(200)
    expect(answer.body).toBe('<script>alert(1)</script>')
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^inline; filename="report.html"/)
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^sandbox; default-src 'none'/)
    expect(policy).not.toMatch(/script-src|allow-|unsafe-eval|https?:/)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it.each([
    ['text/html; charset=utf-7', 'text/html; charset=utf-8', 'inline'],
    ['application/javascript', 'application/javascript', 'attachment'],
    ['application/xhtml+xml', 'application/xhtml+xml; charset=utf-8', 'attachment'],
    ['text/html\r\nset-cookie: a=b', 'application/octet-stream', 'attachment'],
    ['', 'application/octet-stream', 'attachment'],
  ])('serves %j as %s, %s', async (given, type, disposition) => {
    const answer = await api.call('GET', await put('x', given, 'x'))
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`))
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox;/)
  })

  it('keeps names out of the header and out of folders', async () => {
    const answer = await api.call('GET', await put('../a/"quote"; x\r\nö.html', 'application/zip', 'x'))
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="_quote__ x___.html"; filename*=UTF-8''%22quote%22%3B%20x%0D%0A%C3%B6.html`,
    )
  })

  it('counts only within its own execution', async () => {
    const path = await put('mine.txt', 'text/plain', 'secret')
    const other = (
      (await api.call('POST', '/api/v1/pipelines/p/executions', {})).body as { execution_id: string }
    ).execution_id
    expect((await api.call('GET', path.replace(execution, other))).status).toBe(404)
    await api.closed(other)
  })

  it('answers 304 for what the reader has, and 416 outside', async () => {
    const path = await put('r.txt', 'text/plain', '0123456789')
    const first = await api.call('GET', path)
    expect(
      (await api.call('GET', path, undefined, { 'if-none-match': first.headers.get('etag') ?? '' })).status,
    ).toBe(304)
    expect((await api.call('GET', path, undefined, { range: 'bytes=10-' })).status).toBe(416)
    const part = await api.call('GET', path, undefined, { range: 'bytes=2-4' })
    expect([part.status, part.body, part.headers.get('content-range')]).toEqual([206, 234, 'bytes 2-4/10'])
  })

  it('reads ranges as HTTP says', () => {
    expect(rangeOf('bytes=0-3', 10)).toEqual({ start: 0, end: 3 })
    expect(rangeOf('bytes=4-', 10)).toEqual({ start: 4, end: 9 })
    expect(rangeOf('bytes=-3', 10)).toEqual({ start: 7, end: 9 })
    expect(rangeOf('bytes=-30', 10)).toEqual({ start: 0, end: 9 })
    expect(rangeOf('bytes=5-99', 10)).toEqual({ start: 5, end: 9 })
    expect(rangeOf('bytes=10-', 10)).toBe('outside')
    expect(rangeOf('bytes=-0', 10)).toBe('outside')
    for (const ignored of [
      undefined,
      '',
      'bytes=',
      'bytes=-',
      'bytes=3-1',
      'bytes=0-1,4-5',
      'lines=1-2',
      'bytes=a-b',
    ])
      expect(rangeOf(ignored, 10), ignored).toBeNull()
  })
})
