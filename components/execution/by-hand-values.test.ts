import { expect, it } from 'vitest'
import { outputsOf } from './by-hand-values'

const expected = new Map([
  ['text', 'string'],
  ['n', 'number'],
  ['list', 'array'],
  ['free', 'any'],
])
const typed = (values: Record<string, string>) => outputsOf(expected, new Map(Object.entries(values)))

it('[R-94] reads outputs as their types say: text as it is, the rest as JSON, empty as null', () => {
  expect(typed({ text: '12', n: '12', list: '[1]', free: 'as it is' })).toEqual({
    ok: true,
    outputs: { text: '12', n: 12, list: [1], free: 'as it is' },
  })
  expect(typed({ free: '{"a": 1}' })).toEqual({
    ok: true,
    outputs: { text: null, n: null, list: null, free: { a: 1 } },
  })
})

it('[R-86] [R-94] refuses what is no JSON, and numbers that would become others, at their field', () => {
  const read = typed({ n: 'twelve', list: '[1', free: '[9007199254740993]' })
  expect(read.ok ? [] : [...read.problems.keys()]).toEqual(['n', 'list', 'free'])
})
