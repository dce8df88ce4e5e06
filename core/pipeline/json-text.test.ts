import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTextFault } from './json-text'

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
