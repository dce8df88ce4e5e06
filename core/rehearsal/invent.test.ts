import { describe, expect, it } from 'vitest'
import { compiled, heavy, noop, set } from '@/testing/engine-run'
import { Inventions } from './invent'

const query = {
  id: 'q',
  task: 'duckdb.query',
  inputBindings: { sql: 'select 1' },
  startWhen: 'event:pipeline.started',
}

function invented(nodes: Parameters<typeof compiled>[0]['nodes'], id: string, outputs: object = {}) {
  const pipeline = compiled({ nodes, outputs: outputs as never })
  return new Inventions(pipeline).outputsOf(pipeline.nodes.get(id)!)
}

describe('invented outputs', () => {
  it('have the types of the contract', () => {
    expect(invented([query], 'q')).toEqual({
      row_count: 1,
      rows: [],
      columns: [],
      artifact: { artifact_id: 'invented', name: 'sample', content_type: 'text/plain', bytes: 0 },
    })
  })

  it('hold what conditions, bindings, lists and outputs of the pipeline read of them', () => {
    const reader = set(
      'r',
      { a: '{{ q.rows[1].name }}', b: '{{ q.rows.map(row, row.n * 2) }}' },
      "event:q.completed && {{ q.row_count >= 50 && q.rows[0].kind == 'rain' }}",
    )
    const { row_count, rows } = invented([query, reader], 'q', { last: { value: '{{ q.rows[0].last }}' } })
    expect(row_count).toBe(50)
    expect(rows).toEqual([{ kind: 'rain', n: 1, last: 'sample' }, { name: 'sample' }])
  })

  it('of a list that is gone through have one element, with what its items are asked for', () => {
    const each = heavy('each', 'event:a.completed', {
      forEach: { items: '{{ a.result }}' },
      inputBindings: { code: 'return 1', input: '{{ item.url }}' },
    })
    expect(invented([heavy('a'), each], 'a')).toEqual({ result: [{ url: 'sample' }] })
  })

  it('of a forEach are those of one item', () => {
    const each = heavy('each', undefined, { forEach: { items: [1, 2] } })
    const after = noop('n', 'event:each.completed && {{ each.result[0].n > 3 }}')
    expect(invented([each, after], 'each')).toEqual({ result: { n: 4 } })
    expect(invented([each], 'each')).toEqual({ result: 'sample' })
  })

  it('of another pipeline are what is read of it, and of a variable what its template hands on', () => {
    const sub = { id: 'sub', pipeline: 'other', startWhen: 'event:pipeline.started' }
    const after = noop('n', 'event:sub.completed && {{ sub.total < 3 }}')
    expect(invented([sub, after], 'sub')).toEqual({ total: 2 })
    const named = {
      ...query,
      outputVariables: {
        count: '{{ result.row_count }}',
        text: 'n: {{ result.row_count }}',
        first: '{{ result.rows[0] }}',
      },
    }
    expect(invented([named], 'q')).toEqual({ count: 1, text: 'sample', first: 'sample' })
  })

  it('a constant of another type than the contract declares does not change the type', () => {
    expect(
      invented([query, noop('n', "event:q.completed && {{ q.row_count == '3' }}")], 'q')['row_count'],
    ).toBe(1)
  })
})
