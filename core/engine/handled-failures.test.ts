import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, gate, noop, set, type NodeSpec } from '@/testing/engine-run'
import { snapshotOf } from './decide/fork'
import { viewOf } from './view/project'

const counts = (run: EngineRun) => [
  run.state.lifecycle,
  viewOf(run.state, run.now).handled_failures,
  run.payload('pipeline.completed')['handled_failures'],
]

describe('[R-89] handled failures', () => {
  it('a run that completed although nodes failed says how many: handled by another, or allowed', () => {
    const run = new EngineRun({
      nodes: [
        failing('a'),
        noop('fix', 'event:a.failed'),
        failing('b', S, { allowFailure: true }),
        noop('c'),
        noop('chart', 'event:a.completed'),
      ],
    })
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 2, 2])
  })

  it('a rejection that somebody deals with is one too', () => {
    const run = new EngineRun({ nodes: [gate('g'), noop('fix', 'event:g.rejected')] })
    run.event('external.g.rejected')
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 1, 1])
  })

  it('so is a list of which items failed, however many', () => {
    const list = { items: '{{ [1, 2, 3] }}', allowFailures: true }
    const run = new EngineRun({ nodes: [failing('a', S, { forEach: list } as Partial<NodeSpec>)] })
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 1, 1])
    const snapshot = snapshotOf(run.state, run.state.pipeline, { newInputs: false })
    const copy = new EngineRun(run.state.pipeline.definition, {
      origin: { executionId: 'x1', seq: run.state.seq, snapshot },
    })
    copy.drain().check()
    expect(counts(copy)).toEqual(['COMMIT', 1, 1])
  })

  it('and a node whose work was done by a run with some; a fork takes that over, a reset takes it away', () => {
    const sub = { id: 'sub', pipeline: 'other', startWhen: S } as NodeSpec
    const run = new EngineRun({ nodes: [sub, noop('after', 'event:sub.completed')] })
    run.take({ type: 'complete_attempt', key: run.attempt('sub'), outputs: {}, handledFailures: 3 })
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 1, 1])
    const snapshot = snapshotOf(run.state, run.state.pipeline, { newInputs: false })
    const copy = new EngineRun(run.state.pipeline.definition, {
      origin: { executionId: 'x1', seq: run.state.seq, snapshot },
    })
    copy.drain().check()
    expect(counts(copy)).toEqual(['COMMIT', 1, 1])
    run.take({ type: 'rerun', nodes: ['sub'], actor: ada })
    run.take({ type: 'complete_attempt', key: run.attempt('sub'), outputs: {}, handledFailures: 0 })
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 0, 0])
  })

  it('a run without any, one that failed, and failures of finally nodes have none', () => {
    const good = new EngineRun({ nodes: [noop('a')] })
    good.drain().check()
    expect(counts(good)).toEqual(['COMMIT', 0, 0])
    const warned = new EngineRun({
      nodes: [noop('a'), failing('clean', 'event:pipeline.completed', { finally: true })],
    })
    warned.drain().check()
    expect(counts(warned)).toEqual(['COMMIT', 0, 0])
    const bad = new EngineRun({ nodes: [failing('a'), noop('fix', 'event:a.failed'), failing('b')] })
    bad.drain().check()
    expect(viewOf(bad.state, bad.now)).toMatchObject({ status: 'failed', handled_failures: 0 })
  })

  it('a rerun that makes the failure good takes it away', () => {
    const run = new EngineRun({ nodes: [set('a', { v: 1 }), noop('fix', 'event:a.failed')] })
    run.fail('a')
    run.drain()
    expect(counts(run)).toEqual(['COMMIT', 1, 1])
    run.take({ type: 'rerun', nodes: ['a'], actor: ada })
    expect(viewOf(run.state, run.now).handled_failures).toBe(0)
    run.drain().check()
    expect(counts(run)).toEqual(['COMMIT', 0, 0])
  })
})
