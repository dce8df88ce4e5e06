import { describe, expect, it } from 'vitest'
import { createManualClock } from '@/testing/manual-clock'
import { followLines, type LogLine } from './log-stream'

const line = (n: number): LogLine => ({
  n,
  timestamp: '2026-03-01T12:00:00.000Z',
  attempt: 1,
  item: null,
  stream: 'stdout',
  text: `line ${n}`,
})
const frame = (n: number) => `id: ${n}\nevent: line\ndata: ${JSON.stringify(line(n))}\n\n`

/** Answers each request by the next of `answers`; then every request fails. */
function setUp(answers: readonly ((signal: AbortSignal) => Response)[]) {
  const clock = createManualClock()
  const asked: string[] = []
  const seen: number[] = []
  const stop = followLines({
    url: '/logs/stream',
    after: 2,
    onLines: (lines) => seen.push(...lines.map((each) => each.n)),
    fetch: async (input, init) => {
      asked.push(String(input))
      const answer = answers[asked.length - 1]
      if (answer === undefined) throw new Error('no connection')
      return answer(init!.signal!)
    },
    now: clock.now,
    wait: clock.wait,
  })
  /** Waits until the connection is lost and the next attempt is `ms` away. */
  const retriesIn = (ms: number) => expect.poll(clock.pending).toEqual([ms])
  return { clock, asked, seen, stop, retriesIn }
}

/** An answer that sends `text` and then breaks, or ends. */
const sending = (text: string, end: 'breaks' | 'ends') => () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        if (text !== '') controller.enqueue(new TextEncoder().encode(text))
        else if (end === 'ends') controller.close()
        else controller.error(new Error('the connection broke'))
        text = ''
      },
    }),
  )

describe('the log of a node, followed', () => {
  it('begins after what the reader has, and resumes after the last line when the connection breaks, each line once', async () => {
    const { clock, asked, seen, retriesIn } = setUp([
      sending(frame(3) + ':\n\n' + frame(4), 'breaks'),
      sending(frame(4) + frame(5), 'ends'),
    ])
    await retriesIn(500)
    clock.pass(500)
    await expect.poll(() => seen).toEqual([3, 4, 5])
    await retriesIn(500)
    expect(asked).toEqual(['/logs/stream?after=2', '/logs/stream?after=4'])
  })

  it('drops a connection that went silent, and checks none that has ended', async () => {
    const silent = (signal: AbortSignal) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(frame(3)))
            signal.addEventListener('abort', () => controller.error(new Error('dropped')))
          },
        }),
      )
    const { clock, seen, retriesIn } = setUp([silent])
    await expect.poll(() => seen).toEqual([3])
    clock.pass(10_000)
    expect(clock.pending()).toEqual([1_000])
    clock.pass(1_000)
    await retriesIn(500)
  })

  it('does not try again once it was refused', async () => {
    for (const status of [401, 404]) {
      let read = 0
      const { clock, asked } = setUp([
        () => {
          read += 1
          return new Response('', { status })
        },
      ])
      await expect.poll(() => read).toBe(1)
      await expect.poll(clock.pending).toEqual([])
      expect(asked).toHaveLength(1)
    }
  })

  it('tries again after it was refused for asking too often', async () => {
    const { retriesIn } = setUp([() => new Response('', { status: 429 })])
    await retriesIn(500)
  })

  it('makes no attempt once it was stopped', async () => {
    const { clock, stop, retriesIn } = setUp([])
    await retriesIn(500)
    stop()
    expect(clock.pending()).toEqual([])
  })

  it('leaves out what is no line', async () => {
    const { seen } = setUp([
      sending(`event: line\ndata: {\n\nevent: line\ndata: null\n\n${frame(9)}`, 'ends'),
    ])
    await expect.poll(() => seen).toEqual([9])
  })
})
