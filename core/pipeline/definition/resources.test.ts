import { describe, expect, it } from 'vitest'
import { node, pipeline, S, validate } from '@/testing/definitions'
import { compiled } from '@/testing/engine-run'
import { ONE_CHILD, ONE_SLOT } from './demand'

const demandsOf = (more: object) =>
  compiled({
    nodes: [{ ...node('a', S), task: 'file.write', inputBindings: { path: 'f', content: '' }, ...more }],
  }).nodes.get('a')!.demands

const issuesOf = (more: object) =>
  validate(pipeline([{ ...node('a', S), ...more }])).issues.map(({ path, code }) => [
    path.slice(2).join('.'),
    code,
  ])

describe('what an attempt demands', () => {
  it('[H-5][H-6] its task, and its resources in the pools of its worker group', () => {
    expect(demandsOf({})).toBe(ONE_SLOT)
    expect(demandsOf({ resources: { cpu: 1.5, memory: '512Mi', gpu: 0, pools: { warehouse: 2 } } })).toEqual([
      ...ONE_SLOT,
      { pool: 'cpu', amount: 1.5 },
      { pool: 'memory', amount: 536_870_912 },
      { pool: 'warehouse', amount: 2 },
    ])
    expect(
      demandsOf({
        task: 'duckdb.query',
        inputBindings: { sql: 'select 1' },
        workerGroup: 'big',
        resources: { gpu: 1 },
      }),
    ).toEqual([...ONE_CHILD, { pool: 'big.slots', amount: 1 }, { pool: 'big.gpu', amount: 1 }])
  })

  it('[H-5] who waits, or is done in an instant, may ask for nothing', () => {
    const approval = { task: 'approval', inputBindings: { approvers: ['role:approver'], message: 'Go?' } }
    const wait = { task: 'wait', inputBindings: { duration: '1s' } }
    const child = { task: undefined, pipeline: 'other' }
    for (const waits of [approval, wait, child, { task: 'noop' }]) {
      expect(issuesOf({ ...waits, resources: { cpu: 1 } })).toContainEqual(['resources', 'holds_nothing'])
      expect(issuesOf({ ...waits, workerGroup: 'big' })).toContainEqual(['workerGroup', 'holds_nothing'])
    }
  })

  it('[H-6] what cannot be read is reported where it stands', () => {
    const write = { task: 'file.write', inputBindings: { path: 'f', content: '' } }
    expect(issuesOf({ ...write, resources: { memory: 'much' } })).toEqual([
      ['resources.memory', 'invalid_value'],
    ])
    expect(issuesOf({ ...write, workerGroup: 'Big' })).toEqual([['workerGroup', 'invalid_id']])
    expect(issuesOf({ ...write, resources: { pools: { cpu: 1, slots: 1, 'a b': 1 } } })).toEqual([
      ['resources.pools.cpu', 'invalid_id'],
      ['resources.pools.slots', 'invalid_id'],
      ['resources.pools.a b', 'invalid_id'],
    ])
    expect(issuesOf({ ...write, resources: { gpus: 1 } })).toHaveLength(1)
  })
})
