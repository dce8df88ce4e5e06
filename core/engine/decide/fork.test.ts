import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, compiled, failing, gate, heavy, noop, set, wait } from '@/testing/engine-run'
import { emptyState } from '@/core/engine/state'
import { evolve } from '@/core/engine/fold/evolve'
import { snapshotOf } from './fork'
import { viewOf } from '@/core/engine/view/project'
import { snapshotName } from '@/core/engine/fold/snapshot'

type Definition = ConstructorParameters<typeof EngineRun>[0]

/** A run of `next` (the same definition, when absent) from the state of `run` after `seq` (its last, when absent). */
function fork(
  run: EngineRun,
  {
    seq = run.state.seq,
    next,
    newInputs = false,
  }: { seq?: number; next?: Definition; newInputs?: boolean } = {},
): EngineRun {
  const state = emptyState('x1', run.state.pipeline)
  for (const entry of run.entries.slice(0, seq)) evolve(state, entry)
  const definition = next ?? run.state.pipeline.definition
  const pipeline = { ...compiled(definition), revision: next === undefined ? 1 : 2 }
  const snapshot = snapshotOf(state, pipeline, { newInputs })
  return new EngineRun(definition, { origin: { executionId: 'x1', seq, snapshot } })
}

const seqOf = (run: EngineRun, type: string) => run.types.indexOf(type) + 1
const begun = (run: EngineRun) =>
  run.types.filter((type) => /^[a-z_]+\.started$/.test(type) && !type.startsWith('pipeline.'))

