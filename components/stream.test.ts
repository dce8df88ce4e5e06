import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTabStream, type StreamOptions } from './stream'

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

/** A clock that stands still until a test moves it. */
function createClock() {
  let now = 1_000_000
  const waits = new Set<{ readonly due: number; readonly then: () => void }>()
  return {
    now: () => now,
    wait(ms: number, then: () => void) {
      const one = { due: now + ms, then }
      waits.add(one)
      return () => void waits.delete(one)
    },
    /** Moves on from one wait to the next that is due. */
    pass(ms: number) {
      const until = now + ms
      for (;;) {
        const [next] = [...waits].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due)
        if (next === undefined) break
        waits.delete(next)
        now = Math.max(now, next.due)
        next.then()
      }
      now = until
    },
    /** The machine sleeps: no wait ends meanwhile. */
    sleep(ms: number) {
      now += ms
    },
  }
}

function setUp(url: string, ask: StreamOptions['ask'] = async () => 'unanswered') {
  const clock = createClock()
  const tab = createTabStream({ url, fetch: globalThis.fetch, ask, now: clock.now, wait: clock.wait })
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
/** A listener that wants to know nothing. */
const deaf = { onData: () => undefined, catchUp: async () => true }
const open = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const openAndBeat = (_query: string, response: ServerResponse) => void open(response).write(': beat\n\n')

describe('the stream of a tab', () => {
  it('asks once for everything that the page wants and hands each its own', async () => {
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
    listen({ ...deaf, topic: run('a'), onData: (data) => a.push(data) })
    listen({ ...deaf, topic: run('b', 6), onData: (data) => b.push(data) })
    listen({ ...deaf, topic: { list: 'approvals' }, onData: (data) => lists.push(data) })
    await vi.waitFor(() => expect(lists).toEqual([{ approvals: 2 }]))
    expect(a).toEqual([{ event: { execution_id: 'a', seq: 1 } }])
    expect(b).toEqual([{ event: { execution_id: 'b', seq: 7 } }])
    expect(queries).toEqual(['executions=a:0,b:6&lists=approvals'])
    expect(tab.freshness()).toBe('live')
  })

  it('connects again after the line broke, from where each listener is, and says so', async () => {
    const { url, queries } = await serve((query, response, count) => {
      openAndBeat(query, response)
      if (count < 3) setImmediate(() => response.destroy())
    })
    const { clock, seen, listen, becomes } = setUp(url)
    let seq = 4
    listen({ ...deaf, topic: { execution: 'a', after: () => seq } })
    await vi.waitFor(() => expect(seen).toEqual(['live', 'reconnecting']))
    clock.pass(500)
    await vi.waitFor(() => expect(seen).toEqual(['live', 'reconnecting', 'live', 'reconnecting']))
    seq = 5
    clock.pass(500)
    await becomes('live')
    expect(seen).toEqual(['live', 'reconnecting', 'live', 'reconnecting', 'live'])
    expect(queries).toEqual(['executions=a:4', 'executions=a:4', 'executions=a:5'])
  })

  it('asks anew when what is wanted changes, and stops when nothing is', async () => {
    let closed = 0
    const { url, queries } = await serve((query, response) => {
      response.on('close', () => closed++)
      openAndBeat(query, response)
    })
    const { listen, becomes } = setUp(url)
    const first = listen({ ...deaf, topic: run('a') })
    await becomes('live')
    const second = listen({ ...deaf, topic: run('b', 6) })
    await vi.waitFor(() => expect(queries).toEqual(['executions=a:0', 'executions=a:0,b:6']))
    first()
    second()
    await vi.waitFor(() => expect(closed).toBe(2))
    expect(queries).toHaveLength(2)
  })

  it('lets a listener catch up that joins a line which already carries its topic', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { listen, becomes } = setUp(url)
    listen({ ...deaf, topic: run('a', 9) })
    await becomes('live')
    let read = 0
    listen({ ...deaf, topic: run('a'), catchUp: async () => (read += 1) > 0 })
    expect(read).toBe(1)
    expect(queries).toHaveLength(1)
  })

  it('tells whoever follows a run that it was removed, and nobody else', async () => {
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
        ...deaf,
        topic: run(id),
        onData: (told) => data.push(told),
        onRemoved: () => removed.push(id),
      })
    await vi.waitFor(() => expect(data).toEqual([{ event: { execution_id: 'b', seq: 1 } }]))
    expect(removed).toEqual(['a'])
  })

  it('gives the line up when the network is known to be gone, and asks at once when it is back', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { tab, listen, becomes } = setUp(url)
    listen({ ...deaf, topic: run('a') })
    await becomes('live')
    tab.unreachable()
    await becomes('reconnecting')
    expect(queries).toHaveLength(1)
    tab.look()
    await becomes('live')
    expect(queries).toHaveLength(2)
  })

  it('gives up a line that has fallen silent, and one that slept with the machine as soon as it is looked at', async () => {
    const { url, queries } = await serve(openAndBeat)
    const { clock, tab, listen, becomes } = setUp(url)
    listen({ ...deaf, topic: run('a') })
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

  it('does not knock on and on when the session has ended, but does when somebody comes back to the page', async () => {
    const { url, queries } = await serve((query, response, count) => {
      if (count === 1) response.writeHead(401).end()
      else openAndBeat(query, response)
    })
    const { clock, tab, listen, becomes } = setUp(url)
    listen({ ...deaf, topic: { list: 'executions' } })
    await becomes('signed_out')
    clock.pass(60_000)
    expect(queries).toHaveLength(1)
    tab.look()
    await becomes('live')
  })
})

