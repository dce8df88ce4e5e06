import { cutText } from '@/core/pipeline/cut-text'
import type { LogLine } from '@/server/ports/registry'

/** A longer line is cut, visibly. */
export const LOG_LINE_MAX = 64 * 1024
/** The most lines that are stored of one node of an execution; the one after says that the rest is missing. */
export const LOG_LINES_MAX = 100_000
/** What one read gives at most. */
export const LOG_READ_MAX = 10_000

/**
 * What is stored of a line that would be number `n` of its node: the line itself, the note that the limit is reached, or
 * nothing after that [R-61: a limit is named where it bites].
 */
export function storedLine(line: Omit<LogLine, 'n'>, n: number): LogLine | null {
  if (n > LOG_LINES_MAX + 1) return null
  if (n === LOG_LINES_MAX + 1) {
    return { ...line, n, stream: 'log', text: `[only ${LOG_LINES_MAX} lines of a node are kept]` }
  }
  const { text } = line
  if (text.length <= LOG_LINE_MAX) return { ...line, n }
  return { ...line, n, text: `${cutText(text, LOG_LINE_MAX)} [cut: ${text.length} characters]` }
}
