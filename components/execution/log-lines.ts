import type { LogLine } from '@/components/api'

/** Lines that a page keeps of a log that is followed: the latest. */
const mostKept = 2_000

/** `kept` with what came after it; of what is too much the oldest goes. Lines that are there already count once. */
export function appendLines(kept: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const last = kept.at(-1)?.n ?? 0
  const fresh = lines.filter((line) => line.n > last)
  return fresh.length === 0 ? kept : [...kept, ...fresh].slice(-mostKept)
}

/** The lines that have a text in them, whatever the case, and were printed to `stream`; empty: all. */
export function filterLines(lines: readonly LogLine[], text: string, stream: string): readonly LogLine[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '' && stream === '') return lines
  return lines.filter(
    (line) =>
      (stream === '' || line.stream === stream) &&
      (wanted === '' || line.text.toLowerCase().includes(wanted)),
  )
}

/** A line as a file has it, with what ends it. */
export function lineText({ timestamp, attempt, item, stream, text }: LogLine): string {
  return `${timestamp} #${attempt}${item === null ? '' : `[${item}]`} ${stream} ${text}\n`
}
