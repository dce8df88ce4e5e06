import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePattern } from './pattern'

describe('patterns', () => {
  it.each([
    ['^a+$', 'aaa', true],
    ['^(a|b)*c$', 'ababc', true],
    ['^(a|b)*c$', 'abd', false],
    ['[^0-9]', '123', false],
    ['^\\d{2,3}$', '1234', false],
    ['^\\d{2,3}$', '12', true],
    ['^\\d{2,}$', '12345', true],
    ['^[\\w.-]+@[\\w-]+\\.[a-z]{2,}$', 'ada@example.org', true],
    ['\\bcat\\b', 'a cat!', true],
    ['\\bcat\\b', 'concat', false],
    ['^(?:ab)?$', '', true],
    ['^.$', '😀', true],
    ['^[a\\]-]$', ']', true],
    ['a||b', 'zzz', true],
    ['(a*)*$', 'b', true],
    ['^x{0}$', '', true],
    ['^\\x41[^\\]x]$', 'AB', true],
  ])('%s on %j is %s', (pattern, text, expected) => {
    const compiled = compilePattern(pattern)
    if (!compiled.ok) throw new Error(compiled.error)
    expect(compiled.value.test(text)).toBe(expected)
    expect(new RegExp(pattern, 'u').test(text)).toBe(expected)
  })

  it.each([
    '(',
    ')',
    '[a',
    'a**',
    '*a',
    '(?=a)',
    '(a)\\1',
    'a{3,2}',
    '(a{900}){900}',
    '\\',
    '\\u0041',
    'z'.repeat(501),
  ])('refuses %s', (pattern) => {
    expect(compilePattern(pattern).ok).toBe(false)
  })

  it('refuses counts that multiply before it makes their states', () => {
    for (const source of [
      '(?:.{1000}){3}',
      '(?:(?:a{20}b){20}[)]){20}',
      '(.{1000})'.repeat(50),
      '\\Q)\\E{900}{900}',
    ]) {
      expect(compilePattern(source), source).toEqual({
        ok: false,
        error: expect.stringContaining('too large'),
      })
    }
    expect(compilePattern('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$').ok).toBe(true)
  })
})

const piece: fc.Arbitrary<string> = fc.letrec<{ p: string }>((tie) => ({
  p: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '^', '$', '\\b', ''),
    fc.tuple(tie('p'), tie('p')).map(([a, b]) => a + b),
    fc.tuple(tie('p'), tie('p')).map(([a, b]) => `(${a}|${b})`),
    fc
      .tuple(tie('p'), fc.constantFrom('*', '+', '?', '{0,2}', '{2}', '{1,}'))
      .map(([a, quantifier]) => `(?:${a})${quantifier}`),
  ),
})).p

describe('against the expressions of JavaScript', () => {
  it('finds the same, for any pattern', () => {
    fc.assert(
      fc.property(
        piece,
        fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '-'), maxLength: 8 }),
        (source, text) => {
          const compiled = compilePattern(source)
          if (!compiled.ok) throw new Error(`${source}: ${compiled.error}`)
          expect(compiled.value.test(text)).toBe(new RegExp(source, 'u').test(text))
        },
      ),
      { numRuns: 3_000 },
    )
  })

  it('never throws, for any text', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (source, text) => {
        const compiled = compilePattern(source)
        if (compiled.ok) compiled.value.test(text)
      }),
      { numRuns: 2_000 },
    )
  })
})
