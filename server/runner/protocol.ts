import type { Json, JsonObject, NodeError } from '@/core/engine/event'
import { cutText } from '@/core/pipeline/cut-text'

/**
 * The channel between the server and a child: one JSON document a line, requests on the child's standard input, answers on its
 * descriptor 3. A pipe of our own and not Node's IPC, because the parent must be able to refuse a message by its size before it
 * has it in memory, and because writes of the child then wait for the parent instead of piling up in the child.
 */
export const ANSWER_DESCRIPTOR = 3

/** Bytes of one line. All outputs of an attempt fit; a child that sends more is ended. */
export const FRAME_BYTES = { request: 64 * 1024 * 1024, answer: 34 * 1024 * 1024 } as const

/**
 * What an attempt may print. The first `lines` and `bytes` are stored, and of what follows the `last`; a line says how much is
 * left out between them. Past `flood` the attempt fails.
 */
export const LOG_LIMITS = {
  bytes: 1024 * 1024,
  lines: 10_000,
  last: { lines: 2_000, bytes: 256 * 1024 },
  lineBytes: 64 * 1024,
  flood: 64 * 1024 * 1024,
} as const

/** A line of `bytes` bytes as it is stored: the beginning of one that is too long, which says so. */
export const shortenedLine = (line: string, bytes: number): string =>
  bytes <= LOG_LIMITS.lineBytes
    ? line
    : `${cutText(line, LOG_LIMITS.lineBytes / 4)}… (line of ${bytes} bytes)`

export type LogStream = 'stdout' | 'stderr' | 'log'

export type RunFrame = {
  readonly type: 'run'
  /** Number of the dispatch: every answer carries it, so that an answer of an earlier attempt is never taken for this one's. */
  readonly id: number
  readonly task: string
  readonly input: JsonObject
  readonly idempotencyKey: string
  readonly traceparent?: string | undefined
  readonly workDir: string
}

export type RequestFrame = RunFrame | { readonly type: 'abort'; readonly id: number }

export type AnswerFrame =
  | { readonly type: 'ready' }
  /** The child is at the work of the dispatch from now on. */
  | { readonly type: 'begun'; readonly id: number }
  | { readonly type: 'log'; readonly id: number; readonly stream: LogStream; readonly text: string }
  /** Lines and bytes that the child has left out so far, between its first lines and its last. */
  | { readonly type: 'dropped'; readonly id: number; readonly lines: number; readonly bytes: number }
  | {
      readonly type: 'progress'
      readonly id: number
      readonly ratio: number | null
      readonly message: string | null
    }
  | { readonly type: 'done'; readonly id: number; readonly outputs: Readonly<Record<string, Json>> }
  /** `tainted`: the child may be damaged and must not run another attempt. */
  | { readonly type: 'failed'; readonly id: number; readonly error: NodeError; readonly tainted: boolean }

/**
 * Cuts a stream of bytes into lines of at most `limit` bytes. `overflow` is called once, and nothing after it, when a line
 * grows longer: what has arrived of it is dropped.
 */
export function createLineReader(limit: number, line: (text: string) => void, overflow: () => void) {
  let parts: Buffer[] = []
  let size = 0
  let over = false
  return (chunk: Buffer): void => {
    let start = 0
    while (!over && start < chunk.length) {
      const end = chunk.indexOf(10, start)
      const part = chunk.subarray(start, end === -1 ? chunk.length : end)
      size += part.length
      if (size > limit) {
        over = true
        parts = []
        overflow()
        return
      }
      parts.push(part)
      if (end === -1) return
      const text = parts.length === 1 ? part.toString() : Buffer.concat(parts).toString()
      parts = []
      size = 0
      line(text)
      start = end + 1
    }
  }
}

type Waiting<T> = { readonly line: T; readonly size: number; readonly whole: number }

/**
 * Which lines of an attempt are stored: the first, at once, and of those after them the last. What lies between is counted in
 * `skipped`.
 */
export function createLogWindow<T>() {
  let first = { lines: 0, bytes: 0 }
  let full = false
  /** The last lines from `from` on; before it what is let go of. */
  let last: (Waiting<T> | null)[] = []
  let from = 0
  let lastBytes = 0
  const skipped = { lines: 0, bytes: 0 }

  const isOver = () => last.length - from > LOG_LIMITS.last.lines || lastBytes > LOG_LIMITS.last.bytes
  return {
    skipped,
    /**
     * Whether a line is one of the first; it waits otherwise. `size`: its bytes as it would be stored; `whole`: as it was
     * printed.
     */
    take(line: T, size: number, whole = size): boolean {
      if (!full && first.lines < LOG_LIMITS.lines && first.bytes + size <= LOG_LIMITS.bytes) {
        first = { lines: first.lines + 1, bytes: first.bytes + size }
        return true
      }
      // Once full it stays full: a short line after a long one must not appear out of its order.
      full = true
      last.push({ line, size, whole })
      lastBytes += size
      while (isOver()) {
        const out = last[from]!
        last[from] = null
        from += 1
        lastBytes -= out.size
        skipped.lines += 1
        skipped.bytes += out.whole
      }
      if (from > LOG_LIMITS.last.lines) {
        last = last.slice(from)
        from = 0
      }
      return false
    },
    /** Lines were left out by who prints them: whatever comes now comes after a gap. */
    endFirst(): void {
      full = true
    },
    /** The lines that wait, which do so no more. */
    drain(): T[] {
      const lines = last.slice(from).map((waiting) => waiting!.line)
      last = []
      from = 0
      lastBytes = 0
      return lines
    },
    /** Bytes of all lines that it has and that it let go of. */
    total: () => first.bytes + lastBytes + skipped.bytes,
  }
}
