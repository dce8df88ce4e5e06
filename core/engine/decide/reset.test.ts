import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, compiled, failing, gate, heavy, noop, set, wait } from '@/testing/engine-run'
import { explain } from '@/core/engine/view/explain'
import { viewOf } from '@/core/engine/view/project'
import type { Rerun } from '@/core/engine/input'
import { closureOf, resetSetOf } from './reset'
import { ruleOf } from '@/core/engine/event-table'
import { SUPERSEDED_BY_RESTART, isSuperseded, supersedersOf } from '@/core/engine/fold/superseded'

const cancel = { type: 'cancel', reason: null, actor: ada } as const
const again = (nodes: Rerun) => ({ type: 'rerun', nodes, actor: ada }) as const
const finallyNode = (id: string, startWhen: string, more: object = {}) =>
  noop(id, startWhen, { finally: true, ...more })
const setOf = (run: EngineRun, nodes: Rerun) => {
  const found = resetSetOf(run.state, nodes)
  if (!found.ok) throw new Error(found.rejection.message)
  return found.nodes
}

describe('what a rerun resets', () => {
  it('[R-64] the nodes named, and whatever reads them: in a gate, a condition, a binding, an output or a list', () => {
    const pipeline = compiled({
      nodes: [
        set('a', { v: 1 }),
        noop('by_event', 'event:a.failed'),
        noop('by_condition', `${S} && {{ a.v > 0 }}`),
        set('by_binding', { v: '{{ a.v }}' }),
        noop('by_output', S, { outputVariables: { v: '{{ a.v }}' } }),
        noop('by_list', S, { forEach: { items: '{{ [a.v] }}' } }),
        noop('later', 'event:by_output.completed || event:other.completed'),
        noop('other'),
        noop('after_other', 'event:other.completed'),
        finallyNode('clean', 'event:pipeline.completed'),
      ],
    })
    expect(closureOf(pipeline, ['a'])).toEqual([
      'a',
      'by_event',
      'by_condition',
      'by_binding',
      'by_output',
      'by_list',
      'later',
      'clean',
    ])
    expect(closureOf(pipeline, ['later'])).toEqual(['later', 'clean'])
    expect(closureOf(pipeline, [])).toEqual(['clean'])
  })

  it('[R-64] "failed" is what failed, was cancelled, or was skipped because of either, with what follows', () => {
    const failed = new EngineRun({
      policy: { failFast: true },
      nodes: [
        noop('ok'),
        wait('slow', '1s'),
        failing('bad', 'event:ok.completed'),
        noop('n', 'event:bad.completed'),
        noop('stopped', 'event:slow.completed'),
      ],
    })
    failed.drain()
    failed.pass(1000)
    failed.drain().check()
    expect(failed.node('stopped')).toMatchObject({ status: 'skipped', reason: 'fail_fast' })
    expect(setOf(failed, 'failed')).toEqual(['bad', 'n', 'stopped'])

    const cancelled = new EngineRun({
      nodes: [noop('ok'), wait('slow', '1s'), noop('n', 'event:slow.completed')],
    })
    cancelled.drain()
    cancelled.take(cancel)
    expect(cancelled.state.lifecycle).toBe('CANCELLED')
    expect(setOf(cancelled, 'failed')).toEqual(['slow', 'n'])
  })

  it('[R-64] a rerun of failures where nothing failed, of nodes that are not there, or during a cancel is refused', () => {
    const run = new EngineRun({ nodes: [noop('extract'), heavy('slow')] })
    run.complete('extract')
    expect(run.refusal(again('failed')).code).toBe('nothing_to_rerun')
    expect(run.refusal(again(['extract', 'extrat', 'zzz']))).toMatchObject({
      code: 'unknown_node',
      issues: [
        { path: ['nodes', 1], message: "there is no node 'extrat'", hint: 'did you mean extract?' },
        { path: ['nodes', 2], message: "there is no node 'zzz'" },
      ],
    })
    run.take(cancel)
    expect(run.refusal(again(['extract'])).code).toBe('execution_finished')
    run.fail('slow', { kind: 'cancelled' })
    expect(run.take(again(['extract']))[0]).toBe('pipeline.restarted')
  })
})

