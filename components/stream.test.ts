import fc from 'fast-check'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFrameReader, createTabStream, type Frame } from './stream'

describe('the frame reader', () => {
  const text =
    ': hello\r\n\r\nid: 1\nevent: execution\ndata: {"a":\ndata: 1}\n\nid:2\ndata:x\n\n: beat\n\nevent: none\n\n'
  const frames: Frame[] = [
    { event: 'execution', data: '{"a":\n1}', id: '1' },
    { event: 'message', data: 'x', id: '2' },
  ]

  it('reads the same frames wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: text.length }), { maxLength: 12 }), (cuts) => {
        const got: Frame[] = []
        const read = createFrameReader((frame) => got.push(frame))
        const points = [0, ...cuts.sort((a, b) => a - b), text.length]
        for (let i = 1; i < points.length; i++) read(text.slice(points[i - 1], points[i]))
        expect(got).toEqual(frames)
      }),
    )
  })

  it('refuses a frame without an end', () => {
    const read = createFrameReader(() => undefined)
    expect(() => read('x'.repeat(8_000_001))).toThrow('too large')
  })
})

describe('the stream of a tab', () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  async function serve(answer: (query: string, response: ServerResponse, count: number) => void) {
    const queries: string[] = []
    const server = createServer((request, response) => {
      const query = (request.url ?? '').split('?')[1] ?? ''
      queries.push(decodeURIComponent(query))
      answer(query, response, queries.length)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/stream`, queries }
  }

  /** Waits are run at once, except the watch over silence. */
  function stream(url: string) {
    return createTabStream({
      url,
      fetch: globalThis.fetch,
      silenceMs: 60_000,
      wait: (ms, then) => {
        if (ms === 60_000) return () => undefined
        const id = setImmediate(then)
        return () => clearImmediate(id)
      },
    })
  }

  const run = (execution: string, seq = 0) => ({ execution, after: () => seq })
  const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

  it('asks once for everything that the page wants and hands each its own', async () => {
    const { url, queries } = await serve((_query, response) => {
      open(response)
      response.write('event: execution\ndata: {"event":{"execution_id":"a","seq":1}}\n\n')
      response.write('event: execution\ndata: {"event":{"execution_id":"b","seq":7}}\n\n')
      response.write('event: lists\ndata: {"approvals":2}\n\n')
    })
    const tab = stream(url)
    const a: unknown[] = []
    const b: unknown[] = []
    const lists: unknown[] = []
    closers.push(tab.listen({ topic: run('a'), onData: (data) => a.push(data) }))
    closers.push(tab.listen({ topic: run('b', 6), onData: (data) => b.push(data) }))
    closers.push(tab.listen({ topic: { list: 'approvals' }, onData: (data) => lists.push(data) }))
    await vi.waitFor(() => expect(lists).toEqual([{ approvals: 2 }]))
    expect(a).toEqual([{ event: { execution_id: 'a', seq: 1 } }])
    expect(b).toEqual([{ event: { execution_id: 'b', seq: 7 } }])
    expect(queries).toEqual(['executions=a:0,b:6&lists=approvals'])
    expect(tab.freshness()).toBe('live')
  })

  it('connects again after the line broke, says so, and tells its listeners each time', async () => {
    const { url } = await serve((_query, response, count) => {
      open(response)
      response.write(': beat\n\n')
      if (count < 3) setImmediate(() => response.destroy())
    })
    const tab = stream(url)
    const seen: string[] = []
    tab.watch(() => seen.push(tab.freshness()))
    let connected = 0
    closers.push(tab.listen({ topic: run('a'), onData: () => undefined, onConnected: () => connected++ }))
    await vi.waitFor(() => expect(connected).toBe(3))
    expect(seen).toEqual(['live', 'reconnecting', 'live', 'reconnecting', 'live'])
  })

  it('asks anew when what is wanted changes, and stops when nothing is', async () => {
    let closed = 0
    const { url, queries } = await serve((_query, response) => {
      response.on('close', () => closed++)
      open(response)
      response.write(': beat\n\n')
    })
    const tab = stream(url)
    const first = tab.listen({ topic: run('a'), onData: () => undefined })
    await vi.waitFor(() => expect(tab.freshness()).toBe('live'))
    const second = tab.listen({ topic: run('b', 6), onData: () => undefined })
    await vi.waitFor(() => expect(queries).toEqual(['executions=a:0', 'executions=a:0,b:6']))
    first()
    second()
    await vi.waitFor(() => expect(closed).toBe(2))
    expect(queries).toHaveLength(2)
  })

  it('gives the line up when the network is known to be gone, and asks at once when it is back', async () => {
    const { url, queries } = await serve((_query, response) => {
      open(response)
      response.write(': beat\n\n')
    })
    const tab = createTabStream({ url, fetch, silenceMs: 60_000, wait: () => () => undefined })
    closers.push(tab.listen({ topic: run('a'), onData: () => undefined }))
    await vi.waitFor(() => expect(tab.freshness()).toBe('live'))
    tab.unreachable()
    await vi.waitFor(() => expect(tab.freshness()).toBe('reconnecting'))
    expect(queries).toHaveLength(1)
    tab.reachable()
    await vi.waitFor(() => expect(tab.freshness()).toBe('live'))
    expect(queries).toHaveLength(2)
  })

  it('does not knock on and on when the session has ended', async () => {
    const { url, queries } = await serve((_query, response) => {
      response.writeHead(401).end()
    })
    const tab = stream(url)
    closers.push(tab.listen({ topic: { list: 'executions' }, onData: () => undefined }))
    await vi.waitFor(() => expect(tab.freshness()).toBe('signed_out'))
    expect(queries).toHaveLength(1)
  })
})
