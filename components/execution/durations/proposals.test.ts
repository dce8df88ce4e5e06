import { expect, it } from 'vitest'
import { proposalsOf } from './proposals'

const nodes = (ids: string[], saving_ms: number) => ({
  node_ids: ids,
  nodes_total: ids.length,
  saving_ms,
  work_ms: saving_ms,
  alone: null,
})

it('puts more slots where they save more than a node does, and leaves out what saves nothing', () => {
  const slots = { pool: 'slots', amount: 4, twice_saving_ms: 300, enough: 9, enough_saving_ms: 350 }
  const found = proposalsOf({
    total_ms: 1_000,
    nodes: [nodes(['a', 'b'], 500), nodes(['c'], 200)],
    places: [slots, { ...slots, pool: 'children', twice_saving_ms: 0 }],
  })
  expect(found.map(({ key }) => key)).toEqual(['a', 'pool slots', 'c'])
  expect(found[1]).toMatchObject({ kind: 'places', saving: 300, enough: 9, enoughSaving: 350 })
})
