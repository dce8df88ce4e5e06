import { describe, expect, it } from 'vitest'
import type { LogLine } from '@/components/api'
import { appendLines, filterLines, lineText } from './log-lines'

const line = (n: number): LogLine => ({
  n,
  timestamp: '2026-03-01T12:00:00.000Z',
  attempt: 1,
  item: null,
  stream: 'stdout',
  text: `line ${n}`,
})

describe('the lines of a followed log', () => {
  it('are the latest, each once', () => {
    const lines = appendLines([line(1), line(2)], [line(2), line(3)])
    expect(lines.map((each) => each.n)).toEqual([1, 2, 3])
    expect(appendLines(lines, [line(3)])).toBe(lines)
    const many = appendLines(
      lines,
      Array.from({ length: 2_500 }, (_, index) => line(index + 4)),
    )
    expect([many.length, many[0]?.n, many.at(-1)?.n]).toEqual([2_000, 504, 2_503])
  })
})

describe('lines that are looked for', () => {
  const lines = [line(1), { ...line(2), stream: 'stderr', text: 'It FAILED' }, { ...line(3), item: 4 }]
  const found = (text: string, stream: string) => filterLines(lines, text, stream).map(({ n }) => n)

  it('have the text, whatever the case, and are of the stream', () => {
    expect(found('failed ', '')).toEqual([2])
    expect(found('line', 'stderr')).toEqual([])
    expect(found('', 'stdout')).toEqual([1, 3])
    expect(filterLines(lines, ' ', '')).toBe(lines)
  })

  it('are found by what they show, whatever codes of a terminal stand in it, which a file holds', () => {
    const coloured = { ...line(5), text: 'it \u001b[31mfai\u001b[1mled\u001b[0m' }
    expect(filterLines([coloured], 'failed', '')).toEqual([coloured])
    expect(filterLines([coloured], '31m', '')).toEqual([])
    expect(lineText(coloured)).toContain('\u001b[31mfai')
  })

  it('have in a file their instant, attempt, item and stream', () => {
    expect(lineText(lines[2]!)).toBe('2026-03-01T12:00:00.000Z #1[4] stdout line 3\n')
  })
})
