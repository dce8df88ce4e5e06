import { LOG_LIMITS } from './protocol'

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
