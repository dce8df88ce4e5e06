import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findInValue } from './value-search'

const paths = (value: unknown, query: string, most = 100) =>
  findInValue(value, query, most).matches.map(({ path }) => path)

describe('the search in a value', () => {
  const value = {
    rows: [
      { city: 'Seattle', mm: 12 },
      { city: 'Oslo', mm: 3 },
    ],
    'two words': { Rows: null },
    note: 'It rained in SEATTLE',
  }

  it('finds keys and texts whatever the case, each under its path', () => {
    expect(paths(value, 'seattle')).toEqual(['note', 'rows[0].city'])
    expect(paths(value, ' rows ')).toEqual(['rows', '["two words"].Rows'])
    expect(paths(value, '12')).toEqual(['rows[0].mm'])
    expect(paths(value, 'null')).toEqual(['["two words"].Rows'])
    expect(paths(value, '0')).toEqual([])
    expect(paths(value, '')).toEqual([])
    expect(paths('a text', 'a')).toEqual([])
  })

  it('is bounded, and says that there is more', () => {
    const list = Array.from({ length: 60_000 }, () => 'x')
    expect(findInValue(list, 'x', 3)).toMatchObject({ more: true, matches: { length: 3 } })
    expect(findInValue(list, 'y', 3)).toEqual({ matches: [], more: true })
    expect(findInValue(list.slice(0, 3), 'x', 3).more).toBe(false)
  })

  it('finds every key that there is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (object) => {
        for (const key of Object.keys(object)) {
          if (key.trim() === '') continue
          const { matches } = findInValue(object, key, 100_000)
          expect(matches.some(({ value }) => Object.is(value, object[key]))).toBe(true)
        }
      }),
    )
  })
})
