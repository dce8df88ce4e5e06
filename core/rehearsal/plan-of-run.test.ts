import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import { ada, EngineRun, gate, heavy, noop, set } from '@/testing/engine-run'
import { createInMemoryValues } from './in-memory-values'
import { planOfRun } from './plan-of-run'
import { rehearse } from './rehearse'

const planned = (run: EngineRun, ...values: [] | [EngineRun['state']['values']]) => {
  const plan = planOfRun(run.state.pipeline, run.entries, ...values)
  if (!plan.ok) throw new Error(plan.message)
  return plan.plan
}

const rehearsed = (run: EngineRun, ...values: [] | [EngineRun['state']['values']]) => {
  const result = rehearse(run.state.pipeline, planned(run, ...values))
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.rehearsal
}

const large = 'x'.repeat(1_500_000)

describe('the plan of a run', () => {
  it('says how long attempts took, what they gave, who decided and what came', () => {
    const run = new EngineRun(
      {
        inputs: { n: { type: 'number' } },
        nodes: [
          heavy('a'),
          gate('ok', {}, 'event:a.completed'),
          noop('b', 'event:ok.approved && event:external.go'),
        ],
      },
      { inputs: { n: 4 } },
    )
    run.begin('a')
    run.now += 30
    run.complete('a', { result: 5 })
    run.now += 10
    run.event('external.ok.approved', { comment: 'fine' })
    run.now += 2
    run.event('external.go', { x: 1 })
    run.now += 3
    run.complete('b')
    const plan = planned(run)
    expect(plan).toMatchObject({
      executionId: 'x1',
      inputs: { n: 4 },
      actor: { name: 'ada' },
      nodes: {
        a: { attempts: [{ attempt: 1, duration: 30, outputs: { result: 5 } }] },
        b: { attempts: [{ attempt: 1, duration: 3 }] },
      },
      approvals: { ok: [{ decision: 'approved', after: 10, by: 'ada', comment: 'fine' }] },
      events: [{ type: 'external.go', after: 42, payload: { x: 1 } }],
    })
    expect(plan.nodes?.['b']?.attempts?.[0]).not.toHaveProperty('outputs')
    expect(rehearsed(run).entries).toEqual(run.entries)
  })

  it('begins when the run was admitted', () => {
    let place: 'wait' | 'free' = 'wait'
    const run = new EngineRun(
      { nodes: [heavy('a', 'event:external.go')], policy: { maxRunning: 1 } },
      { admitRun: () => place },
    )
    run.now += 5_000
    place = 'free'
    run.take({ type: 'schedule' })
    run.now += 100
    run.event('external.go')
    run.begin('a')
    run.now += 7
    run.complete('a', { result: 1 })
    expect(planned(run)).toMatchObject({ startAt: run.now - 107, events: [{ after: 100 }] })
    expect(rehearsed(run).entries.map(({ event }) => event.type)).toEqual(run.types)
  })

  it('an event from outside may be called as it likes', () => {
    const run = new EngineRun({ nodes: [noop('a', 'event:external.data.reset')] })
    run.event('external.data.reset')
    run.drain()
    expect(rehearsed(run).entries).toEqual(run.entries)
  })

  it('[R-61] large values are asked for; without them what is read is invented, and listed as invented', () => {
    const values = createInMemoryValues()
    const nodes = [heavy('a'), set('b', { size: '{{ size(a.result.text) }}' }, 'event:a.completed')]
    const run = new EngineRun({ nodes }, { values })
    run.begin('a')
    run.complete('a', { result: { text: large } })
    run.drain()
    expect(run.value('b.size')).toBe(1_500_000)
    const again = rehearsed(run, values)
    expect(again.state.variables.get('b.size')?.value).toBe(1_500_000)
    expect(again.nodes.get('b')?.restsOn).toEqual([])
    const without = rehearsed(run)
    expect(without.entries.map(({ event }) => event.type)).toEqual(run.types)
    expect(without.nodes.get('a')?.invented).toEqual(['result'])
    expect(without.nodes.get('b')?.restsOn).toEqual(['a.result'])
  })

  it('[G-16] keeps the instant that a schedule started it for', () => {
    const triggers = [{ id: 'daily', type: 'cron', cron: '0 6 * * *' }] as const
    const nodes = [set('a', { at: '{{ system.scheduled_at }}' })]
    const first = rehearse(new EngineRun({ nodes, triggers: [...triggers] }).state.pipeline, {
      scheduledAt: 1_000,
    })
    if (!first.ok) throw new Error(JSON.stringify(first.issues))
    const { state, entries } = first.rehearsal
    expect(state.variables.get('a.at')?.value).toBe(formatInstant(1_000))
    const plan = planOfRun(state.pipeline, entries)
    expect(plan).toMatchObject({ ok: true, plan: { scheduledAt: formatInstant(1_000) } })
  })

  it.each<[string, (run: EngineRun) => void]>([
    ['it was paused', (run) => void run.take({ type: 'pause', reason: null, hard: false, actor: ada })],
    ['it was rerun', (run) => void run.drain().take({ type: 'rerun', nodes: ['a'], actor: ada })],
  ])('there is none when %s', (message, happens) => {
    const run = new EngineRun({ nodes: [noop('a')] })
    happens(run)
    expect(planOfRun(run.state.pipeline, run.entries)).toEqual({ ok: false, message })
  })

  it('there is none of mocks, of forks and of nothing', () => {
    const mocks = { a: { outputs: {} as JsonObject } }
    const run = new EngineRun({ nodes: [noop('a')] }, { mocks })
    expect(planOfRun(run.state.pipeline, run.entries)).toEqual({
      ok: false,
      message: 'some of its nodes were mocked',
    })
    expect(planOfRun(run.state.pipeline, [])).toEqual({ ok: false, message: 'nothing has happened in it' })
  })
})
