import { StringDecoder } from 'node:string_decoder'
import { sayBytes } from '@/tasks/support/outputs'
import { createLogBudget, LOG_LIMITS, type LogStream } from './protocol'

/**
 * What an attempt prints, on its way to the server: cut into lines, bounded, and with one last line that says how much was dropped.
 * `flooded` is called once when the attempt has printed so much that it is to be ended.
 */
export function createAttemptLog(write: (stream: LogStream, text: string) => void, flooded: () => void) {
  const budget = createLogBudget()
  /** What the child itself has dropped, by its own report. */
  let elsewhere = { lines: 0, bytes: 0 }
  let over = false
  // Made when a pipe says something: most attempts in the server never need them.
  const rest = new Map<'stdout' | 'stderr', ReturnType<typeof createTail>>()

  const checkFlood = () => {
    if (over || budget.total() + elsewhere.bytes <= LOG_LIMITS.flood) return
    over = true
    flooded()
  }
  const line = (stream: LogStream, text: string) => {
    const bytes = Buffer.byteLength(text)
    if (budget.take(Math.min(bytes, LOG_LIMITS.lineBytes) + 1, bytes + 1)) {
      write(
        stream,
        bytes > LOG_LIMITS.lineBytes
          ? `${text.slice(0, LOG_LIMITS.lineBytes / 4)}… (line of ${bytes} bytes)`
          : text,
      )
    }
    checkFlood()
  }
  return {
    /** Text of whole lines. */
    write(stream: LogStream, text: string): void {
      if (!text.includes('\n')) return line(stream, text)
      for (const part of text.split('\n')) line(stream, part)
    },
    /** Bytes as they come from a pipe. */
    raw(stream: 'stdout' | 'stderr', chunk: Buffer): void {
      if (budget.dropped.lines > 0) {
        // Nothing of it is stored: count it without looking at it.
        budget.dropped.bytes += chunk.length
        return checkFlood()
      }
      const tail = rest.get(stream) ?? createTail()
      rest.set(stream, tail)
      for (const part of tail.lines(chunk)) line(stream, part)
    },
    dropped(lines: number, bytes: number): void {
      elsewhere = { lines, bytes }
      checkFlood()
    },
    end(): void {
      for (const [stream, tail] of rest) {
        const part = tail.end()
        if (part !== '') line(stream, part)
      }
      const lines = budget.dropped.lines + elsewhere.lines
      if (lines === 0) return
      const size = sayBytes(budget.dropped.bytes + elsewhere.bytes)
      write(
        'log',
        `At least ${lines} more lines (${size}) were dropped: an attempt may log ${LOG_LIMITS.lines} lines and ${sayBytes(LOG_LIMITS.bytes)}.`,
      )
    },
  }
}

/** Cuts bytes into lines and keeps the unfinished one; a line that never ends is cut where it is longer than one may be. */
function createTail() {
  const decoder = new StringDecoder('utf8')
  let open = ''
  return {
    lines(chunk: Buffer): string[] {
      const parts = (open + decoder.write(chunk)).split('\n')
      open = parts.pop() ?? ''
      if (open.length > LOG_LIMITS.lineBytes) {
        parts.push(open)
        open = ''
      }
      return parts
    },
    end: () => open + decoder.end(),
  }
}
