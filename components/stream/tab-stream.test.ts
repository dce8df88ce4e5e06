import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '@/testing/manual-clock'
import { createTabStream, type TabStreamOptions } from './tab-stream'

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

function setUp(url: string, probe: TabStreamOptions['probe'] = async () => 'unanswered') {
  const clock = createManualClock()
  const tab = createTabStream({ url, fetch: globalThis.fetch, probe, now: clock.now, wait: clock.wait })
  const seen: string[] = []
  tab.watch(() => seen.push(tab.freshness()))
  const listen = (listener: Parameters<typeof tab.listen>[0]) => {
    const stop = tab.listen(listener)
    closers.push(stop)
    return stop
  }
  const becomes = (freshness: string) => vi.waitFor(() => expect(tab.freshness()).toBe(freshness))
  return { clock, tab, seen, listen, becomes }
}

const run = (execution: string, seq = 0) => ({ execution, after: () => seq })
/** A listener that ignores everything. */
const idle = { onData: () => undefined, catchUp: async () => true }
const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const openAndBeat = (_query: string, response: ServerResponse) => void open(response).write(': beat\n\n')

describe('the stream of a tab', () => {
  it('connects once for everything that the page wants and hands each listener its own', async () => {
    const { url, queries } = await serve((_query, response) => {
      open(response)
      response.write('event: execution\ndata: {"event":{"execution_id":"a","seq":1}}\n\n')
      response.write('event: execution\ndata: {"event":{"execution_id":"b","seq":7}}\n\n')
      response.write('event: lists\ndata: {"approvals":2}\n\n')
    })
    const { tab, listen } = setUp(url)
    const a: unknown[] = []
    const b: unknown[] = []
    const lists: unknown[] = []
    listen({ ...idle, topic: run('a'), onData: (data) => a.push(data) })
    listen({ ...idle, topic: run('b', 6), onData: (data) => b.push(data) })
    listen({ ...idle, topic: { list: 'approvals' }, onData: (data) => lists.push(data) })
    await vi.waitFor(() => expect(lists).toEqual([{ approvals: 2 }]))
    expect(a).toEqual([{ event: { execution_id: 'a', seq: 1 } }])
    expect(b).toEqual([{ event: { execution_id: 'b', seq: 7 } }])
    expect(queries).toEqual(['executions=a:0,b:6&lists=approvals'])
    expect(tab.freshness()).toBe('live')
  })

  it('connects again after the connection broke, from where each listener is, and reports it', async () => {
    const { url, queries } = await serve((query, response, count) => {
      openAndBeat(query, response)
      if (count < 3) setImmediate(() => response.destroy())
    })
    const { clock, seen, listen, becomes } = setUp(url)
    let seq = 4
    listen({ ...idle, topic: { execution: 'a', after: () => seq } })
    await vi.waitFor(() => expect(seen).toEqual(['live', 'reconnecting']))
    clock.pass(500)
    await vi.waitFor(() => expect(seen).toEqual(['live', 'reconnecting', 'live', 'reconnecting']))
    seq = 5
    clock.pass(500)
    await becomes('live')
    expect(seen).toEqual(['live', 'reconnecting', 'live', 'reconnecting', 'live'])
    expect(queries).toEqual(['executions=a:4', 'executions=a:4', 'executions=a:5'])
  })

  it('connects again when what is wanted changes, and closes when nothing is', async () => {
    let closed = 0
    const { url, queries } = await serve((query, response) => {
      response.on('close', () => closed++)
      openAndBeat(query, response)
    })
    const { listen, becomes } = setUp(url)
    const first = listen({ ...idle, topic: run('a') })
    await becomes('live')
    const second = listen({ ...idle, topic: run('b', 6) })
    await vi.waitFor(() => expect(queries).toEqual(['executions=a:0', 'executions=a:0,b:6']))
    first()
    second()
    await vi.waitFor(() => expect(closed).toBe(2))
    expect(queries).toHaveLength(2)
  })

  it('lets a listener catch up that joins a connection which already carries its topic', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { listen, becomes } = setUp(url)
    listen({ ...idle, topic: run('a', 9) })
    await becomes('live')
    let read = 0
    listen({ ...idle, topic: run('a'), catchUp: async () => (read += 1) > 0 })
    expect(read).toBe(1)
    expect(queries).toHaveLength(1)
  })

  it('reports a removed run to its listeners, and to nobody else', async () => {
    const { url } = await serve((_query, response) => {
      open(response)
      response.write('event: removed\ndata: {"execution_id":"a"}\n\n')
      response.write('event: execution\ndata: {"event":{"execution_id":"b","seq":1}}\n\n')
    })
    const { listen } = setUp(url)
    const removed: string[] = []
    const data: unknown[] = []
    for (const id of ['a', 'b'])
      listen({
        ...idle,
        topic: run(id),
        onData: (each) => data.push(each),
        onRemoved: () => removed.push(id),
      })
    await vi.waitFor(() => expect(data).toEqual([{ event: { execution_id: 'b', seq: 1 } }]))
    expect(removed).toEqual(['a'])
  })

  it('drops the connection when the network is known to be gone, and connects at once when it is back', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { tab, listen, becomes } = setUp(url)
    listen({ ...idle, topic: run('a') })
    await becomes('live')
    tab.unreachable()
    await becomes('reconnecting')
    expect(queries).toHaveLength(1)
    tab.look()
    await becomes('live')
    expect(queries).toHaveLength(2)
  })

  it('replaces a connection that went silent, and one that slept with the machine as soon as somebody returns to the page', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { clock, tab, listen, becomes } = setUp(url)
    listen({ ...idle, topic: run('a') })
    await becomes('live')
    clock.pass(8_000)
    tab.look()
    await vi.waitFor(() => expect(queries).toHaveLength(2))
    clock.pass(12_000)
    await becomes('reconnecting')
    clock.pass(500)
    await vi.waitFor(() => expect(queries).toHaveLength(3))
    clock.sleep(3_600_000)
    tab.look()
    await vi.waitFor(() => expect(queries).toHaveLength(4))
  })

  it('stops when the session has ended, and tries again when somebody returns to the page', async () => {
    const { url, queries } = await serve((query, response, count) => {
      if (count === 1) response.writeHead(401).end()
      else openAndBeat(query, response)
    })
    const { clock, tab, listen, becomes } = setUp(url)
    listen({ ...idle, topic: { list: 'executions' } })
    await becomes('signed_out')
    clock.pass(60_000)
    expect(queries).toHaveLength(1)
    tab.look()
    await becomes('live')
  })
})

