import { expect, it } from 'vitest'
import type { NodeView } from '@/core/engine/view'
import { firstFailed } from './first-failed'

const node = (status: NodeView['status'], second: number | null, handled = false) => ({
  status,
  handled,
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
