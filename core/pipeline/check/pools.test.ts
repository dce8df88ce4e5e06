import { describe, expect, it } from 'vitest'
import { DEFAULT_CAPACITIES } from '@/core/pipeline/definition/demand'
import { node, pipeline, S } from '@/testing/definitions'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { checkPools } from './pools'

const capacities = new Map([...DEFAULT_CAPACITIES, ['warehouse', 4], ['big.slots', 2], ['big.cpu', 8]])
const found = (more: object) =>
  checkPools(pipeline([node('a', S, { task: 'file.write', ...more })]) as PipelineDefinition, capacities).map(
    ({ path, code, hint }) => [path.slice(2).join('.'), code, hint],
  )

describe('demands that no run could have', () => {
  it('[H-6] what fits is not reported', () => {
    expect(found({})).toEqual([])
    expect(found({ resources: { cpu: 100, memory: '500Gi', gpu: 10, pools: { warehouse: 4 } } })).toEqual([])
    expect(found({ workerGroup: 'big', resources: { cpu: 8, gpu: 0 } })).toEqual([])
  })

  it('[H-6] a pool that does not exist is named where it is demanded, with what may be meant', () => {
    expect(found({ resources: { pools: { warehose: 1 } } })).toEqual([
      ['resources.pools.warehose', 'unknown_pool', 'did you mean warehouse?'],
    ])
    expect(found({ resources: { pools: { licences: 1 } } })).toEqual([
      ['resources.pools.licences', 'unknown_pool', 'an admin makes it with PUT /pools/licences'],
    ])
    expect(found({ workerGroup: 'bigg', resources: { cpu: 1 } })).toEqual([
      ['workerGroup', 'unknown_pool', 'did you mean big?'],
    ])
    expect(found({ workerGroup: 'big', resources: { gpu: 1 } })).toEqual([
      ['resources.gpu', 'unknown_pool', 'an admin makes it with PUT /pools/big.gpu'],
    ])
  })

  it('[H-6] more than the whole pool has is refused with what it has', () => {
    expect(found({ resources: { cpu: 100.5, memory: '501Gi', gpu: 11, pools: { warehouse: 5 } } })).toEqual([
      ['resources.cpu', 'pool_too_small', 'at most 100'],
      ['resources.memory', 'pool_too_small', 'at most 500Gi'],
      ['resources.gpu', 'pool_too_small', 'at most 10'],
      ['resources.pools.warehouse', 'pool_too_small', 'at most 4'],
    ])
  })
})
