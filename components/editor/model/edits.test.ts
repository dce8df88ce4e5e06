import { describe, expect, it } from 'vitest'
import { node, pipeline } from '@/testing/definitions'
import { added, connected, freshId, moved, withField, withFlow, without, withValueAt } from './edits'
import { nodesOf, toFlow, type Flow } from './flow'

const chain = pipeline([
  node('a'),
  node('b', 'event:a.completed'),
  node('c', 'event:b.completed || event:b.failed'),
])
const gates = (change: (flow: Flow) => Flow, definition: object = chain) => {
  const { definition: after, refused } = withFlow(definition as typeof chain, change)
  expect(refused).toBeNull()
  return Object.fromEntries(nodesOf(after).map(({ id, startWhen }) => [id, startWhen]))
}
const ids = (...list: string[]) => new Set(list)

describe('what hands do on the canvas', () => {
  it('a node that goes leaves a chain a chain, and takes its other outcomes with it', () => {
    expect(gates((flow) => without(flow, ids('b'), ids()))).toEqual({
      a: 'event:pipeline.started',
      c: 'event:a.completed',
    })
    expect(gates((flow) => without(flow, ids('a', 'b'), ids()))).toEqual({ c: 'event:pipeline.started' })
    expect(gates((flow) => without(flow, ids(), ids('b.failed>c')))).toMatchObject({ c: 'event:b.completed' })
  })

  it('a new node stands behind another, or in an edge, of which it takes both ends', () => {
    const place = { fields: { task: 'noop' }, position: { x: 1, y: 2 } }
    expect(gates((flow) => added(flow, { id: 'n', ...place }, { after: 'c.completed' }))).toMatchObject({
      n: 'event:c.completed',
    })
    const into = toFlow(chain).edges[0]!
    expect(gates((flow) => added(flow, { id: 'n', ...place }, { into }))).toMatchObject({
      n: 'event:a.completed',
      b: 'event:n.completed',
    })
    expect(gates((flow) => added(flow, { id: 'n', ...place }))).toMatchObject({ n: 'event:pipeline.started' })
  })

  it('an edge is drawn once, and a start condition that cannot be read refuses it', () => {
    expect(gates((flow) => connected(connected(flow, 'a.failed', 'c'), 'a.failed', 'c'))['c']).toBe(
      'event:b.completed || event:b.failed || event:a.failed',
    )
    const broken = pipeline([node('a'), node('b', 'event:')])
    expect(withFlow(broken, (flow) => connected(flow, 'a.completed', 'b'))).toMatchObject({
      definition: broken,
      refused: expect.stringContaining('startWhen of b'),
    })
  })

  it('places nodes on whole units', () => {
    const { definition } = withFlow(chain, (flow) => moved(flow, new Map([['a', { x: 1.4, y: -2.6 }]])))
    expect(definition['layout']).toEqual({ a: { x: 1, y: -3 } })
  })

  it('finds ids that are free and readable, whatever a thing is called', () => {
    expect(freshId(chain, 'a')).toBe('a_2')
    expect(freshId(chain, 'duckdb.query')).toBe('duckdb_query')
    expect(freshId(chain, '42 – Ärger!')).toBe('arger')
    expect(freshId(chain, '__proto__')).toBe('proto')
    expect(freshId(chain, '!!!')).toBe('node')
  })

  it('puts a value where a problem says, and nowhere else', () => {
    const fixed = withValueAt(chain, ['nodes', 1, 'startWhen'], 'event:pipeline.started')
    expect(nodesOf(fixed).map(({ startWhen }) => startWhen)).toEqual([
      'event:pipeline.started',
      'event:pipeline.started',
      'event:b.completed || event:b.failed',
    ])
    expect(withValueAt(chain, ['nodes', 9, 'startWhen'], 'x')).toEqual(chain)
    expect(withValueAt(chain, ['nodes', 0, '__proto__', 'polluted'], 'x')).toEqual(chain)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('changes one field and keeps the order of the others', () => {
    const after = withField(chain, 'b', 'task', 'log')
    expect(JSON.stringify(nodesOf(after)[1])).toBe('{"id":"b","task":"log","startWhen":"event:a.completed"}')
    expect(withField(chain, 'b', 'task', 'noop')).toBe(chain)
    expect(nodesOf(withField(chain, 'b', 'task', undefined))[1]).toEqual({
      id: 'b',
      startWhen: 'event:a.completed',
    })
    expect(withField(chain, 'nobody', 'task', 'x')).toBe(chain)
  })
})
