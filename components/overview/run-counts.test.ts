import { expect, it } from 'vitest'
import { runCounts } from './run-counts'

it('sums runs by whether they are open; a status without runs counts as none', () => {
  expect(runCounts({ running: 2, waiting: 1, paused: 1, completed: 7, failed: 3, cancelled: 1 })).toEqual({
    open: 4,
    all: 15,
    running: 2,
    waiting: 1,
  })
  expect(runCounts({})).toEqual({ open: 0, all: 0, running: 0, waiting: 0 })
})
