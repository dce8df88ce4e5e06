import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, gate, heavy, noop, set, wait } from '@/testing/engine-run'
import { viewOf } from './view/project'
import { scopeOf } from './decide/scope'

const cancel = { type: 'cancel', reason: 'enough', actor: ada } as const

describe('the outcome of a run', () => {
  it('[G-6][N-4][G-7] starting creates and runs in one step; system and input variables are there from the first entry', () => {
    const run = new EngineRun({
      nodes: [noop('a')],
      inputs: { n: { type: 'number', default: 4 }, o: { type: 'string', required: false } },
    })
    expect(run.types.slice(0, 5)).toEqual([
      'pipeline.created',
      'pipeline.scheduled',
      'pipeline.started',
      'a.started',
      'a.task.started',
    ])
    const first = new Map(run.entries[0]!.variables.map((write) => [write.name, write.value]))
    expect(first.get('pipeline.input.n')).toBe(4)
    expect(first.get('pipeline.input.o')).toBe(null)
    expect(first.get('system.execution_id')).toBe('x1')
    expect(first.get('system.started_at')).toBe('2026-01-01T00:00:00.000Z')
    run.drain().check()
    expect(viewOf(run.state, run.now)).toMatchObject({ status: 'completed', lifecycle: 'COMMIT' })
  })

  it('[R-36][H-12] outputs are evaluated at the end, through VERIFYING; a missing required one fails the run', () => {
    const run = new EngineRun({
      nodes: [set('a', { n: 2 }), noop('b', 'event:a.failed')],
      outputs: { twice: { value: '{{ a.n * 2 }}', required: true }, never: { value: '{{ b.x }}' } },
    } as never)
    run.drain().check()
    expect(run.types.slice(-3)).toEqual(['pipeline.verifying', 'pipeline.completed', 'pipeline.closed'])
    expect(viewOf(run.state, run.now).outputs).toEqual({ twice: 4, never: null })
    const missing = new EngineRun({
      nodes: [failing('a', S, { allowFailure: true }), set('b', { x: 1 }, 'event:a.completed')],
      outputs: { out: { value: '{{ b.x }}', required: true } },
    })
    missing.drain().check()
    expect(missing.types.slice(-3)).toEqual(['pipeline.verifying', 'pipeline.failed', 'pipeline.closed'])
    expect(missing.state.error).toMatchObject({ kind: 'variable_not_found' })
  })

  it('[R-11][R-53] an unhandled failure lets everything else run to its end, then fails the run', () => {
    const run = new EngineRun({ nodes: [failing('a'), noop('n', 'event:a.completed'), wait('slow', '1s')] })
    run.drain()
    expect(run.state.finishedAt).toBe(null)
    run.pass(1000)
    run.check()
    expect(run.node('slow').status).toBe('completed')
    expect(run.state).toMatchObject({
      lifecycle: 'FAILED',
      error: { kind: 'task_failed', message: 'a failed: no' },
    })
    expect(run.payload('pipeline.failed')).toMatchObject({ failed_nodes: ['a'] })
  })

  it('[R-70][R-11] a failure is handled by a node that started because of it; the handler’s own failure is its own', () => {
    const handled = new EngineRun({ nodes: [failing('a'), noop('fix', 'event:a.failed')] })
    handled.drain().check()
    expect(handled.state.lifecycle).toBe('COMMIT')
    const worse = new EngineRun({ nodes: [failing('a'), failing('fix', 'event:a.failed')] })
    worse.drain().check()
    expect(worse.state.lifecycle).toBe('FAILED')
    expect(worse.payload('pipeline.failed')).toMatchObject({ failed_nodes: ['fix'] })
  })

  it('[R-70][R-66] a node that handles a failure can read the error, and branch on it', () => {
    const run = new EngineRun({
      nodes: [
        failing('a'),
        set('tell', { text: "{{ 'lost: ' + a.error.message }}" }, 'event:a.failed'),
        noop('retry_later', "event:a.failed && {{ a.error.kind == 'timeout' }}"),
        noop('give_up', "event:a.failed && {{ a.error.kind == 'task_failed' }}"),
      ],
      outputs: { why: { value: '{{ a.error.kind }}' } },
    })
    run.drain().check()
    expect(run.state.variables.get('tell.text')?.value).toBe('lost: no')
    expect(run.node('retry_later').status).toBe('skipped')
    expect(run.node('give_up').status).toBe('completed')
    expect(viewOf(run.state, run.now).outputs).toEqual({ why: 'task_failed' })
    run.take({ type: 'rerun', nodes: ['a'], actor: ada })
    expect(scopeOf(run.state).lookup('a.error')).toBe(undefined)
  })

  it('[G-8] a failure that came after a node had started is not in what it resolves its input from', () => {
    const run = new EngineRun({ nodes: [noop('a'), failing('b', 'event:a.completed')] })
    run.drain().check()
    const failedAt = run.state.events.get('b.failed')!
    expect(scopeOf(run.state, { upTo: failedAt }).lookup('b.error')?.value).toMatchObject({ message: 'no' })
    expect(scopeOf(run.state, { upTo: failedAt - 1 }).lookup('b.error')).toBe(undefined)
    expect(scopeOf(run.state).lookup('a.error')).toBe(undefined)
  })

  it('[R-70] a node that started for another reason handles nothing', () => {
    const run = new EngineRun({
      nodes: [
        noop('ok'),
        wait('w', '1s'),
        failing('a', 'event:w.completed'),
        noop('j', 'event:ok.completed || event:a.failed'),
      ],
    })
    run.drain().pass(1000)
    run.drain().check()
    expect(run.node('j').status).toBe('completed')
    expect(run.state.lifecycle).toBe('FAILED')
  })

  it('[R-53] allowFailure: the failure does not fail the run', () => {
    const run = new EngineRun({ nodes: [failing('a', S, { allowFailure: true })] })
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.node('a').status).toBe('failed')
  })

  it('[R-11][R-53][R-82] failFast: nothing new starts, siblings end, the rest is skipped', () => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [
        failing('a'),
        heavy('sibling'),
        noop('next', 'event:sibling.completed'),
        noop('later', 'event:next.completed'),
      ],
    })
    run.fail('a')
    expect(run.node('next')).toMatchObject({ status: 'skipped', reason: 'fail_fast', cause: 'a' })
    expect(run.node('later').status).toBe('skipped')
    expect(run.state.finishedAt).toBe(null)
    run.complete('sibling')
    run.check()
    expect(run.node('sibling').status).toBe('completed')
    expect(run.state.lifecycle).toBe('FAILED')
  })

  it('[R-70][R-53] failFast: handlers still run, and handle only when they complete', () => {
    const nodes = [failing('a'), heavy('fix', 'event:a.failed'), noop('other', 'event:fix.completed')]
    const run = new EngineRun({ policy: { failFast: true }, nodes })
    run.fail('a')
    expect(run.node('fix').status).toBe('running')
    expect(run.node('other')).toMatchObject({ status: 'skipped', reason: 'fail_fast' })
    run.complete('fix')
    run.check()
    expect(run.state.lifecycle).toBe('COMMIT')
    const bad = new EngineRun({ policy: { failFast: true }, nodes })
    bad.fail('a')
    bad.fail('fix')
    bad.check()
    expect(bad.state.lifecycle).toBe('FAILED')
    expect(bad.payload('pipeline.failed')).toMatchObject({ failed_nodes: ['a', 'fix'] })
  })

  it('[R-70] a failure that comes while its handler waits for a slot is handled: it had happened when the handler started', () => {
    const nodes = [heavy('a'), heavy('h', 'event:a.started || event:a.failed')]
    for (const failFast of [false, true]) {
      const run = new EngineRun({ policy: { failFast }, nodes }, { slots: 1 })
      expect(run.node('h').status).toBe('queued')
      run.fail('a')
      expect(run.payload('h.started')).toMatchObject({ gate: { events: ['a.started', 'a.failed'] } })
      run.drain().check()
      expect(run.state.lifecycle).toBe('COMMIT')
    }
  })

  it('[R-72] a clock that was set back makes no duration negative', () => {
    const run = new EngineRun({ nodes: [heavy('a'), gate('g', {}, 'event:a.completed'), wait('w', '1h')] })
    run.now -= 1_000
    run.complete('a')
    run.now -= 1_000
    run.event('external.g.approved')
    run.take({ type: 'cancel', reason: null, actor: ada })
    run.check()
    for (const { event } of run.entries) expect(event.payload['duration_ms'] ?? 0, event.type).toBe(0)
  })

  it('failFast: what waits for a slot does not start any more', () => {
    const run = new EngineRun({ policy: { failFast: true }, nodes: [heavy('a'), heavy('b')] }, { slots: 1 })
    expect(run.node('b').status).toBe('queued')
    run.fail('a')
    run.check()
    expect(run.node('b')).toMatchObject({ status: 'skipped', reason: 'fail_fast' })
  })

  it('[R-56][R-35][R-68] finally nodes run after the outcome, see it, and cannot change it', () => {
    const run = new EngineRun({
      nodes: [
        noop('a'),
        failing('clean', 'event:pipeline.completed || event:pipeline.failed', { finally: true }),
        noop('never', 'event:pipeline.failed', { finally: true }),
      ],
    })
    run.complete('a')
    expect(run.state.finishedAt).not.toBe(null)
    expect(run.state.closedAt).toBe(null)
    expect(
      run.refusal({ type: 'publish_event', eventType: 'external.x', payload: {}, actor: ada }),
    ).toMatchObject({ code: 'execution_finished' })
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.node('never').status).toBe('skipped')
    expect(viewOf(run.state, run.now).warnings).toEqual(['clean failed: no'])
    expect(run.types.at(-1)).toBe('pipeline.closed')
    expect(run.types.indexOf('clean.started')).toBeGreaterThan(run.types.indexOf('pipeline.completed'))
  })

  it('[R-68] a finally node has a timeout of ten minutes', () => {
    const run = new EngineRun({
      nodes: [noop('a'), heavy('clean', 'event:pipeline.completed', { finally: true })],
    })
    run.complete('a')
    run.begin('clean')
    expect(run.pass(599_999)).toEqual([])
    expect(run.pass(1)).toContain('clean.failed')
    run.check()
  })

  it('[R-69][G-14] cancel: evaluation stops, what is pending is skipped, what runs is stopped and awaited', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), noop('b', 'event:a.completed'), gate('g'), wait('w', '1h')],
    })
    const types = run.take(cancel)
    expect(types[0]).toBe('pipeline.cancelling')
    expect(run.node('b')).toMatchObject({ status: 'skipped', reason: 'pipeline_cancelled' })
    expect(run.node('g').status).toBe('cancelled')
    expect(run.node('w').status).toBe('cancelled')
    expect(run.attempt('a').stopping).toBe(true)
    expect(run.state.finishedAt).toBe(null)
    expect(run.fail('a', { kind: 'cancelled', message: 'killed' })).toEqual([
      'a.task.failed',
      'a.cancelled',
      'pipeline.cancelled',
      'pipeline.closed',
    ])
    run.check()
    expect(run.payload('pipeline.cancelled')).toMatchObject({ reason: 'enough' })
  })

  it('[R-69] cancelling again changes nothing; an ended run refuses', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take(cancel)
    expect(run.take(cancel)).toEqual([])
    run.fail('a', { kind: 'cancelled', message: 'killed' })
    expect(run.take(cancel)).toEqual([])
    const done = new EngineRun({ nodes: [noop('a')] }).drain()
    expect(done.refusal(cancel)).toMatchObject({
      code: 'execution_finished',
      message: 'the execution is over (completed) and cannot be cancelled',
    })
  })

  it('[R-69] work that completes while it is being cancelled is recorded as what it was', () => {
    const run = new EngineRun({ nodes: [heavy('a'), noop('b', 'event:a.completed')] })
    run.take(cancel)
    expect(run.complete('a', { result: 1 })).toEqual([
      'a.task.completed',
      'a.completed',
      'pipeline.cancelled',
      'pipeline.closed',
    ])
    run.check()
    expect(run.node('b').status).toBe('skipped')
  })

  it('[R-63] the lifecycle of a cancelled run ends in CANCELLED', () => {
    const run = new EngineRun({ nodes: [wait('a', '1h')] })
    run.take(cancel)
    run.check()
    expect(run.state.lifecycle).toBe('CANCELLED')
    expect(viewOf(run.state, run.now).status).toBe('cancelled')
  })

  it('[R-25] every lifecycle has a word for people', () => {
    const run = new EngineRun({ nodes: [gate('g')] })
    expect(viewOf(run.state, run.now).status).toBe('waiting')
    run.take({ type: 'publish_event', eventType: 'external.g.approved', payload: {}, actor: ada })
    expect(viewOf(run.state, run.now).status).toBe('completed')
  })

  it('a node may have the name of a member of every object', () => {
    const run = new EngineRun({ nodes: [heavy('constructor')] })
    run.complete('constructor')
    expect(run.node('constructor').status).toBe('completed')
  })

  it('mocks replace the work of a node, its outcome and its outputs', () => {
    const run = new EngineRun(
      { nodes: [heavy('a'), set('b', { v: '{{ a.result + 1 }}' }, 'event:a.completed'), heavy('c')] },
      { mocks: { a: { outputs: { result: 41 } }, c: { error: { message: 'boom' } } }, slots: 0 },
    )
    expect(run.payload('a.started')).toMatchObject({ mocked: true })
    expect(run.node('c')).toMatchObject({ status: 'failed', error: { kind: 'task_failed', message: 'boom' } })
    run.drain().check()
    expect(run.value('b.v')).toBe(42)
  })
})
