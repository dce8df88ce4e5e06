import type { LogLine } from '@/components/api'

/** Lines that a page keeps of a log that is followed: the latest. */
const mostKept = 2_000

/** `kept` with what came after it; of what is too much the oldest goes. Lines that are there already count once. */
export function appendLines(kept: readonly LogLine[], lines: readonly LogLine[]): readonly LogLine[] {
  const last = kept.at(-1)?.n ?? 0
  const fresh = lines.filter((line) => line.n > last)
  return fresh.length === 0 ? kept : [...kept, ...fresh].slice(-mostKept)
}
