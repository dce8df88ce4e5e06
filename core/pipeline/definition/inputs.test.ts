import { describe, expect, it } from 'vitest'
import type { InputDefinition } from './definition'
import { issuesOfDefinitions, resolveInputs } from './inputs'

const definitions: Record<string, InputDefinition> = {
  d: { type: 'string' },
  k: { type: 'number', default: 5, minValue: 1, maxValue: 10 },
  e: { type: 'string', enum: ['a', 'b'], default: 'a' },
  o: { type: 'object', required: false },
  p: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4, default: 'abc' },
}

function codes(given: unknown): string[] {
  const result = resolveInputs(definitions, given)
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path.join('.')}:${code}`)
}

describe('resolving', () => {
  it('[N-O7] fills in defaults, null for what is optional, and keeps data as data', () => {
    expect(resolveInputs(definitions, { d: '{{ 1+1 }}' })).toEqual({
      ok: true,
      values: { d: '{{ 1+1 }}', k: 5, e: 'a', o: null, p: 'abc' },
    })
  })

  it.each([
    ['string', ['x', ''], [5, true, {}, []]],
    ['number', [5, -0.5], ['5', NaN, Infinity, true]],
    ['boolean', [true, false], ['true', 0]],
    ['object', [{}, { a: [1] }], [[], 'x']],
    ['array', [[], [1, 'x']], [{}, 'x']],
    ['file', ['art_1', { id: 'art_1' }], [5, true, []]],
  ] as const)('[N-O4] %s takes its own values and converts nothing', (type, good, bad) => {
    for (const x of good) expect(resolveInputs({ x: { type } }, { x })).toEqual({ ok: true, values: { x } })
    for (const x of bad) {
      const issues = [{ path: ['x'], code: 'invalid_type', severity: 'error', message: expect.any(String) }]
      expect(resolveInputs({ x: { type } }, { x })).toEqual({ ok: false, issues })
    }
  })

  it('[R-83] absent inputs are {}, and every issue is reported at once', () => {
    expect(codes(undefined)).toEqual(['d:missing_input'])
    expect(codes({ kk: 1, k: 'x', e: 'c', p: 'ABCDE' })).toEqual([
      'kk:unknown_input',
      'd:missing_input',
      'k:invalid_type',
      'e:not_in_enum',
      'p:too_long',
      'p:pattern_mismatch',
    ])
    expect(codes({ d: 'x', k: 11 })).toEqual(['k:too_large'])
    expect(codes({ d: 'x', p: 'a' })).toEqual(['p:too_short'])
    expect(codes([])).toEqual([':invalid_type'])
    expect(codes('x')).toEqual([':invalid_type'])
  })

  it('[R-83] null is a value only where required is false', () => {
    expect(codes({ d: null })).toEqual(['d:invalid_type'])
    expect(codes({ d: 'x', o: null })).toEqual([])
    expect(codes({ d: 'x', k: null })).toEqual(['k:invalid_type'])
  })

  it('[R-83] quotes the offending word and suggests', () => {
    const result = resolveInputs({ station: { type: 'string' } }, { staton: 'sf' })
    expect(result).toMatchObject({
      ok: false,
      issues: [
        { message: "'staton' is not an input", hint: 'did you mean station?' },
        { code: 'missing_input' },
      ],
    })
  })

  it('names of prototypes are just unknown', () => {
    expect(codes({ d: 'x', constructor: 1, toString: 2 })).toEqual([
      'constructor:unknown_input',
      'toString:unknown_input',
    ])
    expect(codes(JSON.parse('{"d":"x","__proto__":{"k":1}}'))).toEqual(['__proto__:unknown_input'])
  })
})

describe('declaring', () => {
  it('[N-O7] refuses a default on what is required, wrong defaults, rules of other types and broken patterns', () => {
    const found = issuesOfDefinitions({
      a: { type: 'string', required: true, default: 'x' },
      b: { type: 'number', default: 'x' },
      c: { type: 'boolean', minLength: 2, maxValue: 3 },
      d: { type: 'string', pattern: '(' },
      e: { type: 'number', enum: [1, 'x'] },
      f: { type: 'string', enum: ['x'], default: 'y' },
    }).map(({ path, code }) => `${path.join('.')}:${code}`)
    expect(found).toEqual([
      'a.default:default_on_required',
      'b.default:invalid_type',
      'c.minLength:rule_of_other_type',
      'c.maxValue:rule_of_other_type',
      'd.pattern:invalid_pattern',
      'e.enum.1:invalid_type',
      'f.default:not_in_enum',
    ])
  })
})
