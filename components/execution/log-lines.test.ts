import { describe, expect, it } from 'vitest'
import type { LogLine } from '@/components/api'
import { appendLines } from './log-lines'

const line = (n: number): LogLine => ({
  n,
  timestamp: '2026-03-01T12:00:00.000Z',
  attempt: 1,
  item: null,
  stream: 'stdout',
  text: `line ${n}`,
})

describe('the lines that a page keeps', () => {
  it('are the latest, each once', () => {
    const kept = appendLines([line(1), line(2)], [line(2), line(3)])
    expect(kept.map((each) => each.n)).toEqual([1, 2, 3])
    expect(appendLines(kept, [line(3)])).toBe(kept)
    const many = appendLines(
      kept,
      Array.from({ length: 2_500 }, (_, index) => line(index + 4)),
    )
    expect([many.length, many[0]?.n, many.at(-1)?.n]).toEqual([2_000, 504, 2_503])
  })
})
