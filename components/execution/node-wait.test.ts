import { describe, expect, it } from 'vitest'
import type { NodeView } from '@/core/engine/view/view'
import { awaitedEvents, waitOf } from './node-wait'

type Waiting = Parameters<typeof waitOf>[0]
const wait = (kind: NonNullable<NodeView['waiting_for']>['kind']) => ({ kind, text: 'it waits', names: [] })
const node = (changes: Partial<Waiting> = {}): Waiting => ({
  status: 'waiting',
  finished_at: null,
  items: null,
  waiting_for: wait('event'),
  next_wake_at: null,
  ...changes,
})
const alone = { child: null }
const at = '2026-03-01T12:00:00.000Z'

describe('what a node waits for', () => {
  it('is an instant for a timer, and else a sentence', () => {
    expect(waitOf(node(), alone)).toEqual({ text: 'it waits' })
    expect(waitOf(node({ waiting_for: wait('timer'), next_wake_at: at }), alone)).toEqual({ until: at })
    expect(waitOf(node({ waiting_for: wait('timer') }), alone)).toEqual({ text: 'it waits' })
  })

  it('is left to the parts that show gates, retries, lists, children, attempts and decisions', () => {
    for (const changes of [
      { status: 'pending' },
      { status: 'retrying' },
      { items: { total: 1, completed: 0, failed: 0, running: 1 } },
      { waiting_for: wait('attempt') },
      { waiting_for: wait('worker') },
      { waiting_for: wait('people') },
      { waiting_for: null },
      { finished_at: at },
    ] satisfies Partial<Waiting>[])
      expect(waitOf(node(changes), alone)).toBeNull()
    expect(waitOf(node(), { child: 'other' })).toBeNull()
  })
})

describe('the events that a node waits for', () => {
  const compiled = { gateEvents: ['a.completed', 'external.go', 'external.on'] }

  it('are the external ones of its gate, while they can have an effect', () => {
    expect(awaitedEvents(node({ status: 'pending' }), compiled)).toEqual(['external.go', 'external.on'])
    expect(awaitedEvents(node(), compiled)).toHaveLength(2)
    expect(awaitedEvents(node({ status: 'running' }), compiled)).toEqual([])
    expect(awaitedEvents(node({ status: 'pending', finished_at: at }), compiled)).toEqual([])
  })
})
