import { describe, expect, it } from 'vitest'
import { changedAt, freshName, renamedMember, swapped } from './json-edits'

describe('a change at a path', () => {
  it('makes what leads there, and leaves the rest the same value', () => {
    const before = { a: { b: 1 }, c: { d: 2 } }
    const after = changedAt(before, ['a', 'x', 'y'], 3) as typeof before
    expect(after).toEqual({ a: { b: 1, x: { y: 3 } }, c: { d: 2 } })
    expect(after.c).toBe(before.c)
    expect(changedAt({}, ['list', 0], 'a')).toEqual({ list: ['a'] })
    expect(changedAt({ list: ['a'] }, ['list', 1], 'b')).toEqual({ list: ['a', 'b'] })
  })

  it('takes away, and with it what became empty', () => {
    expect(changedAt({ a: { b: { c: 1 } }, d: 2 }, ['a', 'b', 'c'], undefined)).toEqual({ d: 2 })
    expect(changedAt({ a: { b: 1, c: 2 } }, ['a', 'b'], undefined)).toEqual({ a: { c: 2 } })
    expect(changedAt({ list: ['a', 'b'] }, ['list', 0], undefined)).toEqual({ list: ['b'] })
    expect(changedAt({ list: ['a'] }, ['list', 0], undefined)).toBeUndefined()
    expect(changedAt({ a: 1 }, ['b', 'c'], undefined)).toEqual({ a: 1 })
  })

  it('puts one member in the place of another', () => {
    const list = ['a', 'b', 'c']
    expect(swapped(list, 2, 1)).toEqual(['a', 'c', 'b'])
    expect(swapped(list, 0, 2)).toEqual(['c', 'b', 'a'])
    expect(list).toEqual(['a', 'b', 'c'])
  })

  it('takes any word for a name', () => {
    const after = changedAt({}, ['__proto__', 'x'], 1) as object
    expect(Object.keys(after)).toEqual(['__proto__'])
    expect(JSON.stringify(changedAt(after, ['constructor'], 2))).toBe('{"__proto__":{"x":1},"constructor":2}')
    expect(JSON.stringify(changedAt(after, ['__proto__', 'x'], 5))).toBe('{"__proto__":{"x":5}}')
  })

  it('keeps the order of names', () => {
    expect(Object.keys(renamedMember({ a: 1, b: 2, c: 3 }, 'b', 'x'))).toEqual(['a', 'x', 'c'])
    const same = { a: 1, b: 2 }
    expect(renamedMember(same, 'a', 'b')).toBe(same)
    expect(renamedMember(same, 'z', 'y')).toBe(same)
    expect(Object.keys(changedAt({ a: 1, b: 2 }, ['a'], 9) as object)).toEqual(['a', 'b'])
    expect(freshName({ a: 1, a_2: 1 }, 'a')).toBe('a_3')
  })
})
