import { describe, expect, it } from 'vitest'
import { firstItem, previewOf, previewOfConditions } from './preview'

const values = new Map<string, unknown>([
  ['extract.rows', [{ rain: 3 }, { rain: 0 }]],
  ['extract.row_count', 2],
  ['pipeline.input.station', 'seattle'],
])
const of = (text: string, locals = {}) => previewOf(text, values, locals)

describe('a preview', () => {
  it('is what the engine would make of it', () => {
    expect(of('{{ extract.row_count + 1 }}')).toEqual({ kind: 'value', text: '3', type: 'number' })
    expect(of('{{ extract.row_count }} rows of {{ pipeline.input.station }}')).toEqual({
      kind: 'value',
      text: '2 rows of seattle',
      type: 'text',
    })
    expect(of('{{ extract.rows.map(x, x.rain) }}')).toEqual({
      kind: 'value',
      text: '[3,0]',
      type: 'list of 2',
    })
    expect(of('{{ item.rain }}', { item: { rain: 3 } })).toMatchObject({ text: '3' })
  })

  it('says in words why there is none', () => {
    expect(of('{{ load.rows }}')).toEqual({
      kind: 'none',
      why: expect.stringContaining('That run has no load.rows'),
    })
    expect(of('{{ 1 / extract.row_count.size() }}')).toMatchObject({ kind: 'none' })
    expect(of('{{ extract. }}')).toBeNull()
    expect(of('{{ extract')).toBeNull()
  })

  it('shows the beginning of a long value', () => {
    const preview = previewOf('{{ a.b }}', new Map([['a.b', 'x'.repeat(5_000)]]), {})
    expect(preview?.kind === 'value' && preview.text.length).toBe(401)
  })

  it('of a start condition is each of its conditions', () => {
    expect(previewOfConditions('event:a.completed && {{ extract.row_count > 5 }}', values)).toEqual([
      { source: 'extract.row_count > 5', preview: { kind: 'value', text: 'false', type: 'boolean' } },
    ])
    expect(previewOfConditions('event:', values)).toEqual([])
  })

  it('of what runs for each item is for the first', () => {
    expect(firstItem('{{ extract.rows }}', values)).toEqual({ item: { rain: 3 }, index: 0 })
    expect(firstItem([5, 6], values)).toEqual({ item: 5, index: 0 })
    expect(firstItem('{{ load.rows }}', values)).toBeNull()
    expect(firstItem([], values)).toBeNull()
  })
})