describe('heartbeats', () => {
  it('tell how far behind the page is, whatever the clocks say, and it grows when they stay away', async () => {
    let line: ServerResponse | undefined
    const { url } = await serve((_query, response) => void (line = response))
    const { clock, tab, listen } = setUp(url)
    listen({ ...deaf, topic: run('a', 3) })
    expect(tab.behind()).toBeNull()
    await vi.waitFor(() => expect(line).toBeDefined())
    clock.pass(20)
    // This server's clock is an hour ahead; it took the line in the middle of the 20 ms.
    const ahead = (at: number) => at + 3_600_000
    open(line!).write(`retry: 1000\n\n: ${ahead(clock.now() - 10)}\n\n: ${ahead(clock.now() - 10)} a:3\n\n`)
    await vi.waitFor(() => expect(tab.behind()).toBe(10))
    const written = ahead(clock.now())
    clock.pass(3_000)
    line!.write(`: ${written} a:3\n\n`)
    await vi.waitFor(() => expect(tab.behind()).toBe(3_000))
    clock.pass(7_100)
    expect(tab.freshness()).toBe('live')
    expect(tab.behind()).toBe(10_100)
  })

  it('find what was lost on the way, and nothing is whole before it is read', async () => {
    let line: ServerResponse | undefined
    const { url } = await serve((_query, response) => void (line = response))
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
    await vi.waitFor(() => expect(line).toBeDefined())
    open(line!).write(`: ${clock.now()}\n\n: ${clock.now()} a:5\n\n`)
    await vi.waitFor(() => expect(reads).toBe(1))
    expect(tab.behind()).toBeNull()
    line!.write(`: ${clock.now()} a:5\n\n`)
    await vi.waitFor(() => expect(tab.behind()).toBe(0))
    expect(reads).toBe(1)
  })
})

describe('where no stream comes through', () => {
  it('the page asks, goes on trying the stream, and believes it when it carries', async () => {
    let refused = true
    const { url, queries } = await serve((query, response) => {
      if (refused) response.writeHead(502).end('no streams here')
      else openAndBeat(query, response)
    })
    const { clock, tab, listen, becomes } = setUp(url, async () => 'answered')
    let reads = 0
    listen({ ...deaf, topic: run('a'), catchUp: async () => (reads += 1) > 0 })
    await becomes('reconnecting')
    clock.pass(500)
    await becomes('asking')
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

  it('a line that carries nothing, or only its beginning, is not taken for live', async () => {
    let held: ServerResponse | undefined
    let text = ''
    const { url } = await serve((_query, response) => {
      held = response
      open(response).flushHeaders()
      if (text !== '') response.write(text)
    })
    const { clock, tab, seen, listen, becomes } = setUp(url, async () => 'answered')
    listen({ ...deaf, topic: run('a') })
    await vi.waitFor(() => expect(held).toBeDefined())
    clock.pass(7_000)
    await becomes('asking')
    expect(seen).not.toContain('live')
    text = ': the beginning\n\n'
    for (let round = 0; round < 3; round++) {
      held = undefined
      await vi.waitFor(() => {
        if (held === undefined) clock.pass(1_000)
        expect(held).toBeDefined()
      })
    }
    expect(tab.freshness()).toBe('asking')
    await vi.waitFor(() => {
      clock.pass(1_000)
      held!.write(': and more\n\n')
      expect(tab.freshness()).toBe('live')
    })
    expect(seen.filter((freshness) => freshness === 'live')).toHaveLength(1)
  })

  it('does not say that it asks while nothing is answered, nor when what it wants cannot be read', async () => {
    const { url } = await serve((_query, response) => response.destroy())
    let answer: 'answered' | 'unanswered' | 'signed_out' = 'unanswered'
    const { clock, tab, seen, listen, becomes } = setUp(url, async () => answer)
    let readable = false
    listen({ ...deaf, topic: run('a'), catchUp: async () => readable })
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
    await becomes('asking')
    answer = 'signed_out'
    await rounds(1)
    await becomes('signed_out')
    expect(tab.behind()).toBeGreaterThan(0)
  })
})
