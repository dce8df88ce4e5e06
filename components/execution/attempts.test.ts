import { describe, expect, it } from 'vitest'
import type { Event, JsonObject } from '@/core/engine/event'
import { attemptsOf, startSeqOf } from './attempts'

let seq = 0
function event(type: string, attempt: number | undefined, payload: JsonObject = {}, item?: number): Event {
  seq += 1
  return {
    id: `e.${seq}`,
    execution_id: 'e',
    seq,
    type,
    source: { entity_type: 'task', entity_id: 'a' },
    generation: 1,
    ...(attempt === undefined ? {} : { attempt }),
    ...(item === undefined ? {} : { item }),
    payload,
    timestamp: `2026-03-01T12:00:${String(seq).padStart(2, '0')}.000Z`,
  }
}

describe('attempts of a node', () => {
  it('are told by the events of its tasks, each with its end and reason', () => {
    const attempts = attemptsOf(
      [
        event('a.started', undefined),
        event('a.task.started', 1),
        event('ab.task.started', 1),
        event('a.task.failed', 1, { error: { kind: 'timeout', message: 'took too long' } }),
        event('a.task.started', 2),
        event('a.task.started', 1, {}, 0),
        event('a.task.running', 2, { ratio: 0.5 }),
      ],
      'a',
    )
    expect(attempts.map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [1, 'failed', 'took too long'],
      [2, 'running', null],
    ])
    expect(attempts[1]?.endedAt).toBeNull()
  })

  it('keep the number of an attempt that was lost and started again', () => {
    const attempts = attemptsOf(
      [
        event('a.task.started', 1),
        event('a.task.lost', 1, { reason: 'its worker ended' }),
        event('a.task.started', 1),
        event('a.task.completed', 1),
      ],
      'a',
    )
    expect(attempts.map(({ attempt, text }) => [attempt, text])).toEqual([
      [1, 'Worker lost'],
      [1, 'Completed'],
    ])
  })
})

describe('the start of a node', () => {
  it('is that of its latest attempt, else its own, and nothing of its neighbours or items', () => {
    const before = event('ab.task.started', 1)
    const started = event('a.started', undefined)
    const item = event('a.task.started', 1, {}, 0)
    const first = event('a.task.started', 1)
    const second = event('a.task.started', 2)
    expect(startSeqOf([before], 'a')).toBeNull()
    expect(startSeqOf([before, started, item], 'a')).toBe(started.seq)
    expect(startSeqOf([before, started, item, first, second], 'a')).toBe(second.seq)
  })
})
