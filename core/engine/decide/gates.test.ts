import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, gate, noop, set, wait } from '@/testing/engine-run'
import { person } from '@/testing/person'

describe('start conditions', () => {
  it('[G-17][E-13][E-14][N-O2] an AND opens exactly when both events are there', () => {
    const run = new EngineRun({
      nodes: [noop('a'), noop('b'), noop('j', 'event:a.completed && event:b.completed')],
    })
    expect(run.complete('a')).not.toContain('j.started')
    expect(run.node('j').status).toBe('pending')
    expect(run.complete('b')).toContain('j.started')
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-6][G-18] an OR opens once, on the first event, however many follow', () => {
    const run = new EngineRun({
      nodes: [noop('a'), noop('b'), noop('j', 'event:a.completed || event:b.completed')],
    })
    expect(run.complete('a')).toContain('j.started')
    run.drain().check()
    expect(run.count('j.started')).toBe(1)
  })

  it('[G-18] k of n is written as an OR of ANDs', () => {
    const two =
      '(event:a.completed && event:b.completed) || (event:a.completed && event:c.completed) || (event:b.completed && event:c.completed)'
    const run = new EngineRun({ nodes: [noop('a'), noop('b'), noop('c'), noop('j', two)] })
    expect(run.complete('c')).not.toContain('j.started')
    expect(run.complete('a')).toContain('j.started')
  })

  it('[R-5][R-6] a negation is not true at the start: it waits until the event can no longer come', () => {
    const run = new EngineRun({
      nodes: [noop('a'), noop('ok', '!event:a.failed'), noop('bad', 'event:a.failed')],
    })
    expect(run.node('ok').status).toBe('pending')
    const types = run.complete('a')
    expect(types).toContain('ok.started')
    expect(types).toContain('bad.skipped')
    run.drain().check()
    expect(run.node('bad')).toMatchObject({ status: 'skipped', reason: 'condition_not_met' })
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-5][R-82][G-12] a dead path propagates: the reason says whether upstream failed, was skipped or was cancelled, with the cause', () => {
    const run = new EngineRun({
      nodes: [
        failing('a', S, { allowFailure: true }),
        noop('b', 'event:a.completed'),
        noop('c', 'event:b.completed'),
      ],
    })
    run.drain().check()
    expect(run.node('b')).toMatchObject({
      status: 'skipped',
      reason: 'upstream_failed',
      cause: 'event:a.completed',
    })
    expect(run.node('c')).toMatchObject({
      status: 'skipped',
      reason: 'upstream_skipped',
      cause: 'event:b.completed',
    })
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-9] completed means success only', () => {
    const run = new EngineRun({
      nodes: [failing('a'), noop('b', 'event:a.completed'), noop('c', 'event:a.completed || event:a.failed')],
    })
    run.drain().check()
    expect(run.node('b').status).toBe('skipped')
    expect(run.node('c').status).toBe('completed')
  })

  it('[R-66][X-6] a condition is asked when its other conjuncts are true, once, and what it found is recorded', () => {
    const run = new EngineRun({
      nodes: [
        set('a', { n: 3 }),
        noop('big', 'event:a.completed && {{ a.n > 2 }}'),
        noop('small', 'event:a.completed && {{ a.n <= 2 }}'),
      ],
    })
    const types = run.complete('a', { n: 3 })
    expect(types).toContain('big.started')
    expect(run.payload('big.started')).toEqual({
      gate: { events: ['a.completed'], conditions: [{ source: 'a.n > 2', value: true }] },
    })
    expect(run.node('small')).toMatchObject({ status: 'skipped', reason: 'condition_not_met' })
    run.drain().check()
  })

  it('[R-66] a condition waits until every node that it names is terminal', () => {
    const run = new EngineRun({
      nodes: [noop('a'), set('b', { n: 1 }), noop('c', 'event:a.completed && {{ b.n == 1 }}')],
    })
    run.complete('a')
    expect(run.node('c').status).toBe('pending')
    expect(run.complete('b', { n: 1 })).toContain('c.started')
  })

  it('[R-6][R-66] an error in a condition fails the node, and is not read as false', () => {
    const run = new EngineRun({
      nodes: [
        failing('a', S, { allowFailure: true }),
        noop('b', 'event:a.failed && {{ pipeline.input.xs[5] == 1 }}'),
      ],
      inputs: { xs: { type: 'array', default: [1] } },
    })
    run.drain().check()
    expect(run.node('b')).toMatchObject({
      status: 'failed',
      startedAt: null,
      error: { kind: 'expression_error' },
    })
    expect(run.types).not.toContain('b.started')
    expect(run.state.lifecycle).toBe('FAILED')
  })

  it('[R-66] a condition that is not a boolean is an error', () => {
    const run = new EngineRun({ nodes: [set('a', { n: 1 }), noop('b', 'event:a.completed && {{ a.n }}')] })
    run.complete('a', { n: 1 })
    expect(run.node('b')).toMatchObject({ status: 'failed', error: { kind: 'expression_error' } })
  })

  it('[R-58][E-17] an external event counts also when it came before anybody listened', () => {
    const run = new EngineRun({
      nodes: [noop('a'), noop('b', 'event:a.completed && event:external.data_ready')],
    })
    run.event('external.data_ready', { rows: 3 })
    expect(run.complete('a')).toContain('b.started')
    run.drain().check()
  })

  it('[R-67][R-37] a run whose open nodes wait for external events only is waiting, and says for what', async () => {
    const { viewOf } = await import('@/core/engine/view/project')
    const run = new EngineRun({
      nodes: [noop('a'), noop('b', 'event:a.completed && event:external.data_ready')],
    })
    expect(viewOf(run.state, run.now).status).toBe('running')
    run.complete('a')
    const view = viewOf(run.state, run.now)
    expect(view.status).toBe('waiting')
    expect(view.nodes['b']?.waiting_for).toMatchObject({ kind: 'event', names: ['external.data_ready'] })
    run.event('external.data_ready')
    run.drain().check()
  })

  it('[R-67][R-72][R-82] a start timeout runs while nothing but external events keeps the node pending, then skips it', () => {
    const run = new EngineRun({
      nodes: [
        noop('a'),
        noop('b', 'event:a.completed && event:external.data_ready', { startTimeout: '10s' }),
      ],
    })
    run.now += 60_000
    run.complete('a')
    expect(run.payload('b.waiting')).toMatchObject({ for: 'event', events: ['external.data_ready'] })
    expect(run.pass(9_999)).toEqual([])
    expect(run.pass(1)).toContain('b.skipped')
    expect(run.node('b')).toMatchObject({
      status: 'skipped',
      reason: 'start_timeout',
      cause: 'event:external.data_ready',
    })
    run.check()
  })

  it('[R-67] the absence of an external event starts a node when its start timeout expires', () => {
    const run = new EngineRun({ nodes: [noop('b', '!event:external.veto', { startTimeout: '10s' })] })
    expect(run.node('b').status).toBe('pending')
    expect(run.pass(10_000)).toContain('b.started')
    run.drain().check()
  })

  it('[R-67][R-5] what the start timeout made dead stays dead, also when it is published before the run goes on', () => {
    const run = new EngineRun({
      nodes: [
        noop('absent', '!event:external.e', { startTimeout: '1s' }),
        noop('late', 'event:external.e || event:external.f', { startTimeout: '1s' }),
      ],
    })
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    run.event('external.f')
    run.pass(1_000)
    run.event('external.e')
    run.event('external.f')
    expect(run.node('absent').status).toBe('pending')
    expect(run.take({ type: 'resume', actor: ada })).toEqual(
      expect.arrayContaining(['absent.started', 'late.started']),
    )
    run.drain().check()
  })

  it('[R-82] an event that came where it must not is no timeout', () => {
    const run = new EngineRun({ nodes: [noop('absent', '!event:external.e', { startTimeout: '1s' })] })
    run.event('external.e')
    expect(run.node('absent')).toMatchObject({ status: 'skipped', reason: 'condition_not_met' })
    run.check()
  })

  it('[R-62] a run in which everything is skipped has completed', () => {
    const run = new EngineRun({
      nodes: [noop('a', 'event:pipeline.started && {{ pipeline.input.go }}'), noop('b', 'event:a.completed')],
      inputs: { go: { type: 'boolean', default: false } },
    })
    run.check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-82] upstream_cancelled is the reason when the node whose event is missing was cancelled', () => {
    const run = new EngineRun({
      nodes: [
        wait('a', '1h'),
        noop('end', 'event:a.completed || event:pipeline.cancelled', { finally: true }),
      ],
    })
    run.take({ type: 'cancel', reason: null, actor: person('ada') })
    expect(run.node('a').status).toBe('cancelled')
    expect(run.node('end').status).toBe('running')
    const other = new EngineRun({
      nodes: [wait('a', '1h'), noop('end', 'event:a.completed', { finally: true })],
    })
    other.take({ type: 'cancel', reason: null, actor: person('ada') })
    expect(other.node('end')).toMatchObject({ status: 'skipped', reason: 'upstream_cancelled' })
    other.check()
  })

  it('[R-5] an approval that is decided kills the paths of the other decisions', () => {
    const run = new EngineRun({
      nodes: [
        gate('g'),
        noop('yes', 'event:g.approved'),
        noop('no', 'event:g.rejected'),
        noop('late', 'event:g.timeout'),
      ],
    })
    const types = run.event('external.g.approved')
    expect(types).toEqual(expect.arrayContaining(['yes.started', 'no.skipped', 'late.skipped']))
    run.drain().check()
  })
})
