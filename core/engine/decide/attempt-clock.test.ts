import { describe, expect, it } from 'vitest'
import { LIMITS } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState } from '@/core/engine/state'
import { explain } from '@/core/engine/view/explain'
import { waitingFor } from '@/core/engine/view/waiting-for'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import { EngineRun, heavy, S } from '@/testing/engine-run'

const MINUTE = 60_000
const fetching = { task: 'http.request', inputBindings: { method: 'GET', url: 'https://example.org/' } }

describe('the clock of an attempt', () => {
  it('[R-90] runs from when the work begins, however long files and process took', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '5s' })] })
    expect(run.payload('a.task.started')).toEqual({ token: 1, begin_by: '2026-01-01T00:05:00.000Z' })
    expect(run.pass(2 * MINUTE)).toEqual([])
    expect(waitingFor(run.state, 'a')?.text).toBe('attempt 1 waits to begin')
    expect(run.begin('a')).toEqual(['a.task.running'])
    expect(run.payload('a.task.running')).toEqual({
      ratio: null,
      message: null,
      timeout_at: '2026-01-01T00:02:05.000Z',
    })
    expect(waitingFor(run.state, 'a')?.text).toBe('attempt 1 is running')
    expect(run.attempt('a').progress).toBeNull()
    expect(run.pass(4_999)).toEqual([])
    expect(run.pass(1)).toContain('a.task.failed')
    expect(run.node('a')).toMatchObject({ error: { kind: 'timeout' } })
    run.check()
  })

  it('[R-90] begins once; progress that comes first begins it as well', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '5s' }), heavy('b', S, { timeout: '5s' })] })
    run.begin('a')
    run.now += 1_000
    expect(run.begin('a')).toEqual([])
    run.take({ type: 'report_progress', key: run.attempt('b'), ratio: 0.5, message: 'half' })
    run.take({ type: 'report_progress', key: run.attempt('b'), ratio: 0.7, message: null })
    expect(run.attempt('b')).toMatchObject({ deadline: run.now + 5_000, progress: { ratio: 0.7 } })
    expect(run.pass(4_000)).toContain('a.task.failed')
    run.complete('b', { result: 1 })
    run.check()
  })

  it('[R-90] work that does not begin in its own time is lost, and does not time out', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '5s', retry: { maxAttempts: 9 } })] })
    for (let token = 1; token <= LIMITS.lostAttempts; token += 1) {
      expect(run.pass(LIMITS.beginMs - 1)).toEqual([])
      expect(run.pass(1)).toEqual(['a.task.lost'])
      expect(run.payload('a.task.lost')).toMatchObject({
        losses: token,
        next_token: token + 1,
        reason: 'its work did not begin within 5 minutes',
      })
      expect(run.attempt('a')).toMatchObject({
        attempt: 1,
        deadline: null,
        beginBy: run.now + LIMITS.beginMs,
      })
    }
    run.pass(LIMITS.beginMs)
    expect(run.payload('a.retrying')).toMatchObject({ attempt: 2 })
    expect(run.types).not.toContain('a.task.failed')
    run.check()
  })

  it('[R-90] is anew for every attempt, every item and every worker', () => {
    const run = new EngineRun({
      nodes: [
        heavy('m', S, { timeout: '5s', forEach: { items: [1, 2] }, retry: { maxAttempts: 2, delay: '1s' } }),
      ],
    })
    run.begin('m/0')
    run.now += 3_000
    run.begin('m/1')
    expect(waitingFor(run.state, 'm')?.text).toBe('2 of 2 items are to come, 2 of them running')
    run.take({ type: 'lose_attempt', key: run.attempt('m/0'), reason: 'died' })
    expect(waitingFor(run.state, 'm')?.text).toBe(
      '2 of 2 items are to come, 2 of them running, 1 of these still to begin',
    )
    run.pass(5_000)
    expect(run.attempt('m/0')).toMatchObject({ attempt: 1, deadline: null })
    run.pass(1_000)
    expect(run.attempt('m/1')).toMatchObject({ attempt: 2, deadline: null })
    run.check()
  })

  it('[R-90] of what works in the server itself runs with its start', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { ...fetching, timeout: '5s' })] })
    expect(run.payload('a.task.started')).toEqual({ token: 1, timeout_at: '2026-01-01T00:00:05.000Z' })
    expect(run.begin('a')).toEqual([])
    run.complete('a', {})
    run.check()
  })

  it('[R-71] of journals of earlier versions runs with the start as well', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '5s' })] })
    const before = run.entries.map(({ event, variables }) => ({
      event: event.type.endsWith('task.started')
        ? { ...event, payload: { token: 1, timeout_at: '2026-01-01T00:00:05.000Z' } }
        : event,
      variables,
    }))
    const earlier = emptyState('x1', run.state.pipeline)
    for (const entry of before) evolve(earlier, entry)
    expect(earlier.inFlight.get('a')).toMatchObject({ beginBy: null, deadline: run.now + 5_000 })
    expect(earlier.timers.next()).toMatchObject({ kind: 'attempt_timeout', dueAt: run.now + 5_000 })
  })
})

describe('an attempt that has not begun', () => {
  it.each([
    [{ waitsFor: 'process' } as const, 'its files and its process are made ready'],
    [{ waitsFor: 'earlier_attempt', attempt: 1 } as const, 'attempt 1 of the same work has not ended yet'],
    [{ waitsFor: 'worker' } as const, 'every worker is busy'],
  ])('[R-90] is explained as waiting to begin: %j', (preparation, text) => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    expect(explain(run.state, 'a', { preparation })).toMatchObject({
      waiting_for: { kind: 'worker', text: `attempt 1 waits to begin: ${text}` },
      next_wake_at: '2026-01-01T00:05:00.000Z',
    })
    run.begin('a')
    expect(explain(run.state, 'a', { preparation })).toMatchObject({
      waiting_for: { kind: 'attempt', text: 'attempt 1 is running' },
      next_wake_at: null,
    })
  })
})

describe('an attempt that finds no place', () => {
  const full = { pool: CHILDREN, reason: 'full', amount: 1, used: 4, capacity: 4 } as const

  it('[R-90] is queued, and says for what', () => {
    const run = new EngineRun({ nodes: [heavy('a')] }, { shortage: () => full })
    expect(run.payload('a.queued')).toMatchObject({ pool: CHILDREN })
    expect(waitingFor(run.state, 'a')).toMatchObject({ kind: 'slot', text: 'waits for a free child process' })
    expect(run.types).not.toContain('a.task.started')
  })

  it('[R-90] after a restart with fewer places competes again, instead of waiting where nobody sees it', () => {
    let places = 2
    const run = new EngineRun(
      { nodes: [heavy('a', S, { timeout: '5s' }), heavy('b', S, { timeout: '5s' })] },
      {
        shortage: (_, held) => ((held.get(CHILDREN) ?? 0) < places ? null : { ...full, capacity: places }),
      },
    )
    places = 1
    for (const node of ['a', 'b'])
      run.take({ type: 'lose_attempt', key: run.attempt(node), reason: 'the server ended' })
    expect(run.node('a')).toMatchObject({ status: 'queued', attempt: 1 })
    expect(run.attempt('b')).toMatchObject({ attempt: 1, losses: 1 })
    run.complete('b', { result: 1 })
    run.take({ type: 'admit', node: 'a' })
    expect(run.attempt('a')).toMatchObject({ attempt: 1, deadline: null })
    run.complete('a', { result: 1 })
    run.check()
  })
})
