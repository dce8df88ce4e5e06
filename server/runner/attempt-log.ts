import { StringDecoder } from 'node:string_decoder'
import { sayBytes } from '@/tasks/support/outputs'
import { createLogWindow, LOG_LIMITS, shortenedLine, type LogStream } from './protocol'

/** `agoMs`: how long before it is written the line was printed; absent: now. */
export type LoggedLine = { readonly stream: LogStream; readonly text: string; readonly agoMs?: number }

/**
 * What an attempt prints, on its way to the server: cut into lines and bounded. The first lines are written as they come, the last at its
 * end, after a line that says how many between them are left out. `flooded` is called once when the attempt has printed so much that it is
 * to be ended.
 */
export function createAttemptLog(write: (lines: readonly LoggedLine[]) => void, flooded: () => void) {
  const window = createLogWindow<LoggedLine & { readonly at: number }>()
  /** What the child itself has left out, by its own report. */
  let elsewhere = { lines: 0, bytes: 0 }
  let over = false
  // Made when a pipe says something: most attempts in the server never need them.
  const rest = new Map<'stdout' | 'stderr', ReturnType<typeof createTail>>()

  const checkFlood = () => {
    if (over || window.total() + elsewhere.bytes <= LOG_LIMITS.flood) return
    over = true
    flooded()
  }
  const line = (stream: LogStream, text: string) => {
    const bytes = Buffer.byteLength(text)
    const stored = shortenedLine(text, bytes)
    const one = { stream, text: stored, at: performance.now() }
    if (window.take(one, Math.min(bytes, LOG_LIMITS.lineBytes) + 1, bytes + 1))
      write([{ stream, text: stored }])
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
      const tail = rest.get(stream) ?? createTail()
      rest.set(stream, tail)
      for (const part of tail.lines(chunk)) line(stream, part)
    },
    leftOut(lines: number, bytes: number): void {
      elsewhere = { lines, bytes }
      if (lines > 0) window.endFirst()
      checkFlood()
    },
    end(): void {
      for (const [stream, tail] of rest) {
        const part = tail.end()
        if (part !== '') line(stream, part)
      }
      const now = performance.now()
      const last = window
        .drain()
        .map(({ stream, text, at }): LoggedLine => ({ stream, text, agoMs: Math.round(now - at) }))
      const lines = window.skipped.lines + elsewhere.lines
      const size = sayBytes(window.skipped.bytes + elsewhere.bytes)
      const gap = { stream: 'log', text: `${lines} lines (${size}) are left out here: ${STORED}` } as const
      if (last.length > 0 || lines > 0) write(lines === 0 ? last : [gap, ...last])
    },
  }
}

const { last } = LOG_LIMITS
const STORED =
  `of an attempt the first ${LOG_LIMITS.lines} lines (${sayBytes(LOG_LIMITS.bytes)}) ` +
  `and the last ${last.lines} (${sayBytes(last.bytes)}) are stored.`

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
