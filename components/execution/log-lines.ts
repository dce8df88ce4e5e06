import type { LogLine } from '@/components/api'
import { withoutAnsi } from '@/components/ui/ansi'

/** The page keeps this many of the lines that it follows: the latest. */
const MAX_LINES = 2_000

/** `before` with the lines that came after it, each once. When there are too many, the oldest are dropped. */
export function appendLines(before: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const last = before.at(-1)?.n ?? 0
  const fresh = lines.filter((line) => line.n > last)
  return fresh.length === 0 ? before : [...before, ...fresh].slice(-MAX_LINES)
}

/** The lines that show a text, whatever the case, and were printed to `stream`; empty: all. */
export function filterLines(lines: readonly LogLine[], text: string, stream: string): readonly LogLine[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' && stream === '') return lines
  return lines.filter(
    (line) =>
      (stream === '' || line.stream === stream) &&
      (wanted === '' || withoutAnsi(line.text).toLowerCase().includes(wanted)),
  )
}

/** A line of the downloaded file, with its line break. */
export function lineText({ timestamp, attempt, item, stream, text }: LogLine): string {
  return `${timestamp} #${attempt}${item === null ? '' : `[${item}]`} ${stream} ${text}\n`
}