describe('a rerun', () => {
  it('[R-54] [R-63] [R-64] begins a run that is over again, in one commit, under the next generation', () => {
    const run = new EngineRun({
      outputs: { twice: { value: '{{ a.v * 2 }}' } },
      nodes: [
        set('a', { v: 2 }),
        failing('b', 'event:a.completed'),
        finallyNode('clean', 'event:pipeline.failed'),
      ],
    })
    run.drain().check()
    const { createdAt } = run.state
    run.now += 60_000
    expect(run.take(again(['b']))).toEqual([
      'pipeline.restarted',
      'b.reset',
      'clean.reset',
      'pipeline.scheduled',
      'pipeline.started',
      'b.started',
      'b.task.started',
    ])
    expect(run.entries.findLast(({ event }) => event.type === 'pipeline.restarted')?.event).toMatchObject({
      generation: 2,
      actor: 'ada',
      payload: { nodes: ['b'] },
    })
    expect(viewOf(run.state, run.now)).toMatchObject({
      status: 'running',
      lifecycle: 'EXECUTING',
      generation: 2,
      error: null,
      finished_at: null,
      closed_at: null,
      nodes: {
        a: { status: 'completed', outputs: { v: 2 } },
        b: { status: 'running' },
        clean: { status: 'pending' },
      },
    })
    expect(run.state.createdAt).toBe(createdAt)
    expect(run.state.startedAt).toBe(run.now)
    expect(run.attempt('b')).toMatchObject({ generation: 2, attempt: 1, token: 3 })
    expect(run.node('a').generation).toBe(1)
    run.complete('b')
    run.drain().check()
    expect(viewOf(run.state, run.now)).toMatchObject({ status: 'completed', outputs: { twice: 4 } })
    expect(run.node('clean')).toMatchObject({ status: 'skipped', generation: 2 })
  })

  it('[R-63] [R-64] of nodes of a run that goes on ends what they are at; a late result of theirs is stale', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), heavy('b'), heavy('c', 'event:a.completed')],
    })
    const late = run.attempt('a')
    const types = run.take(again(['a']))
    expect(types).toEqual(['pipeline.restarted', 'a.reset', 'c.reset', 'a.started', 'a.task.started'])
    expect(run.state.lifecycle).toBe('EXECUTING')
    expect(run.state.touched.has('a')).toBe(true)
    expect(run.refusal({ type: 'complete_attempt', key: late, outputs: {} }).code).toBe('stale_attempt')
    expect(run.attempt('a').token).toBeGreaterThan(late.token + 1)
    expect(run.attempt('b').generation).toBe(1)
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-64] supersedes the decisions of reset approvals and hides their variables; other external events keep counting', () => {
    const run = new EngineRun({
      nodes: [
        gate('g'),
        noop('after', 'event:g.approved && event:external.ready'),
        noop('early', 'event:external.ready'),
      ],
    })
    run.event('external.ready')
    run.event('external.g.approved', { comment: 'fine' })
    run.drain().check()
    expect(run.value('g.approver')).toBe('ada')
    run.take(again(['g']))
    expect(run.state.events.has('external.g.approved')).toBe(false)
    expect(run.state.events.has('g.approved')).toBe(false)
    expect(run.state.events.has('external.ready')).toBe(true)
    expect(run.value('g.approver')).toBeUndefined()
    expect(run.node('g')).toMatchObject({ status: 'waiting', approval: { votes: [] } })
    expect(run.node('early')).toMatchObject({ status: 'completed', generation: 1 })
    expect(explain(run.state, 'after').start_when.terms.map((term) => term.truth)).toEqual([
      'pending',
      'true',
    ])
    run.event('external.g.approved')
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-64] [R-57] takes external events again once a run that was over goes on', () => {
    const run = new EngineRun({
      nodes: [noop('a', 'event:external.go'), noop('b', 'event:external.more', { startTimeout: '1s' })],
    })
    run.event('external.go')
    run.drain()
    run.pass(1000)
    const publish = { type: 'publish_event', eventType: 'external.more', payload: {}, actor: ada } as const
    expect(run.refusal(publish).code).toBe('execution_finished')
    run.take(again(['b']))
    expect(run.node('b').status).toBe('pending')
    run.take(publish)
    run.drain().check()
    expect(run.node('b').status).toBe('completed')
  })

  it('[R-70] [R-11] derives handlers, the first failure and warnings anew', () => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [
        failing('bad'),
        failing('worse', 'event:bad.failed'),
        finallyNode('clean', 'event:pipeline.failed', { task: 'fail', inputBindings: { message: 'no' } }),
      ],
    })
    run.drain().check()
    expect(run.state).toMatchObject({ firstFailure: 'bad', warnings: ['clean failed: no'] })
    run.take(again(['worse']))
    expect(run.state).toMatchObject({ firstFailure: 'bad', warnings: [], error: null })
    expect([...run.state.handlers]).toEqual([['bad', ['worse']]])
    run.complete('worse')
    run.drain().check()
    expect(run.state).toMatchObject({ lifecycle: 'COMMIT', warnings: [] })
    run.take(again(['bad']))
    expect(run.state.firstFailure).toBeNull()
    expect([...run.state.handlers]).toEqual([])
    run.complete('bad')
    run.drain().check()
    expect(run.state).toMatchObject({ lifecycle: 'COMMIT', firstFailure: null })
  })

  it('[R-55] [R-72] ends items, their timers and their variables', () => {
    const run = new EngineRun({
      nodes: [
        heavy('each', S, {
          forEach: { items: [1, 2, 3], concurrency: 2 },
          retry: { maxAttempts: 2, delay: '5s' },
        }),
        wait('sleep', '1m'),
        gate('g', { timeout: '1h' }),
      ],
    })
    run.complete('each/0', { result: 'one' })
    run.fail('each/1')
    expect(run.state.variables.has('each/0.result')).toBe(true)
    const bytes = run.state.variableBytes
    run.take(again(['each', 'sleep', 'g']))
    expect(run.state.variables.has('each/0.result')).toBe(false)
    expect(run.state.variableBytes).toBeLessThan(bytes)
    expect(run.state.timers.get('retry', 'each', 1)).toBeUndefined()
    expect(run.state.timers.get('wait', 'sleep')?.dueAt).toBe(run.now + 60_000)
    for (const item of [0, 1, 2]) run.complete(`each/${item}`, { result: item })
    run.event('external.g.approved')
    run.pass(60_000)
    run.check()
    expect(run.value('each.result')).toEqual([0, 1, 2])
  })

  it('[R-55] [R-64] reads the list of a forEach anew', () => {
    const run = new EngineRun({
      nodes: [
        heavy('rows'),
        set('each', { v: '{{ item }}' }, 'event:rows.completed', { forEach: { items: '{{ rows.result }}' } }),
      ],
    })
    run.complete('rows', { result: [1, 2] })
    run.drain()
    expect(run.value('each.v')).toEqual([1, 2])
    run.take(again(['rows']))
    run.complete('rows', { result: [3, 4, 5] })
    run.drain().check()
    expect(run.value('each.v')).toEqual([3, 4, 5])
  })

  it('[R-64] keeps a pause of a run that goes on; what is reset waits for the resume', () => {
    const run = new EngineRun({ nodes: [noop('a'), heavy('b')] })
    run.complete('a')
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    expect(run.take(again(['a']))).toEqual(['pipeline.restarted', 'a.reset'])
    run.take({ type: 'resume', actor: ada })
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-63] [R-72] arms the deadline of the run anew', () => {
    const run = new EngineRun({ policy: { timeout: '10s' }, nodes: [failing('a'), wait('b', '1m')] })
    run.drain()
    run.pass(10_000)
    expect(run.state).toMatchObject({ lifecycle: 'FAILED', error: { kind: 'timeout' } })
    run.now += 60_000
    expect(setOf(run, 'failed')).toEqual(['a', 'b'])
    run.take(again('failed'))
    expect(run.payload('pipeline.restarted')).toMatchObject({ nodes: 'failed' })
    expect(run.state.timers.get('run', '')?.dueAt).toBe(run.now + 10_000)
    run.drain()
    run.pass(10_000)
    run.check()
    expect(run.state).toMatchObject({ lifecycle: 'FAILED', error: { kind: 'timeout' } })
  })

  it('[R-63] [R-68] is admitted as a new run is, but not asked again while it counts as running', () => {
    let answer: 'free' | 'wait' | 'refuse' = 'free'
    const run = new EngineRun(
      { policy: { maxRunning: 1, timeout: '10s' }, nodes: [noop('a')] },
      { admitRun: () => answer },
    )
    answer = 'refuse'
    expect(run.take(again(['a']))).toContain('a.started')
    run.drain()
    const startedAt = run.value('system.started_at')
    expect(run.refusal(again(['a'])).code).toBe('too_many_running')
    answer = 'wait'
    expect(run.take(again(['a']))).toEqual(['pipeline.restarted', 'a.reset'])
    expect(viewOf(run.state, run.now)).toMatchObject({ status: 'pending', started_at: null, closed_at: null })
    // Its deadline does not run before it does; another rerun changes nothing of where it stands.
    expect(run.pass(60_000)).toEqual([])
    expect(run.take(again(['a']))).toEqual(['pipeline.restarted', 'a.reset'])
    answer = 'free'
    expect(run.take({ type: 'schedule' }).slice(0, 3)).toEqual([
      'pipeline.scheduled',
      'pipeline.started',
      'a.started',
    ])
    expect(run.state.timers.get('run', '')?.dueAt).toBe(run.now + 10_000)
    expect(run.value('system.started_at')).toBe(startedAt)
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-63] leaves a run waiting that was never admitted', () => {
    let answer: 'free' | 'wait' = 'wait'
    const run = new EngineRun({ policy: { maxRunning: 1 }, nodes: [noop('a')] }, { admitRun: () => answer })
    expect(run.take(again(['a']))).toEqual(['pipeline.restarted', 'a.reset'])
    expect(run.state.lifecycle).toBe('PENDING')
    run.now += 1_000
    answer = 'free'
    run.take({ type: 'schedule' })
    expect(run.value('system.started_at')).toBe('2026-01-01T00:00:01.000Z')
    run.drain().check()
  })

  it('[R-68] resets finally nodes also while they run', () => {
    const run = new EngineRun({
      nodes: [
        noop('a'),
        finallyNode('clean', 'event:pipeline.completed', {
          task: 'script.javascript',
          inputBindings: { code: 'return 1' },
        }),
      ],
    })
    run.complete('a')
    const late = run.attempt('clean')
    run.take(again(['a']))
    expect(run.node('clean')).toMatchObject({ status: 'pending', generation: 2 })
    expect(run.refusal({ type: 'complete_attempt', key: late, outputs: {} }).code).toBe('stale_attempt')
    run.drain().check()
    expect(run.count('pipeline.closed')).toBe(1)
    expect(run.count('pipeline.completed')).toBe(2)
  })
})

describe('what is superseded', () => {
  it('[R-54] is the same in the state and by the rule for lists', () => {
    const run = new EngineRun({
      nodes: [
        gate('g'),
        noop('a', 'event:g.approved || event:external.x'),
        finallyNode('clean', 'event:pipeline.completed'),
      ],
    })
    run.event('external.x')
    run.event('external.g.approved')
    run.drain()
    run.take(again(['g']))
    const events = run.entries.map(({ event }) => event)
    const latest = supersedersOf(events)
    const counting = new Set(events.filter((event) => !isSuperseded(event, latest)).map(({ type }) => type))
    expect([...run.state.events.keys()].toSorted()).toEqual([...counting].toSorted())
  })

  it('names only events that there are', () => {
    for (const type of SUPERSEDED_BY_RESTART) expect(ruleOf(type), type).toBeDefined()
  })
})
