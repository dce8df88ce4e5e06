import { describe, expect, it } from 'vitest'
import type { Json } from '@/core/engine/event'
import { inputTexts } from './input-texts'

const variables = (values: Readonly<Record<string, Json>>) =>
  new Map(Object.entries(values).map(([name, value], at) => [name, { value, seq: at + 1 }]))

describe('the inputs of a run in short', () => {
  it('only inputs, each as text, with what is long cut', () => {
    const texts = inputTexts({
      variables: variables({
        'pipeline.input.city': 'Zürich',
        'pipeline.input.rows': 1.5,
        'pipeline.input.dry': false,
        'pipeline.input.none': null,
        'pipeline.input.list': [1, 2],
        'pipeline.input.long': `${'a'.repeat(78)}💥 and more`,
        'pipeline.input.many': Array.from({ length: 500 }, () => 'x'),
        'pipeline.input.wide': { text: 'y'.repeat(1_000) },
        'a.out': 'no input',
      }),
    })
    expect(texts).toEqual({
      city: 'Zürich',
      rows: '1.5',
      dry: 'false',
      none: 'null',
      list: '[1,2]',
      long: `${'a'.repeat(78)}…`,
      many: '500 items',
      wide: '1 field',
    })
  })

  it('twenty at most, and a value beside the database by its size', () => {
    const many = variables(
      Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`pipeline.input.i${at}`, at])),
    )
    expect(Object.keys(inputTexts({ variables: many }))).toHaveLength(20)
    const ref = { artifact_id: 'value-d', digest: 'd', bytes: 5_000_000 }
    expect(
      inputTexts({ variables: new Map([['pipeline.input.big', { value: null, ref, seq: 1 }]]) }),
    ).toEqual({
      big: '5000000 bytes',
    })
  })
})
