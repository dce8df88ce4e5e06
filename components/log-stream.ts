import { createFrameReader } from './frame-reader'

/** A line of the log of a node, as the API tells it (wire names). `n` grows from 1, without holes that mean anything. */
export type LogLine = {
  readonly n: number
  readonly timestamp: string
  readonly attempt: number
  readonly item: number | null
  readonly stream: string
  readonly text: string
}

export type FollowOptions = {
  readonly url: string
  /** The number of the last line that the reader has. */
  readonly after: number
  /** Lines in order, each once, as many together as came together. */
  readonly onLines: (lines: readonly LogLine[]) => void
  readonly fetch: typeof globalThis.fetch
  /** Waits before a new attempt: 0.5 s, then twice as long each time up to 10 s. */
  readonly wait: (ms: number, then: () => void) => () => void
}

/** Heartbeats come every 3 s: a line on which nothing came for this long is dead. Milliseconds. */
const silence = 10_000

/**
 * Follows the log of a node over its own stream until the answer is called, which the reader does when the node has ended. A line
 * that broke or was ended (by a server that stops, too) is connected again after the last that came; a refusal (4xx) is final.
 */
export function followLines(options: FollowOptions): () => void {
  const controller = new AbortController()
  let after = options.after
  let failures = 0
  let cancelWait = () => {}

  async function connect() {
    let gone = false
    const line = new AbortController()
    let cancelSilence = () => {}
    const heard = () => {
      cancelSilence()
      cancelSilence = options.wait(silence, () => line.abort())
    }
    try {
      heard()
      const response = await options.fetch(`${options.url}?after=${after}`, {
        headers: { accept: 'text/event-stream' },
        signal: AbortSignal.any([controller.signal, line.signal]),
        cache: 'no-store',
      })
      gone = response.status >= 400 && response.status < 500 && response.status !== 429
      if (!response.ok || response.body === null)
        throw new Error(`The log stream answered ${response.status}.`)
      let lines: LogLine[] = []
      const read = createFrameReader((frame) => {
        const line = lineOf(frame.data)
        if (frame.event !== 'line' || line === null || line.n <= after) return
        after = line.n
        lines.push(line)
      })
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (controller.signal.aborted) return
        if (done) break
        failures = 0
        heard()
        read(decoder.decode(value, { stream: true }))
        if (lines.length > 0) options.onLines(lines)
        lines = []
      }
    } catch {
      // Every way a line can break ends here; unless it is refused or given up, it is connected again.
    } finally {
      cancelSilence()
    }
    if (gone || controller.signal.aborted) return
    failures += 1
    cancelWait = options.wait(Math.min(10_000, 250 * 2 ** Math.min(failures, 6)), () => void connect())
  }

  void connect()
  return () => {
    controller.abort()
    cancelWait()
  }
}

function lineOf(data: string): LogLine | null {
  try {
    const line = JSON.parse(data) as Partial<LogLine> | null
    return typeof line?.n === 'number' && typeof line.text === 'string' ? (line as LogLine) : null
  } catch {
    return null
  }
}
