import { describe, expect, it } from 'vitest'
import { EngineRun, ada, noop } from '@/testing/engine-run'
import { explain } from '@/core/engine/view/explain'
import { statusOf } from '@/core/engine/state'
import { waitingFor } from '@/core/engine/view/waiting-for'

const limited = { policy: { maxRunning: 2, timeout: '1m' }, nodes: [noop('a')] }

describe('a run whose pipeline runs as often as it may', () => {
  it('[H-12] is pending, names what it waits for, and starts when another has ended', () => {
    let answer: 'free' | 'wait' = 'wait'
    const run = new EngineRun(limited, { admitRun: () => answer })
    expect(run.types).toEqual(['pipeline.created'])
    expect([run.state.lifecycle, statusOf(run.state)]).toEqual(['PENDING', 'pending'])
    expect(waitingFor(run.state, 'a')).toMatchObject({
      kind: 'slot',
      text: 'waits for a run of pipeline p to end (at most 2 at once)',
    })
    const explained = explain(run.state, 'a', {
      scheduling: null,
      unreachable: null,
      holders: Array.from({ length: 12 }, (_, n) => `x${n}`),
    })
    expect(explained.waiting_for?.text).toMatch(/; holders: x0, .*x9 and 2 more$/)
    expect(run.refusal({ type: 'schedule' }).code).toBe('not_queued')
    // Its deadline does not run before it does.
    expect(run.pass(120_000)).toEqual([])
    answer = 'free'
    expect(run.take({ type: 'schedule' })).toEqual([
      'pipeline.scheduled',
      'pipeline.started',
      'a.started',
      'a.task.started',
    ])
    expect(run.value('system.started_at')).toBe('2026-01-01T00:02:00.000Z')
    expect(run.refusal({ type: 'schedule' }).code).toBe('not_queued')
    run.drain()
    expect(statusOf(run.state)).toBe('completed')
  })

  it('[R-69][R-68] can be cancelled: it ends as any other, and its finally nodes see it', () => {
    const clean = { ...noop('clean', 'event:pipeline.cancelled'), finally: true }
    const run = new EngineRun({ ...limited, nodes: [noop('a'), clean] }, { admitRun: () => 'wait' })
    expect(run.take({ type: 'cancel', reason: null, actor: ada })).toEqual(
      expect.arrayContaining(['pipeline.cancelling', 'a.skipped', 'pipeline.cancelled', 'clean.started']),
    )
    expect(run.refusal({ type: 'schedule' }).code).toBe('not_queued')
    run.drain()
    expect([run.state.lifecycle, run.state.closedAt === null]).toEqual(['CANCELLED', false])
  })

  it('[R-58] keeps a pause, and events that are published meanwhile', () => {
    let answer: 'free' | 'wait' = 'wait'
    const run = new EngineRun(
      { ...limited, nodes: [{ ...noop('a', 'event:external.go'), startTimeout: '1h' }] },
      { admitRun: () => answer },
    )
    run.event('external.go')
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    expect(waitingFor(run.state, 'a')?.text).toMatch(
      /pipeline p to end \(at most 2 at once\), and then for the run to go on$/,
    )
    answer = 'free'
    expect(run.take({ type: 'schedule' })).toEqual(['pipeline.scheduled', 'pipeline.started'])
    expect(statusOf(run.state)).toBe('paused')
    expect(run.take({ type: 'resume', actor: ada })).toContain('a.started')
  })

  it('is refused where it may not wait, and children never ask', () => {
    expect(() => new EngineRun(limited, { admitRun: () => 'refuse' })).toThrow(/too_many_running.*\(2\)/)
    expect(new EngineRun(limited, { admitRun: () => 'refuse', depth: 1 }).types).toContain('a.started')
  })
})

describe('[G-16] system.scheduled_at', () => {
  it('is null in a run that no schedule started, and absent where the pipeline has no schedule', () => {
    const triggers = [{ id: 'daily', type: 'cron' as const, cron: '0 6 * * *' }]
    expect(new EngineRun({ triggers, nodes: [noop('a')] }).value('system.scheduled_at')).toBeNull()
    expect(new EngineRun({ nodes: [noop('a')] }).state.variables.has('system.scheduled_at')).toBe(false)
  })
})