describe('heartbeats of the tab stream', () => {
  it('show how far behind the page is, however the clocks differ, and it grows when they stay away', async () => {
    let connection: ServerResponse | undefined
    const { url } = await serve((_query, response) => void (connection = response))
    const { clock, tab, listen } = setUp(url)
    listen({ ...idle, topic: run('a', 3) })
    expect(tab.behind()).toBeNull()
    await vi.waitFor(() => expect(connection).toBeDefined())
    clock.pass(20)
    // This server's clock is an hour ahead; it took the line in the middle of the 20 ms.
    const ahead = (at: number) => at + 3_600_000
    open(connection!).write(
      `retry: 1000\n\n: ${ahead(clock.now() - 10)}\n\n: ${ahead(clock.now() - 10)} a:3\n\n`,
    )
    await vi.waitFor(() => expect(tab.behind()).toBe(10))
    const written = ahead(clock.now())
    clock.pass(3_000)
    connection!.write(`: ${written} a:3\n\n`)
    await vi.waitFor(() => expect(tab.behind()).toBe(3_000))
    clock.pass(7_100)
    expect(tab.freshness()).toBe('live')
    expect(tab.behind()).toBe(10_100)
  })

  it('find lost events; nothing is confirmed before they are read', async () => {
    let connection: ServerResponse | undefined
    const { url } = await serve((_query, response) => void (connection = response))
    const { clock, tab, listen } = setUp(url)
    let seq = 3
    let reads = 0
    listen({
      topic: { execution: 'a', after: () => seq },
      onData: () => undefined,
      catchUp: async () => {
        reads += 1
        seq = 5
        return true
      },
    })
    await vi.waitFor(() => expect(connection).toBeDefined())
    open(connection!).write(`: ${clock.now()}\n\n: ${clock.now()} a:5\n\n`)
    await vi.waitFor(() => expect(reads).toBe(1))
    expect(tab.behind()).toBeNull()
    connection!.write(`: ${clock.now()} a:5\n\n`)
    await vi.waitFor(() => expect(tab.behind()).toBe(0))
    expect(reads).toBe(1)
  })
})

