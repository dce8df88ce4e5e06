import { expect, it } from 'vitest'
import type { NodeView } from '@/core/engine/view'
import { tallyOf } from './tally'

const firstFailed = (nodes: Parameters<typeof tallyOf>[0]) => tallyOf(nodes).firstFailed
const node = (status: NodeView['status'], second: number | null, handled = false) => ({
  status,
  handled,
  skip_reason: null,
  finished_at: second === null ? null : `2026-01-01T00:00:0${second}.000Z`,
})

it('names the first of the nodes that failed, whatever their order in the pipeline', () => {
  expect(firstFailed({ late: node('failed', 3), early: node('failed', 1), good: node('completed', 0) })).toBe(
    'early',
  )
})

it('names what makes the run fail, and not an earlier failure that was handled', () => {
  expect(firstFailed({ shaky: node('failed', 1, true), broken: node('failed', 2) })).toBe('broken')
  expect(firstFailed({ shaky: node('failed', 1, true), second: node('failed', 2, true) })).toBe('shaky')
})

it('names none where none failed', () => {
  expect(firstFailed({ a: node('completed', 1), b: node('running', null) })).toBeNull()
})

it('counts what runs and what was handled, and knows whether something can be run again', () => {
  const nodes = { a: node('running', null), b: node('running', null), c: node('completed', 1) }
  expect(tallyOf(nodes)).toEqual({ running: 2, handled: 0, stopped: false, firstFailed: null })
  expect(tallyOf(nodes)).toBe(tallyOf(nodes))
  expect(tallyOf({ ...nodes, d: node('failed', 1, true) })).toMatchObject({ handled: 1, stopped: true })
})
