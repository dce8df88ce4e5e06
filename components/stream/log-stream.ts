import { createReconnectingStream, type StreamPorts } from './reconnecting-stream'

/** A line of the log of a node, as the API sends it (wire names). `n` grows from 1, without holes that mean anything. */
export type LogLine = {
  readonly n: number
  readonly timestamp: string
  readonly attempt: number
  readonly item: number | null
  readonly stream: string
  readonly text: string
}

export type FollowOptions = StreamPorts & {
  readonly url: string
  /** The number of the last line that the reader has. */
  readonly after: number
  /** Lines in order, each once; those that arrived together are passed together. */
  readonly onLines: (lines: readonly LogLine[]) => void
}

/**
 * Follows the log of a node over a stream of its own. The answer ends it; the reader calls it when the node has ended. A
 * connection that broke or was ended (a server that stops ends it too) resumes after the last line. A refusal (4xx) is final.
 */
export function followLines(options: FollowOptions): () => void {
  let { after } = options
  const stream = createReconnectingStream({
    ...options,
    url: () => `${options.url}?after=${after}`,
    isFinal: (status) => status >= 400 && status < 500 && status !== 429,
    onMessages: (messages) => {
      const lines: LogLine[] = []
      for (const message of messages) {
        const line = message.kind === 'event' && message.event === 'line' ? lineOf(message.data) : null
        if (line === null || line.n <= after) continue
        after = line.n
        lines.push(line)
      }
      if (lines.length > 0) options.onLines(lines)
    },
  })
  stream.open()
  return stream.close
}

function lineOf(data: string): LogLine | null {
  try {
    const line = JSON.parse(data) as Partial<LogLine> | null
    return typeof line?.n === 'number' && typeof line.text === 'string' ? (line as LogLine) : null
  } catch {
    return null
  }
}
