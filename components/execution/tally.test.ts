import { expect, it } from 'vitest'
import type { NodeView } from '@/core/engine/view/view'
import { tallyOf } from './tally'

const firstFailed = (nodes: Parameters<typeof tallyOf>[0]) => tallyOf(nodes).firstFailed
const node = (status: NodeView['status'], second: number | null, handled = false) => ({
  status,
  handled,
  handled_below: false,
  items: null,
  skip_reason: null,
  finished_at: second === null ? null : `2026-01-01T00:00:0${second}.000Z`,
  waiting_for: null,
  next_wake_at: null,
  error: null,
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
  expect(tallyOf(nodes)).toMatchObject({ running: 2, handled: 0, stopped: false, firstFailed: null })
  expect(tallyOf(nodes)).toBe(tallyOf(nodes))
  const ended = { d: node('skipped', 1), e: node('skipped', 1), f: node('cancelled', 1) }
  expect(tallyOf({ ...nodes, ...ended })).toMatchObject({ running: 2, skipped: 2, cancelled: 1 })
  expect(tallyOf({ ...nodes, d: node('failed', 1, true) })).toMatchObject({ handled: 1, stopped: true })
})

type Kind = NonNullable<NodeView['waiting_for']>['kind']
const waiting = (status: NodeView['status'], kind: Kind | null, second: number | null = null) => ({
  ...node(status, null),
  waiting_for: kind === null ? null : { kind, text: '', names: [] },
  next_wake_at: second === null ? null : `2026-01-01T00:00:0${second}.000Z`,
})
const timedWaitOf = (nodes: Parameters<typeof tallyOf>[0]) => tallyOf(nodes).timedWait
const quiet = { done: waiting('completed', null), later: waiting('pending', 'nodes') }

it('[R-51] counts what people rejected apart from what failed', () => {
  const error = { kind: 'rejected', message: 'rejected by ada' }
  const nodes = {
    a: { ...node('failed', 1), error },
    b: node('failed', 2),
    c: { ...node('failed', 3, true), error },
  }
  expect(tallyOf(nodes)).toMatchObject({ rejected: 1, handled: 1 })
})

it('names what goes on first where a run waits for time alone', () => {
  const retry = waiting('retrying', 'timer', 3)
  expect(timedWaitOf({ ...quiet, retry })).toEqual({
    node: 'retry',
    again: true,
    at: '2026-01-01T00:00:03.000Z',
  })
  expect(timedWaitOf({ retry, ...quiet, sleep: waiting('waiting', 'timer', 1) })).toMatchObject({
    node: 'sleep',
    again: false,
  })
})

it('names none while anything is at work, queued, or waits for people or the outside, and none at the end', () => {
  const retry = waiting('retrying', 'timer', 3)
  const others = [
    waiting('running', 'attempt', 1),
    waiting('queued', 'slot'),
    waiting('waiting', 'people', 1),
    waiting('pending', 'event'),
  ]
  for (const other of others) {
    expect(timedWaitOf({ ...quiet, retry, other })).toBeNull()
    expect(timedWaitOf({ ...quiet, other, retry })).toBeNull()
  }
  expect(timedWaitOf({ done: quiet.done })).toBeNull()
})

it('says why a node waits for a slot', () => {
  const queued = {
    ...waiting('queued', 'slot'),
    waiting_for: { kind: 'slot' as const, text: 'a slot', names: [] },
  }
  expect(tallyOf({ ...quiet, queued }).slotWait).toBe('a slot')
  expect(tallyOf(quiet).slotWait).toBeNull()
})
