import { describe, expect, it } from 'vitest'
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

/** Answers each request by the next of `answers`; the waits before new attempts are run by hand. */
function setUp(answers: readonly ((signal: AbortSignal) => Response)[]) {
  const asked: string[] = []
  type Wait = { ms: number; then: () => void }
  const waits: Wait[] = []
  /** The watch over a line that says nothing. */
  const silence = new Set<Wait>()
  const seen: number[] = []
  const stop = followLines({
    url: '/logs/stream',
    after: 2,
    onLines: (lines) => seen.push(...lines.map((each) => each.n)),
    fetch: async (input, init) => {
      asked.push(String(input))
      const answer = answers[asked.length - 1]
      if (answer === undefined) throw new Error('no line')
      return answer(init!.signal!)
    },
    wait: (ms, then) => {
      const one = { ms, then }
      if (ms === 10_000) {
        silence.add(one)
        return () => silence.delete(one)
      }
      waits.push(one)
      return () => waits.splice(0)
    },
  })
  return { asked, waits, silence, seen, stop }
}

/** An answer that sends `text` and then breaks, or ends. */
const sending = (text: string, end: 'breaks' | 'ends') => () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        if (text !== '') controller.enqueue(new TextEncoder().encode(text))
        else if (end === 'ends') controller.close()
        else controller.error(new Error('the line broke'))
        text = ''
      },
    }),
  )

describe('the log of a node, followed', () => {
  it('begins after what the reader has, and goes on after the last line when the line breaks, each line once', async () => {
    const { asked, waits, seen } = setUp([
      sending(frame(3) + ':\n\n' + frame(4), 'breaks'),
      sending(frame(4) + frame(5), 'ends'),
    ])
    await expect.poll(() => waits.length).toBe(1)
    waits.splice(0)[0]!.then()
    await expect.poll(() => seen).toEqual([3, 4, 5])
    await expect.poll(() => waits.length).toBe(1)
    expect(asked).toEqual(['/logs/stream?after=2', '/logs/stream?after=4'])
  })

  it('gives up a line that has fallen silent, and watches none that has ended', async () => {
    const silent = (signal: AbortSignal) =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode(frame(3)))
            signal.addEventListener('abort', () => controller.error(new Error('given up')))
          },
        }),
      )
    const { waits, silence, seen } = setUp([silent])
    await expect.poll(() => seen).toEqual([3])
    expect(silence.size).toBe(1)
    for (const one of silence) one.then()
    await expect.poll(() => waits.length).toBe(1)
    expect(silence.size).toBe(0)
  })

  it('asks no more once it was refused', async () => {
    for (const status of [401, 404]) {
      let read = 0
      const { waits, asked } = setUp([
        () => {
          read += 1
          return new Response('', { status })
        },
      ])
      await expect.poll(() => read).toBe(1)
      await new Promise((resolve) => setImmediate(resolve))
      expect(waits).toEqual([])
      expect(asked).toHaveLength(1)
    }
  })

  it('waits longer after each failure, and not at all once it was stopped', async () => {
    const { waits, stop } = setUp([])
    await expect.poll(() => waits.length).toBe(1)
    waits[0]!.then()
    await expect.poll(() => waits.length).toBe(2)
    expect(waits.map((each) => each.ms)).toEqual([500, 1_000])
    stop()
    expect(waits).toEqual([])
  })

  it('leaves out what is no line', async () => {
    const { seen } = setUp([
      sending(`event: line\ndata: {\n\nevent: line\ndata: null\n\n${frame(9)}`, 'ends'),
    ])
    await expect.poll(() => seen).toEqual([9])
  })
})
