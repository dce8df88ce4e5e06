import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTextFault, readTypedJson, withNumbersAsText } from './json-text'

describe('what JSON text says and its value does not', () => {
  it.each([
    ['{"a":1,"a":2}', ['a'], 1, 8],
    ['{"nodes":[{"id":"a"},{"id":"b",\n  "x":{},"id":"c"}]}', ['nodes', 1, 'id'], 2, 10],
    ['[[],{"a":[1,2]},{"a":{"b":1, "b":1}}]', [2, 'a', 'b'], 1, 30],
    [String.raw`{"a":1,"\u0061":2}`, ['a'], 1, 8],
    [String.raw`{"\"":1,"a":"\\","\"":2}`, ['"'], 1, 18],
    ['{"__proto__":1,"__proto__":2}', ['__proto__'], 1, 16],
    ['{"a":"","a":"a"}', ['a'], 1, 9],
  ])('[R-86] finds the key that stands twice in %s', (text, path, line, column) => {
    const message = `the key '${path.at(-1)}' is written twice`
    expect(findTextFault(text)).toEqual({ kind: 'duplicate_key', message, path, line, column })
  })

  it.each([
    ['{"a":[1,-1e400]}', '-1e400', ['a', 1], 9],
    ['1E+999', '1E+999', [], 1],
  ])('[R-86] finds the number that is infinite in %s', (text, number, path, column) => {
    const message = `${number} is larger than a number can be`
    expect(findTextFault(text)).toEqual({ kind: 'number_too_large', message, path, line: 1, column })
  })

  it.each([
    ['{"a":[1,9007199254740993]}', '9007199254740993', '9007199254740992', ['a', 1], 9],
    ['{"id": -7615917337495251231}', '-7615917337495251231', '-7615917337495251000', ['id'], 8],
  ])('[R-86] finds the number that would become another in %s', (text, number, other, path, column) => {
    const message = `${number} would become ${other}, as whole numbers are exact up to 9007199254740991`
    expect(findTextFault(text)).toEqual({ kind: 'number_inexact', message, path, line: 1, column })
  })

  it('finds nothing in what says what its value says', () => {
    const json = fc.json({ maxDepth: 5 })
    fc.assert(fc.property(json, (text) => findTextFault(JSON.stringify(JSON.parse(text), null, 2)) === null))
    expect(findTextFault('{"a":{"b":1},"b":{"a":"{\\"a\\":1,\\"a\\":2}"},"c":[{"a":1},{"a":1}]}')).toBeNull()
    expect(findTextFault('["a","a",{"a":"a,b","b":"a"},"b","b"]')).toBeNull()
  })

  it('[R-61] takes nesting and length that a recursion would not', () => {
    expect(findTextFault('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toBeNull()
    expect(findTextFault(JSON.stringify({ a: '\\'.repeat(2_000_000), b: '"' }))).toBeNull()
  })
})

describe('numbers as text', () => {
  it.each([
    [
      '[1, 9007199254740993,1e400 , -18446744073709551615]',
      '[1, "9007199254740993","1e400" , "-18446744073709551615"]',
    ],
    [
      '{"9007199254740993":"9007199254740993","a":9007199254740993}',
      '{"9007199254740993":"9007199254740993","a":"9007199254740993"}',
    ],
    ['9007199254740993', '"9007199254740993"'],
    ['{"a":[1.5,1e20]}', '{"a":[1.5,1e20]}'],
  ])('[R-86] puts what a double does not hold in quotes, and nothing else: %s', (json, expected) => {
    expect(withNumbersAsText(json)).toBe(expected)
  })
})

describe('typed JSON', () => {
  it.each([
    ['{', /^This is not JSON: /],
    ['{"a":1,\n"a":2}', /^Line 2, column 1: the key 'a' is written twice\.$/],
    [
      '[9007199254740993]',
      /^Line 1, column 2: 9007199254740993 would become 9007199254740992, .*; write it in quotes, as text\.$/,
    ],
    ['['.repeat(200) + ']'.repeat(200), /nested deeper/],
  ])('[R-86] is refused in words where its value would say something else: %s', (text, words) => {
    expect(readTypedJson(text)).toEqual({ ok: false, error: expect.stringMatching(words) as string })
  })

  it('gives its value', () => {
    expect(readTypedJson(' {"a": [1, "9007199254740993"]} ')).toEqual({
      ok: true,
      value: { a: [1, '9007199254740993'] },
    })
  })
})
