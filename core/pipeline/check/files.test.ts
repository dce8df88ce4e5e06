import { describe, expect, it } from 'vitest'
import { S, pipeline, validate } from '@/testing/definitions'

const shell = (id: string, more: object = {}) => ({
  id,
  task: 'shell',
  inputBindings: { script: 'true' },
  startWhen: S,
  ...more,
})
const each = { forEach: { items: [1, 2] } }
const join = (inputBindings: object, task = 'shell') => ({
  id: 'join',
  task,
  inputBindings,
  startWhen: 'event:scatter.completed',
})
const issues = (scatter: object, last: object) =>
  validate(pipeline([shell('scatter', scatter), last])).issues.map(({ path, message }) => [
    path.join('.'),
    message,
  ])
const gather = (value: unknown) => join({ script: 'true', files: { PARTS: value } })

describe('the files that a node takes', () => {
  it('[R-55] may be a list, also of lists, and written out', () => {
    for (const value of ['{{ scatter.artifacts }}', ['a.csv', '{{ scatter.artifacts[0] }}'], 'a.csv'])
      expect(issues(each, gather(value)), String(value)).toEqual([])
    const query = join({ sql: 'select 1', files: { parts: '{{ scatter.artifacts }}' } }, 'duckdb.query')
    expect(issues(each, query)).toEqual([])
  })

  it('are no numbers, and no list where one file is taken', () => {
    const place = 'nodes.1.inputBindings.files.PARTS'
    const takes = "'files.PARTS' takes a file or a list of files, and"
    expect(issues({}, gather('{{ scatter.exit_code }}'))).toEqual([
      [place, `${takes} 'scatter.exit_code' is a number`],
    ])
    const renamed = { ...each, outputVariables: { code: '{{ result.exit_code }}', n: '{{ 1 }}' } }
    expect(issues(renamed, gather('{{ scatter.code }}'))).toEqual([
      [place, `${takes} 'scatter.code' is a list of numbers`],
    ])
    expect(issues(renamed, gather('{{ scatter.n }}'))).toEqual([])
    const drawn = { task: 'duckdb.query', inputBindings: { sql: 'select 1', format: 'csv' } }
    const chart = join({ spec: { mark: 'bar' }, data: '{{ scatter.artifact }}' }, 'chart.render')
    expect(issues(drawn, chart)).toEqual([])
    expect(issues({ ...drawn, ...each }, chart)).toEqual([
      ['nodes.1.inputBindings.data', "'data' takes one file, and 'scatter.artifact' is a list of files"],
    ])
  })

  it('written out are of the right kind', () => {
    for (const value of [7, [7], [[['a.csv']]], { name: 'a.csv' }])
      expect(issues(each, gather(value)), JSON.stringify(value)).toHaveLength(1)
  })
})
