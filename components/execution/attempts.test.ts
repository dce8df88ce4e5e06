import { describe, expect, it } from 'vitest'
import type { Event, JsonObject } from '@/core/engine/event'
import { attemptGroups, attemptsOf, startSeqOf, lastSinceRestart } from './attempts'

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
  it('are read from the events of its tasks, each with its end and reason', () => {
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
    expect(attempts.map(({ item, attempt, status, error }) => [item, attempt, status, error])).toEqual([
      [null, 1, 'failed', 'took too long'],
      [null, 2, 'running', null],
      [0, 1, 'running', null],
    ])
    expect(attempts[1]?.endedAt).toBeNull()
  })

  it('[R-72] go on under the next token after a loss, are stopped by a hard pause, and end with the node that is cancelled', () => {
    const lost = { token: 1, losses: 1, reason: 'its worker ended', final: false }
    const attempts = attemptsOf(
      [
        event('a.task.started', 1),
        event('a.task.lost', 1, { ...lost, next_token: 2 }),
        event('a.task.lost', 1, { ...lost, reason: 'stopped by a pause' }),
        event('a.task.started', 1),
        event('a.cancelled', undefined),
      ],
      'a',
    )
    expect(attempts.map(({ text, error }) => [text, error])).toEqual([
      ['Worker lost', 'its worker ended'],
      ['Stopped', 'stopped by a pause'],
      ['Cancelled', null],
    ])
  })

  it('did not fail when they were stopped with the run', () => {
    const error = { kind: 'cancelled', message: 'was cancelled while it ran' }
    const attempts = attemptsOf(
      [event('a.task.started', 1), event('a.task.failed', 1, { error }), event('a.cancelled', undefined)],
      'a',
    )
    expect(attempts.map(({ text, status }) => [text, status])).toEqual([['Cancelled', 'cancelled']])
  })

  it('[R-8] say when they are tried again, and which run does their work', () => {
    const due = '2026-03-01T12:05:00.000Z'
    const attempts = attemptsOf(
      [
        event('a.task.started', 1, { child_execution_id: 'c' }, 3),
        event('a.task.failed', 1, { error: { kind: 'task_failed', message: 'no' } }, 3),
        event('a.retrying', 2, { attempt: 2, delay_ms: 1, due_at: due }, 3),
      ],
      'a',
    )
    expect(attempts).toMatchObject([{ item: 3, child: 'c', nextAt: due, error: 'no' }])
  })

  it('have the same number after an attempt was lost and started again', () => {
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

describe('attempts by item', () => {
  const failed = { error: { kind: 'task_failed', message: 'no' } }
  const events = [
    event('a.task.started', 1, {}, 0),
    event('a.task.started', 1, {}, 1),
    event('a.task.started', 1, {}, 2),
    event('a.task.started', 1, {}, 3),
    event('a.task.completed', 1, {}, 0),
    event('a.task.failed', 1, failed, 2),
    event('a.retrying', 2, { due_at: '2026-03-01T12:05:00.000Z' }, 2),
    event('a.task.started', 2, {}, 2),
    event('a.task.failed', 2, failed, 2),
    event('a.task.completed', 1, {}, 3),
  ]

  it('[R-75] come failed first, then running, then the latest', () => {
    const { groups, more } = attemptGroups(attemptsOf(events, 'a'), 50)
    expect(groups.map(({ item, status, attempts }) => [item, status, attempts.length])).toEqual([
      [2, 'failed', 2],
      [1, 'running', 1],
      [3, 'completed', 1],
      [0, 'completed', 1],
    ])
    expect(more).toBe(0)
  })

  it('are bounded, and say how many items were left out', () => {
    const { groups, more } = attemptGroups(attemptsOf(events, 'a'), 3)
    expect(groups.map(({ item }) => item)).toEqual([2, 1])
    expect(more).toBe(2)
    expect(attemptGroups(attemptsOf(events, 'a'), 1).groups[0]?.attempts[0]?.attempt).toBe(2)
  })

  it('that wait for their next try are retrying', () => {
    expect(attemptGroups(attemptsOf(events.slice(0, 7), 'a'), 50).groups[0]).toMatchObject({
      item: 2,
      status: 'retrying',
    })
  })
})

describe('a node that was reset', () => {
  const begun = [event('a.started', undefined), event('a.task.started', 1)]
  const reset = event('a.reset', undefined, { token: 2 })
  const events = [...begun, reset]

  it('[R-64] ends its attempts, and has not started', () => {
    expect(attemptsOf(events, 'a')).toMatchObject([
      { status: 'cancelled', text: 'Reset', endedAt: reset.timestamp, nextAt: null },
    ])
    expect(startSeqOf(events, 'a')).toBeNull()
    const again = event('a.task.started', 1)
    expect(startSeqOf([...events, again], 'a')).toBe(again.seq)
  })

  it('[R-64] of a run that was restarted: how it ended before is not said any more', () => {
    const cancelling = event('pipeline.cancelling', undefined)
    const restarted = event('pipeline.restarted', undefined)
    expect(lastSinceRestart([cancelling], cancelling.type)).toBe(cancelling)
    expect(lastSinceRestart([cancelling, restarted], cancelling.type)).toBeUndefined()
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
