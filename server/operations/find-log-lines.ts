import type { LogLine, LogStore } from '@/server/ports/registry'

/** What one request looks through at most; the next page goes on behind it. */
const LOOKED_THROUGH = { lines: 200_000, characters: 32 * 1024 ** 2 } as const
const AT_ONCE = 1_000

/** Escape codes of terminals: colours, titles, moves of the cursor. Nobody sees them, so nobody searches for them. */
const escapes = new RegExp(
  String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])`,
  'g',
)

export type Wanted = {
  readonly attempt?: number | undefined
  readonly item?: number | undefined
  /** A text that the line shows, whatever the case. */
  readonly search?: string | undefined
  readonly stream?: LogLine['stream'] | undefined
}

type Place = { readonly executionId: string; readonly nodeId: string; readonly after: number }

/**
 * The first lines after `after` that are wanted, at most `limit`. `next`: the number of the line behind which more may follow; null: there
 * are no more. The answer of a search through very much may be short, or empty, and still have a `next`.
 */
export async function findLogLines(
  logs: LogStore,
  { executionId, nodeId, after }: Place,
  wanted: Wanted,
  limit: number,
): Promise<{ items: LogLine[]; next: number | null }> {
  const { attempt, item, search, stream } = wanted
  const range = { ...(attempt === undefined ? {} : { attempt }), ...(item === undefined ? {} : { item }) }
  const text = search?.toLowerCase()
  const fits = (line: LogLine): boolean =>
    (stream === undefined || line.stream === stream) &&
    (text === undefined || shownText(line.text).toLowerCase().includes(text))
  const plain = text === undefined && stream === undefined
  const items: LogLine[] = []
  let left: { lines: number; characters: number } = LOOKED_THROUGH
  for (let from = after; ;) {
    const size = plain ? limit + 1 : AT_ONCE
    const lines = await logs.read(executionId, nodeId, { ...range, after: from, limit: size })
    for (const line of lines) {
      if (!fits(line)) continue
      if (items.length === limit) return { items, next: items.at(-1)!.n }
      items.push(line)
    }
    const last = lines.at(-1)
    if (last === undefined || lines.length < size) return { items, next: null }
    left = {
      lines: left.lines - lines.length,
      characters: left.characters - lines.reduce((sum, line) => sum + line.text.length, 0),
    }
    if (left.lines <= 0 || left.characters <= 0) return { items, next: last.n }
    from = last.n
    // Others have their turn: a log may have 100,000 lines.
    await new Promise<void>((turn) => setImmediate(turn))
  }
}

const shownText = (text: string): string => (text.includes('\u001b') ? text.replace(escapes, '') : text)