describe('a fork', () => {
  const chain: Definition = {
    outputs: { sum: { value: '{{ c.v }}' } },
    nodes: [
      set('a', { v: 1 }),
      set('b', { v: '{{ a.v + 1 }}' }, 'event:a.completed'),
      set('c', { v: '{{ a.v + b.v }}' }, 'event:b.completed'),
    ],
  }

  it('[R-78] begins with `pipeline.created`: where it comes from, what had ended, and the outputs', () => {
    const run = new EngineRun(chain)
    run.drain()
    const copy = fork(run, { seq: seqOf(run, 'b.started') })
    const [created] = copy.entries
    expect(created?.event).toMatchObject({
      seq: 1,
      type: 'pipeline.created',
      payload: { origin: { execution_id: 'x1', seq: seqOf(run, 'b.started') } },
    })
    expect(created?.variables.map(({ name }) => name)).toEqual([
      'system.execution_id',
      'system.started_at',
      snapshotName('a'),
      'a.v',
    ])
    expect(copy.state.variables.has(snapshotName('a'))).toBe(false)
    copy.drain().check()
    expect(begun(copy)).toEqual(['b.started', 'c.started'])
    expect(viewOf(copy.state, copy.now)).toMatchObject({
      status: 'completed',
      generation: 1,
      parent: null,
      origin: { execution_id: 'x1', seq: seqOf(run, 'b.started') },
      outputs: { sum: 3 },
      nodes: {
        a: { status: 'completed', attempts: 1, outputs: { v: 1 }, finished_at: '2026-01-01T00:00:00.001Z' },
      },
    })
  })

  it('[R-78] does again what was in flight, and what a cancel of the old run had ended', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), wait('b', '1m'), gate('g'), noop('c', 'event:a.completed'), noop('ok')],
    })
    run.complete('ok')
    run.take({ type: 'cancel', reason: null, actor: ada })
    run.fail('a', { kind: 'cancelled' })
    expect(run.state.lifecycle).toBe('CANCELLED')
    const copy = fork(run)
    expect(begun(copy).toSorted()).toEqual(['a.started', 'b.started', 'g.started'])
    copy.event('external.g.approved')
    copy.drain()
    copy.pass(60_000)
    copy.check()
    expect(copy.state.lifecycle).toBe('COMMIT')
  })

  it('[R-78] [R-70] keeps failures, who handled them, skips and external events; finally nodes run in the new run', () => {
    const nodes = [
      failing('bad'),
      noop('handler', 'event:bad.failed'),
      noop('never', 'event:bad.completed'),
      gate('g', {}, 'event:external.go'),
      noop('last', 'event:external.go && event:g.rejected'),
      noop('clean', 'event:pipeline.completed', { finally: true }),
    ]
    const run = new EngineRun({ nodes })
    run.event('external.go')
    run.event('external.unheard')
    run.event('external.g.rejected', { comment: 'not today' })
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
    const copy = fork(run)
    copy.drain().check()
    expect(copy.payload('pipeline.created')).toMatchObject({ events: ['external.go'] })
    expect(begun(copy)).toEqual(['clean.started'])
    expect(copy.state.lifecycle).toBe('COMMIT')
    expect(viewOf(copy.state, copy.now).nodes).toMatchObject({
      bad: { status: 'failed', error: { kind: 'task_failed' } },
      never: { status: 'skipped', skip_reason: 'upstream_failed' },
      g: {
        status: 'failed',
        outputs: { approver: 'ada', comment: 'not today' },
        approval: { votes: [{ approver: 'ada', decision: 'rejected' }] },
      },
    })
    const alone = fork(run, { seq: seqOf(run, 'bad.failed') })
    expect(begun(alone)).toContain('handler.started')
  })

  it('[R-78] [R-11] the first failure still stops a failFast run', () => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [failing('bad'), wait('slow', '1m'), noop('n', 'event:slow.completed')],
    })
    run.drain()
    const copy = fork(run)
    expect(copy.node('n')).toMatchObject({ status: 'skipped', reason: 'fail_fast', cause: 'bad' })
  })

  it('[R-65] new inputs open every approval and what follows it, and nothing else', () => {
    const run = new EngineRun({
      nodes: [
        set('a', { v: 1 }),
        gate('g', {}, 'event:a.completed'),
        noop('n', 'event:g.approved'),
        noop('side'),
      ],
    })
    run.drain()
    run.event('external.g.approved')
    run.drain().check()
    expect(begun(fork(run))).toEqual([])
    const copy = fork(run, { newInputs: true })
    expect(begun(copy)).toEqual(['g.started'])
    expect(copy.node('g')).toMatchObject({ status: 'waiting', approval: { votes: [] } })
    expect(copy.state.events.has('g.approved')).toBe(false)
  })

  it('[R-65] [R-78] another revision also opens what is new or does other work, and leaves out what is gone', () => {
    const run = new EngineRun({
      nodes: [
        set('same', { v: 1 }),
        set('renamed', { v: 1 }, S, { name: 'Old' }),
        set('spaced', { v: 1 }, 'event:same.completed&&event:renamed.completed'),
        set('changed', { v: 1 }),
        noop('after', 'event:changed.completed'),
        set('gone', { v: 1 }),
        gate('g'),
      ],
    })
    run.drain()
    run.event('external.g.approved')
    run.drain().check()
    const next = {
      nodes: [
        set('same', { v: 1 }),
        set('renamed', { v: 1 }, S, { name: 'New', description: 'x', estimate: '5s', priority: 3 }),
        set('spaced', { v: 1 }, 'event:same.completed && event:renamed.completed'),
        set('changed', { v: 2 }),
        noop('after', 'event:changed.completed'),
        noop('fresh'),
        gate('g'),
      ],
    }
    const copy = fork(run, { next })
    expect(copy.state.variables.has('gone.v')).toBe(false)
    copy.event('external.g.approved')
    copy.drain().check()
    expect(begun(copy).toSorted()).toEqual(['after.started', 'changed.started', 'fresh.started', 'g.started'])
    expect(copy.value('changed.v')).toBe(2)
  })

  it('[R-55] [R-78] takes over the list that items became, not the items', () => {
    const run = new EngineRun({
      nodes: [
        set('snapshot', { v: '{{ item }}' }, S, { forEach: { items: [1, 2] } }),
        set('sum', { v: '{{ snapshot.v[0] + snapshot.v[1] }}' }, 'event:snapshot.completed'),
      ],
    })
    run.drain().check()
    const copy = fork(run, { seq: seqOf(run, 'snapshot.completed') })
    expect(copy.entries[0]?.variables.map(({ name }) => name)).not.toContain('snapshot/0.v')
    copy.drain().check()
    expect(begun(copy)).toEqual(['sum.started'])
    expect(copy.value('sum.v')).toBe(3)
  })

  it('[R-64] [R-78] a fork can be run again, and its carried nodes too', () => {
    const run = new EngineRun(chain)
    run.drain()
    const copy = fork(run)
    expect(begun(copy)).toEqual([])
    copy.take({ type: 'rerun', nodes: ['b'], actor: ada })
    copy.drain().check()
    expect(begun(copy)).toEqual(['b.started', 'c.started'])
    expect(copy.node('a')).toMatchObject({ status: 'completed', generation: 1 })
    expect(viewOf(copy.state, copy.now).outputs).toEqual({ sum: 3 })
  })
})
