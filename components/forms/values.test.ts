import { describe, expect, it } from 'vitest'
import { fieldsOf, hintOf, initialDraft, issuesByField, valuesOf } from './values'

const fields = fieldsOf({
  station: { type: 'string', default: 'seattle', enum: ['seattle', 'sf'] },
  days: { type: 'number', minValue: 1, maxValue: 31 },
  dry: { type: 'boolean', default: true },
  options: { type: 'object', required: false },
  tags: { type: 'array', default: ['a'] },
  code: { type: 'string', required: false, minLength: 2, maxLength: 3 },
})

describe('fields', () => {
  it('keep the order of the definition and leave out what is no field', () => {
    expect(
      fieldsOf({ b: { type: 'string' }, a: { type: 'number' }, c: { type: 'date' }, d: 4 }).map(
        (f) => f.name,
      ),
    ).toEqual(['b', 'a'])
    expect(fieldsOf(null)).toEqual([])
  })

  it('hint at what is to be typed', () => {
    const [plain, file, json] = fieldsOf({
      a: { type: 'string' },
      b: { type: 'file', description: 'The readings.' },
      c: { type: 'array' },
    })
    expect([plain!, file!, json!].map(hintOf)).toEqual(['', 'The readings. · path of a file', 'JSON'])
  })
})

describe('a draft', () => {
  it('opens with the defaults, and with the values of an earlier run where they are given', () => {
    expect(Object.fromEntries(initialDraft(fields, { days: 7 }))).toEqual({
      station: 'seattle',
      days: '7',
      dry: true,
      options: '',
      tags: '[\n  "a"\n]',
      code: '',
    })
  })

  it('becomes values of the declared types; an empty optional field is not sent', () => {
    const draft = new Map(initialDraft(fields)).set('days', ' 12 ').set('dry', false)
    expect(valuesOf(fields, draft)).toEqual({
      ok: true,
      values: { station: 'seattle', days: 12, dry: false, tags: ['a'] },
    })
  })

  it('names every problem at once, each at its field', () => {
    const draft = new Map(initialDraft(fields))
      .set('station', 'paris')
      .set('days', '')
      .set('options', '[1]')
      .set('tags', '{')
      .set('code', 'long')
    const result = valuesOf(fields, draft)
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect([...result.problems.keys()]).toEqual(['station', 'days', 'options', 'tags', 'code'])
    expect(result.problems.get('days')).toBe('This field is required.')
  })

  it.each([
    ['0', 'At least 1.'],
    ['32', 'At most 31.'],
    ['1e999', 'This must be a number, such as 12 or 0.5.'],
    [
      '9007199254740993',
      '9007199254740993 would become 9007199254740992, as whole numbers are exact up to 9007199254740991.',
    ],
    ['0x', 'This must be a number, such as 12 or 0.5.'],
  ])('refuses the number %s', (text, problem) => {
    const result = valuesOf(fields, new Map(initialDraft(fields)).set('days', text))
    expect(result).toMatchObject({ ok: false, problems: new Map([['days', problem]]) })
  })

  it('keeps a hostile field name a plain name', () => {
    const hostile = fieldsOf(
      JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "string"}}') as object as never,
    )
    const result = valuesOf(
      hostile,
      new Map([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]),
    )
    expect(result.ok).toBe(true)
    if (!result.ok) return
    expect(Object.keys(result.values)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(result.values)).toBe(Object.prototype)
  })
})

describe('issues of the server', () => {
  it('are shown at the field that they name, the others above the form', () => {
    const { problems, others } = issuesByField(fields, [
      { path: ['inputs', 'days'], message: 'must be at most 31', hint: 'use 31' },
      { path: ['priority'], message: 'must be 0 to 9' },
    ])
    expect(problems).toEqual(new Map([['days', 'must be at most 31 (use 31)']]))
    expect(others).toEqual(['must be 0 to 9'])
  })
})
