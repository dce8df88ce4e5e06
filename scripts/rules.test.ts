import { describe, expect, it } from 'vitest'
import { compare, namedRules, readRules } from './rules.mjs'

const LIST =
  '# finished: house\nrule\tchapter\tin short\nR-1\thouse\tfirst\nN-O2\thouse\tsecond\nR-8b\tplan\tthird\n'

describe('the list of rules', () => {
  it('is found in the names of tests, one id or several, on one line or broken', () => {
    const source = [
      "it('[R-1] one', () => {})",
      "test('[R-2][N-O2] two', () => {})",
      'it(\n  "[R-8b] a long name",\n  () => {})',
      "it.each([1, 2])('[E-4] %s', () => {})",
      "it.each([\n  1,\n])('[E-5] %s', () => {})",
      "it.skip('[X-1] not run', () => {})",
      "it.todo(\n  '[X-4] not run')",
      "{ name: '[E-6] a row of a table' },",
      '// [X-2] only a comment',
      "const text = 'a word [X-3] in a text'",
    ].join('\n')
    expect(namedRules(source).sort()).toEqual(['E-4', 'E-5', 'E-6', 'N-O2', 'R-1', 'R-2', 'R-8b'])
  })

  it('names what a finished or required chapter lacks, and what no list knows', () => {
    const rules = readRules(LIST)
    const files: [string, string][] = [['a.test.ts', "it('[R-1][R-99] x', () => {})"]]
    expect(compare(rules, files)).toEqual({
      tests: new Map([['R-1', ['a.test.ts']]]),
      unknown: ['a.test.ts: R-99'],
      missing: ['N-O2'],
    })
    expect(compare(rules, files, ['plan']).missing).toEqual(['N-O2', 'R-8b'])
    expect(() => readRules(`${LIST}R-1\tplan\tagain\n`)).toThrow('R-1')
  })
})
