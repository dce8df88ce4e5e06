import { describe, expect, it } from 'vitest'
import type { LogLine, LogStore } from '@/server/ports/registry'
import { findLogLines, type Wanted } from './find-log-lines'

function logOf(texts: readonly string[], more: (n: number) => Partial<LogLine> = () => ({})) {
  const lines = texts.map((text, at): LogLine => {
    const line = { executionId: 'e1', nodeId: 'a', generation: 1, attempt: 1, item: null, n: at + 1, at: 0 }
    return { ...line, stream: 'stdout', text, ...more(at + 1) }
  })
  let reads = 0
  const logs: LogStore = {
    append: () => Promise.resolve(),
    read: (_executionId, _nodeId, { after = 0, limit, attempt }) => {
      reads += 1
      const rest = lines.filter((line) => line.n > after && (attempt ?? line.attempt) === line.attempt)
      return Promise.resolve(rest.slice(0, limit))
    },
  }
  const find = (wanted: Wanted, { after = 0, limit = 500 } = {}) =>
    findLogLines(logs, { executionId: 'e1', nodeId: 'a', after }, wanted, limit)
  return { find, reads: () => reads }
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`)
const numbers = ({ items }: { items: readonly LogLine[] }) => items.map(({ n }) => n)

describe('lines of a log that are searched', () => {
  it('are found wherever they stand: line 9,876 of 10,001', async () => {
    const { find } = logOf(numbered(10_001))
    const found = await find({ search: 'LINE 9876' })
    expect([numbers(found), found.next]).toEqual([[9_876], null])
    expect(numbers(await find({ search: 'line 10001' }))).toEqual([10_001])
    expect(numbers(await find({ search: 'no such line' }))).toEqual([])
  })

  it('come page by page, and the last page says that it is the last', async () => {
    const { find } = logOf(numbered(5_000))
    const first = await find({ search: '99' }, { limit: 40 })
    expect(first.items).toHaveLength(40)
    const second = await find({ search: '99' }, { limit: 60, after: first.next! })
    expect(second.next).toBeNull()
    expect([...numbers(first), ...numbers(second)]).toEqual(
      numbered(5_000).flatMap((text, at) => (text.includes('99') ? [at + 1] : [])),
    )
    const exact = await find({ search: 'line 4999' }, { limit: 1 })
    expect([numbers(exact), exact.next]).toEqual([[4_999], null])
  })

  it('are of a stream, of an attempt, and in the colours of a terminal', async () => {
    const texts = [
      'it \u001b[31mfai\u001b[1mled\u001b[0m',
      'it failed',
      '\u001b]0;failed\u0007fine',
      'failed',
    ]
    const { find } = logOf(texts, (n) => ({ stream: n < 4 ? 'stdout' : 'stderr', attempt: n === 2 ? 2 : 1 }))
    expect(numbers(await find({ search: 'failed' }))).toEqual([1, 2, 4])
    expect(numbers(await find({ stream: 'stderr' }))).toEqual([4])
    expect(numbers(await find({ search: 'failed', attempt: 2 }))).toEqual([2])
    expect(numbers(await find({ search: '[31m' }))).toEqual([])
  })

  it('are looked through in bounded steps', async () => {
    const { find, reads } = logOf(Array.from({ length: 3_000 }, () => 'x'.repeat(20_000)))
    const first = await find({ search: 'y' })
    expect(numbers(first)).toEqual([])
    expect(first.next).toBe(2_000)
    expect((await find({ search: 'y' }, { after: first.next! })).next).toBeNull()
    expect(reads()).toBe(4)
  })

  it('without a wish are read as they are', async () => {
    const { find, reads } = logOf(numbered(1_000))
    const page = await find({}, { limit: 250 })
    expect([page.items.length, page.next, reads()]).toEqual([250, 250, 1])
    expect((await find({}, { limit: 250, after: 750 })).next).toBeNull()
  })
})
