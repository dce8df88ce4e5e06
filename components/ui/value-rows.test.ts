import { describe, expect, it } from 'vitest'
import { columnsOf, csvOf, isTable, sortRows } from './value-rows'

describe('a list of records', () => {
  it('is a table; another list is none', () => {
    expect(isTable([{ a: 1 }, {}])).toBe(true)
    for (const other of [[], [1], [{ a: 1 }, [2]], [null], { a: 1 }, 'x']) expect(isTable(other)).toBe(false)
    expect(columnsOf([{ a: 1 }, { b: 2, a: 3 }])).toEqual(['a', 'b'])
  })

  it('is sorted by size or as text, and what has nothing comes last both ways', () => {
    const rows = [{ v: 10 }, {}, { v: 9 }, { v: null }, { v: 11 }]
    const values = (descending: boolean) => sortRows(rows, { column: 'v', descending }).map(({ v }) => v)
    expect(values(false)).toEqual([9, 10, 11, undefined, null])
    expect(values(true)).toEqual([11, 10, 9, undefined, null])
    const texts = [{ v: 'row 10' }, { v: 'row 9' }, { v: { x: 1 } }]
    expect(sortRows(texts, { column: 'v', descending: false }).map(({ v }) => v)).toEqual([
      { x: 1 },
      'row 9',
      'row 10',
    ])
    expect(rows[0]).toEqual({ v: 10 })
  })

  it('is copied as CSV in which nothing is a formula and every text is whole', () => {
    const rows = [{ a: '=SUM(A1)', b: -5 }, { a: 'x, "y"\nz', b: [1] }, { a: null }]
    expect(csvOf(rows, ['a', 'b'])).toBe('a,b\r\n\'=SUM(A1),-5\r\n"x, ""y""\nz",[1]\r\n,\r\n')
  })
})
