import { describe, expect, it } from 'vitest'
import { bareOf } from './bare-expression'

describe('what stands between the braces', () => {
  it('is that of a text that is one expression, and nothing of any other', () => {
    expect(bareOf('{{ extract.rows }}')).toBe('extract.rows')
    expect(bareOf(' {{extract.rows}} ')).toBe('extract.rows')
    expect(bareOf('')).toBe('')
    expect(bareOf('{{ }}')).toBe('')
    expect(bareOf("{{ {'a': '}}'}.a }}")).toBe("{'a': '}}'}.a")
    for (const text of ['a {{ b.c }}', '{{ a.b }} {{ c.d }}', '{{ a.b', 'text'])
      expect(bareOf(text)).toBeNull()
  })
})
