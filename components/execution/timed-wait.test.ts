import { expect, it } from 'vitest'
import type { NodeView } from '@/core/engine/view'
import { timedWait } from './timed-wait'

type Kind = NonNullable<NodeView['waiting_for']>['kind']
const node = (status: NodeView['status'], kind: Kind | null, second: number | null = null) => ({
  status,
  waiting_for: kind === null ? null : { kind, text: '', names: [] },
  next_wake_at: second === null ? null : `2026-01-01T00:00:0${second}.000Z`,
})
const quiet = { done: node('completed', null), later: node('pending', 'nodes') }

it('names what goes on first where a run waits for time alone', () => {
  const retry = node('retrying', 'timer', 3)
  expect(timedWait({ ...quiet, retry })).toEqual({
    node: 'retry',
    again: true,
    at: '2026-01-01T00:00:03.000Z',
  })
  expect(timedWait({ retry, ...quiet, sleep: node('waiting', 'timer', 1) })).toMatchObject({
    node: 'sleep',
    again: false,
  })
})

it('names none while anything is at work, queued, or waits for people or the outside, and none at the end', () => {
  const retry = node('retrying', 'timer', 3)
  const others = [
    node('running', 'attempt', 1),
    node('queued', 'slot'),
    node('waiting', 'people', 1),
    node('pending', 'event'),
  ]
  for (const other of others) {
    expect(timedWait({ ...quiet, retry, other })).toBeNull()
    expect(timedWait({ ...quiet, other, retry })).toBeNull()
  }
  expect(timedWait({ done: quiet.done })).toBeNull()
})
