import { describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import { eventTone, filterEvents, pageOfEvents } from './event-filter'

const event = (seq: number, type: string, level: Event['source']['entity_type'], actor?: string): Event => ({
  id: `e.${seq}`,
  execution_id: 'e',
  seq,
  type,
  source: { entity_type: level, entity_id: 'a' },
  generation: 1,
  payload: {},
  timestamp: '2026-03-01T12:00:00.000Z',
  ...(actor === undefined ? {} : { actor }),
})
const events = [
  event(1, 'pipeline.created', 'pipeline', 'Ann'),
  event(2, 'load.started', 'node'),
  event(3, 'load.task.started', 'task'),
  event(4, 'external.go', 'external', 'bob'),
]
const seqs = (text: string, level = '') => filterEvents(events, text, level).map(({ seq }) => seq)

describe('the filter of events', () => {
  it('finds by words of type and actor, in any case and order', () => {
    expect(seqs('')).toEqual([1, 2, 3, 4])
    expect(seqs('  started LOAD ')).toEqual([2, 3])
    expect(seqs('ann')).toEqual([1])
    expect(seqs('ann load')).toEqual([])
  })

  it('finds by level', () => {
    expect(seqs('', 'task')).toEqual([3])
    expect(seqs('load', 'external')).toEqual([])
  })
})

describe('a page of events', () => {
  const many = Array.from({ length: 401 }, (_, index) => event(index + 1, 'a.started', 'node'))

  it('is the last unless another is wanted, also when the wanted one is gone', () => {
    expect(pageOfEvents(many, null)).toEqual({ shown: many.slice(400), page: 2, pages: 3 })
    expect(pageOfEvents(many, 0)).toEqual({ shown: many.slice(0, 200), page: 0, pages: 3 })
    expect(pageOfEvents(many.slice(0, 3), 2).page).toBe(0)
    expect(pageOfEvents([], null)).toEqual({ shown: [], page: 0, pages: 1 })
  })
})

it('colours events by what they report', () => {
  expect(
    [
      'a.completed',
      'ask.approved',
      'a.task.failed',
      'ask.rejected',
      'ask.timeout',
      'a.waiting',
      'external.go',
      'a.started',
    ].map(eventTone),
  ).toEqual([
    'text-completed',
    'text-completed',
    'text-failed',
    'text-rejected',
    'text-failed',
    'text-waiting',
    'text-accent',
    'text-ink',
  ])
})
