import { describe, expect, it } from 'vitest'
import { expressionOf, fixedOf, optionOf } from './field-value'
import type { Shape } from './shape'

const text: Shape = { kind: 'text', long: false, language: null, examples: [] }
const number: Shape = { kind: 'number', whole: false, least: null, most: null }
const either: Shape = {
  kind: 'either',
  options: [
    { title: 'List', shape: { kind: 'list', item: text } },
    { title: 'By name', shape: { kind: 'map', value: text } },
  ],
}

describe('a value that is switched to an expression', () => {
  it('becomes a literal in braces, and text stays as it is', () => {
    expect(expressionOf(number, 3, undefined)).toBe('{{ 3 }}')
    expect(expressionOf(text, 'a', undefined)).toBe('a')
    expect(expressionOf(number, undefined, undefined)).toBeUndefined()
  })

  it('becomes the expression from before, where there was one', () => {
    expect(expressionOf(number, 3, '{{ a.rows }}')).toBe('{{ a.rows }}')
  })
})

describe('an expression that is switched to a fixed value', () => {
  it('becomes the value from before, or the literal that it is', () => {
    expect(fixedOf(number, '{{ a.rows }}', 7)).toBe(7)
    expect(fixedOf(number, '{{ 3 }}', undefined)).toBe(3)
  })

  it('becomes nothing where it is no literal that fits', () => {
    expect(fixedOf(number, '{{ a.rows }}', undefined)).toBeUndefined()
    expect(fixedOf(number, '{{ "3" }}', undefined)).toBeUndefined()
    // It would become another number.
    expect(fixedOf(number, '{{ 9007199254740993 }}', undefined)).toBeUndefined()
    expect(fixedOf(text, '{{ a }} and {{ b }}', undefined)).toBeUndefined()
  })
})

describe('a shape with several forms', () => {
  it('has the form that fits the value, else the chosen one, else the first', () => {
    expect(optionOf(either, { a: 'b' }, 0).at).toBe(1)
    expect(optionOf(either, undefined, 1).at).toBe(1)
    expect(optionOf(either, undefined, null).at).toBe(0)
  })

  it('switches to the value from before where that fits, else to an empty one', () => {
    expect(optionOf(either, ['x'], null).switched(1, { a: 'b' })).toEqual({ a: 'b' })
    expect(optionOf(either, ['x'], null).switched(1, 'no map')).toEqual({})
  })

  it('writes any value as text or as JSON', () => {
    const any: Shape = { kind: 'any' }
    expect(optionOf(any, { a: 1 }, null)).toMatchObject({ at: 1, json: 'json' })
    expect(optionOf(any, { a: 1 }, null).switched(0, undefined)).toBe('{"a":1}')
    expect(optionOf(any, '[1]', null).switched(1, undefined)).toEqual([1])
    expect(optionOf(any, 'plain', null).switched(1, undefined)).toEqual({ value: 'plain' })
  })
})