describe('where no stream comes through', () => {
  it('the page polls, goes on trying the stream, and returns to it when data arrives', async () => {
    let refused = true
    const { url, queries } = await serve((query, response) => {
      if (refused) response.writeHead(502).end('no streams here')
      else openAndBeat(query, response)
    })
    const { clock, tab, listen, becomes } = setUp(url, async () => 'answered')
    let reads = 0
    listen({ ...idle, topic: run('a'), catchUp: async () => (reads += 1) > 0 })
    await becomes('reconnecting')
    clock.pass(500)
    await becomes('polling')
    expect(reads).toBe(1)
    clock.pass(3_000)
    await vi.waitFor(() => expect(reads).toBe(2))
    expect(tab.behind()).toBe(0)
    refused = false
    const tried = queries.length
    await vi.waitFor(() => {
      if (queries.length === tried) clock.pass(500)
      expect(queries.length).toBeGreaterThan(tried)
    })
    await becomes('live')
    const all = reads
    clock.pass(5_000)
    expect(reads).toBe(all)
  })

  it('a connection without data, or with only its beginning, does not count as live', async () => {
    let pending: ServerResponse | undefined
    let text = ''
    const { url } = await serve((_query, response) => {
      pending = response
      open(response).flushHeaders()
      if (text !== '') response.write(text)
    })
    const { clock, tab, seen, listen, becomes } = setUp(url, async () => 'answered')
    listen({ ...idle, topic: run('a') })
    await vi.waitFor(() => expect(pending).toBeDefined())
    clock.pass(7_000)
    await becomes('polling')
    expect(seen).not.toContain('live')
    text = ': the beginning\n\n'
    for (let round = 0; round < 3; round++) {
      pending = undefined
      await vi.waitFor(() => {
        if (pending === undefined) clock.pass(1_000)
        expect(pending).toBeDefined()
      })
    }
    expect(tab.freshness()).toBe('polling')
    await vi.waitFor(() => {
      clock.pass(1_000)
      pending!.write(': and more\n\n')
      expect(tab.freshness()).toBe('live')
    })
    expect(seen.filter((freshness) => freshness === 'live')).toHaveLength(1)
  })

  it('does not report polling while nothing is answered, nor while what it wants cannot be read', async () => {
    const { url } = await serve((_query, response) => response.destroy())
    let answer: 'answered' | 'unanswered' | 'signed_out' = 'unanswered'
    const { clock, tab, seen, listen, becomes } = setUp(url, async () => answer)
    let readable = false
    listen({ ...idle, topic: run('a'), catchUp: async () => readable })
    await becomes('reconnecting')
    const rounds = async (count: number) => {
      for (let round = 0; round < count; round++) {
        clock.pass(3_000)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    await rounds(3)
    answer = 'answered'
    await rounds(3)
    expect(seen).toEqual(['reconnecting'])
    readable = true
    await rounds(1)
    await becomes('polling')
    answer = 'signed_out'
    await rounds(1)
    await becomes('signed_out')
    expect(tab.behind()).toBeGreaterThan(0)
  })
})
