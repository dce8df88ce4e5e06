import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '@/testing/manual-clock'
import { createReconnectingStream, type Loss, type Message } from './reconnecting-stream'

type Connection = {
  readonly url: string
  readonly send: (data: string | Uint8Array) => void
  readonly end: () => void
}

/** A stream over connections that the test writes to by hand. */
function setUp({ status = () => 200 }: { status?: (attempt: number) => number } = {}) {
  const clock = createManualClock()
  const connections: Connection[] = []
  const messages: Message[] = []
  const losses: Loss[] = []
  const calls: string[] = []
  let resumeAt = 0
  const stream = createReconnectingStream({
    url: () => `/stream?after=${resumeAt}`,
    fetch: async (url, init) => {
      let body!: ReadableStreamDefaultController<Uint8Array>
      const response = new Response(new ReadableStream({ start: (controller) => void (body = controller) }), {
        status: status(connections.length),
      })
      init!.signal!.addEventListener('abort', () => body.error(new Error('aborted')))
      connections.push({
        url: String(url),
        send: (data) => body.enqueue(typeof data === 'string' ? new TextEncoder().encode(data) : data),
        end: () => body.close(),
      })
      return response
    },
    now: clock.now,
    wait: clock.wait,
    isFinal: (code) => code === 401,
    onRefused: () => calls.push('refused'),
    onLive: () => calls.push('live'),
    onMessages: (some) => {
      messages.push(...some)
      resumeAt += some.length
    },
    onLost: (loss) => losses.push(loss),
  })
  const connected = async (count: number): Promise<Connection> => {
    await expect.poll(() => connections.length, { interval: 1 }).toBe(count)
    return connections[count - 1]!
  }
  return { clock, stream, connections, messages, losses, calls, connected }
}

const text =
  ': héllo\r\n\r\nid: 1\nevent: execution\ndata: {"a":\ndata: "€"}\n\nid:2\ndata:x\n\n: beat\n\nevent: none\n\n'

describe('a reconnecting stream', () => {
  it('reads the same messages wherever the bytes are cut', async () => {
    const bytes = new TextEncoder().encode(text)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: bytes.length }), { maxLength: 12 }),
        async (cuts) => {
          const { stream, messages, losses, connected } = setUp()
          stream.open()
          const connection = await connected(1)
          const points = [0, ...cuts.sort((a, b) => a - b), bytes.length]
          for (let i = 1; i < points.length; i++) connection.send(bytes.slice(points[i - 1], points[i]))
          connection.end()
          await expect.poll(() => losses.length, { interval: 1 }).toBe(1)
          expect(messages).toEqual([
            { kind: 'comment', text: 'héllo' },
            { kind: 'event', event: 'execution', data: '{"a":\n"€"}' },
            { kind: 'event', event: 'message', data: 'x' },
            { kind: 'comment', text: 'beat' },
          ])
        },
      ),
      { numRuns: 50 },
    )
  })

  it('drops a connection that sends a message without an end', async () => {
    const { stream, losses, connected } = setUp()
    stream.open()
    ;(await connected(1)).send('x'.repeat(8_000_001))
    await expect.poll(() => losses.length).toBe(1)
  })

  it('resumes from where it is when the connection ends, and waits longer after each failure', async () => {
    const { clock, stream, connections, losses, connected } = setUp({
      status: (attempt) => (attempt === 0 ? 200 : 502),
    })
    stream.open()
    const first = await connected(1)
    first.send('data: a\n\ndata: b\n\n')
    first.end()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 7; attempt++) {
      await expect.poll(() => losses.length).toBe(attempt)
      waits.push(clock.pending()[0]!)
      clock.pass(waits.at(-1)!)
      await connected(attempt + 1)
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
    expect(connections.map(({ url }) => url)).toEqual([
      '/stream?after=0',
      ...Array.from({ length: 7 }, () => '/stream?after=2'),
    ])
    stream.close()
  })

  it('waits a short time again once data has arrived', async () => {
    const { clock, stream, losses, connected } = setUp({ status: (attempt) => (attempt < 2 ? 502 : 200) })
    stream.open()
    await expect.poll(() => losses.length).toBe(1)
    clock.pass(500)
    await expect.poll(() => losses.length).toBe(2)
    clock.pass(1_000)
    const third = await connected(3)
    third.send(': beat\n\n')
    third.end()
    await expect.poll(() => losses.at(-1)).toEqual({ failures: 1, silent: 0 })
    expect(clock.pending()).toEqual([500])
  })

  it('replaces a connection without a first byte after 5 s, and one that went silent after 10 s', async () => {
    const { clock, stream, losses, calls, connected } = setUp()
    stream.open()
    await connected(1)
    clock.pass(5_000)
    expect(losses).toEqual([])
    clock.pass(1_000)
    await expect.poll(() => losses).toEqual([{ failures: 1, silent: 1 }])
    clock.pass(500)
    const second = await connected(2)
    second.send(': beat\n\n')
    await new Promise((resolve) => setImmediate(resolve))
    // The beginning of an answer may come through where the rest does not.
    expect(calls).toEqual([])
    clock.pass(1_000)
    second.send(': beat\n\n')
    await expect.poll(() => calls).toEqual(['live'])
    clock.pass(10_000)
    expect(losses).toHaveLength(1)
    clock.pass(1_000)
    await expect.poll(() => losses.at(-1)).toEqual({ failures: 1, silent: 1 })
    stream.close()
  })

  it('stops at a refusal until it is opened again', async () => {
    const { clock, stream, calls, connected } = setUp({ status: (attempt) => (attempt === 0 ? 401 : 200) })
    stream.open()
    await expect.poll(() => calls).toEqual(['refused'])
    expect(clock.pending()).toEqual([])
    expect(stream.isOpen()).toBe(false)
    stream.open()
    ;(await connected(2)).send(': beat\n\n')
    await expect.poll(() => calls).toEqual(['refused', 'live'])
    stream.close()
  })

  it('is overdue while it waits, and when nothing came for too long, however long the machine slept', async () => {
    const { clock, stream, losses, connected } = setUp()
    expect(stream.isOverdue(7_000)).toBe(false)
    stream.open()
    ;(await connected(1)).end()
    await expect.poll(() => losses.length).toBe(1)
    expect(stream.isOverdue(7_000)).toBe(true)
    clock.pass(500)
    await connected(2)
    expect(stream.isOverdue(7_000)).toBe(false)
    clock.sleep(7_001)
    expect(stream.isOverdue(7_000)).toBe(true)
    stream.close()
    expect(stream.isOverdue(7_000)).toBe(false)
  })

  it('delivers nothing after it was closed, and opens a dropped connection again', async () => {
    const { clock, stream, losses, messages, connected } = setUp()
    stream.open()
    await connected(1)
    stream.drop()
    await expect.poll(() => losses.length).toBe(1)
    clock.pass(500)
    const second = await connected(2)
    second.send('data: late\n\n')
    stream.close()
    await new Promise((resolve) => setImmediate(resolve))
    expect(messages).toEqual([])
    expect(clock.pending()).toEqual([])
  })
})
