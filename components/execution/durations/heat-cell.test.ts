import { describe, expect, it } from 'vitest'
import { movedBy, positionOf } from './heat-cell'

const size = { rows: 3, columns: 4 }

describe('the keyboard in the heat map', () => {
  it('goes from cell to cell and no further than the edges', () => {
    expect(movedBy('ArrowDown', { row: 1, column: 2 }, size)).toEqual({ row: 2, column: 2 })
    expect(movedBy('ArrowDown', { row: 2, column: 2 }, size)).toEqual({ row: 2, column: 2 })
    expect(movedBy('ArrowLeft', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 0 })
    expect(movedBy('Home', { row: 1, column: 3 }, size)).toEqual({ row: 1, column: 0 })
    expect(movedBy('End', { row: 1, column: 0 }, size)).toEqual({ row: 1, column: 3 })
  })

  it('leaves other keys alone', () => {
    expect(movedBy('Enter', { row: 0, column: 0 }, size)).toBeNull()
  })
})

it('a cell is found again when runs come in, and the first takes over when it is gone', () => {
  const nodes = [{ node_id: 'a' }, { node_id: 'b' }]
  const runs = ['3', '2', '1'].map((execution_id) => ({ execution_id }))
  expect(positionOf({ node: 'b', run: '2' }, nodes, runs)).toEqual({ row: 1, column: 1 })
  expect(positionOf({ node: 'b', run: '2' }, nodes, [{ execution_id: '4' }, ...runs])).toEqual({
    row: 1,
    column: 2,
  })
  expect(positionOf({ node: 'c', run: '0' }, nodes, runs)).toEqual({ row: 0, column: 0 })
  expect(positionOf(null, nodes, runs)).toEqual({ row: 0, column: 0 })
})
