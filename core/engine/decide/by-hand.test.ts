import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, compiled, failing, gate, heavy, noop, set } from '@/testing/engine-run'
import { person } from '@/testing/person'
import type { JsonObject } from '@/core/engine/event'
import { emptyState } from '@/core/engine/state'
import { evolve } from '@/core/engine/fold/evolve'
import { explain } from '@/core/engine/view/explain'
import { viewOf } from '@/core/engine/view/project'
import { snapshotOf } from './fork'

const bob = person('bob', ['operator'])
const byHand = (node: string, outputs: JsonObject = {}) =>
  ({ type: 'complete_by_hand', node, outputs, reason: 'done in the console', actor: bob }) as const

describe('a node completed by hand', () => {
  const chain: ConstructorParameters<typeof EngineRun>[0] = {
    outputs: { twice: { value: '{{ b.result * 2 }}' } },
    nodes: [
      set('a', { v: 1 }),
      heavy('b', 'event:a.completed', { retry: { maxAttempts: 2, delay: '1m' } }),
      noop('c', 'event:b.completed'),
      noop('clean', 'event:pipeline.completed', { finally: true }),
    ],
  }

  it('[R-94] [R-64] resets what followed it and completes it in one commit, with the actor and the reason', () => {
    const run = new EngineRun(chain)
    run.complete('a', { v: 1 })
    run.fail('b')
    run.pass(60_000)
    run.fail('b')
    run.drain().check()
    expect(run.state.lifecycle).toBe('FAILED')
    expect(run.take(byHand('b', { result: 21 }))).toEqual([
      'pipeline.restarted',
      'b.reset',
      'c.reset',
      'clean.reset',
      'b.started',
      'b.completed',
      'pipeline.scheduled',
      'pipeline.started',
      'c.started',
      'c.task.started',
    ])
    expect(run.entries.findLast(({ event }) => event.type === 'b.completed')?.event).toMatchObject({
      generation: 2,
      actor: 'bob',
      actor_id: bob.id,
      payload: { by_hand: { reason: 'done in the console' }, outputs: { result: 21 } },
    })
    run.drain().check()
    expect(viewOf(run.state, run.now)).toMatchObject({
      status: 'completed',
      generation: 2,
      outputs: { twice: 42 },
      nodes: {
        a: { by_hand: null },
        b: {
          status: 'completed',
          error: null,
          by_hand: { actor: 'bob', actor_id: bob.id, reason: 'done in the console' },
        },
      },
    })
    expect(explain(run.state, 'b').summary).toBe('b was completed by hand by bob: done in the console')
    expect(run.state.requesters.map(({ name }) => name)).toEqual(['ada', 'bob'])
  })

  it.each([false, true])(
    '[R-94] [R-70] still handles what its own run was there to handle (failFast: %s)',
    (failFast) => {
      const run = new EngineRun({
        policy: { failFast },
        nodes: [failing('a'), heavy('fix', 'event:a.failed'), noop('after', 'event:fix.completed')],
      })
      run.fail('a')
      run.fail('fix')
      run.drain().check()
      expect(run.state.lifecycle).toBe('FAILED')
      run.take(byHand('fix', { result: 1 }))
      expect(run.payload('fix.started')['gate']).toEqual({ events: ['a.failed'], conditions: [] })
      run.drain().check()
      expect(viewOf(run.state, run.now)).toMatchObject({ status: 'completed', handled_failures: 1 })
    },
  )

  it('[R-94] ends the wait for a retry of a run that goes on; what runs beside it goes on', () => {
    const run = new EngineRun({ ...chain, nodes: [...chain.nodes, heavy('side')] })
    run.begin('side')
    run.complete('a', { v: 1 })
    run.fail('b')
    expect(run.node('b').status).toBe('retrying')
    expect(run.take(byHand('b', { result: 1 }))).toEqual([
      'pipeline.restarted',
      'b.reset',
      'c.reset',
      'clean.reset',
      'b.started',
      'b.completed',
      'c.started',
      'c.task.started',
    ])
    expect(run.state.timers.next()).toBeUndefined()
    expect(run.attempt('side').generation).toBe(1)
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-94] ends the wait of a due retry for a slot, and stays with a run that waits to be admitted', () => {
    const queued = new EngineRun({ nodes: [chain.nodes[0]!, chain.nodes[1]!] }, { slots: 1 })
    queued.complete('a', { v: 1 })
    queued.fail('b')
    queued.take({ type: 'pause', reason: null, hard: false, actor: ada })
    queued.pass(60_000)
    expect(queued.node('b').status).toBe('queued')
    queued.take(byHand('b', { result: 1 }))
    queued.check()
    expect(queued.state.lifecycle).toBe('COMMIT')

    let free = true
    const waits = new EngineRun(
      { nodes: [failing('x'), noop('y', 'event:x.completed')] },
      { admitRun: () => (free ? 'free' : 'wait') },
    )
    waits.drain()
    free = false
    waits.take(byHand('x'))
    expect(waits.state.lifecycle).toBe('PENDING')
    expect(waits.node('x').status).toBe('completed')
    free = true
    waits.take({ type: 'schedule' })
    waits.drain().check()
    expect(waits.state.lifecycle).toBe('COMMIT')
  })

  it('[R-94] what follows its start is done again too', () => {
    const run = new EngineRun({ nodes: [failing('bad'), noop('watch', 'event:bad.started')] })
    run.drain()
    run.take(byHand('bad'))
    run.drain().check()
    expect(run.node('watch')).toMatchObject({ status: 'completed', generation: 2 })
  })

  it('[R-94] its handlers are undone, and what its failure had stopped goes on', () => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [
        failing('bad'),
        noop('handler', 'event:bad.failed'),
        heavy('slow'),
        noop('stopped', 'event:slow.completed'),
      ],
    })
    run.drain().check()
    expect(run.node('stopped')).toMatchObject({ status: 'skipped', reason: 'fail_fast' })
    run.take(byHand('bad'))
    run.drain().check()
    expect(run.node('handler')).toMatchObject({ status: 'skipped' })
    expect(run.node('stopped').status).toBe('completed')
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-65] [R-94] approvals after it ask again; their question and their evidence name it', () => {
    const run = new EngineRun({
      nodes: [
        failing('bad', S, { allowFailure: true }),
        noop('between', 'event:bad.completed || event:bad.failed'),
        gate('g', {}, 'event:between.completed'),
        noop('after', 'event:g.approved'),
      ],
    })
    run.drain()
    run.event('external.g.approved')
    run.drain().check()
    run.take(byHand('bad'))
    run.drain()
    expect(run.node('g')).toMatchObject({ status: 'waiting', approval: { votes: [], byHand: ['bad'] } })
    expect(run.payload('g.waiting')).toMatchObject({ by_hand: ['bad'] })
    run.event('external.g.approved')
    run.drain().check()
    expect(run.payload('g.approved')).toMatchObject({ approver: 'ada', by_hand: ['bad'] })
  })

  it('[R-94] [R-78] a fork knows it', () => {
    const run = new EngineRun({ nodes: [failing('bad'), noop('after', 'event:bad.completed')] })
    run.drain()
    run.take(byHand('bad'))
    run.drain()
    const snapshot = snapshotOf(run.state, run.state.pipeline, { newInputs: false })
    const copy = new EngineRun(run.state.pipeline.definition, {
      origin: { executionId: 'x1', seq: run.state.seq, snapshot },
    })
    expect(viewOf(copy.state, copy.now).nodes['bad']?.by_hand).toMatchObject({ actor: 'bob' })
    const replay = emptyState('x1', copy.state.pipeline)
    for (const entry of copy.entries) evolve(replay, entry)
    expect(replay.nodes.get('bad')).toEqual(copy.state.nodes.get('bad'))
  })

  it('[R-94] takes outputs that fit the contract of the node, and says all that does not', () => {
    const run = new EngineRun({
      nodes: [
        heavy('typed', S, { task: 'shell', inputBindings: { command: ['false'] } }),
        heavy('named', S, { outputVariables: { rows: '{{ result.result }}' } }),
        heavy('list', S, { forEach: { items: [1, 2], allowFailures: false } }),
        failing('none'),
      ],
    })
    for (const id of ['typed', 'named', 'list/0', 'list/1']) run.fail(id)
    run.drain()
    const issues = (node: string, outputs: JsonObject) => {
      const refused = run.refusal(byHand(node, outputs))
      expect(refused.code).toBe('invalid_outputs')
      return refused.issues?.map(({ path, code }) => `${path.join('.')}: ${code}`)
    }
    const shell = { exit_code: 0, stdout: '', stderr: '', artifacts: [] }
    expect(issues('typed', { ...shell, exit_code: '0', artifact: [] })).toEqual([
      'outputs.artifact: unknown_output',
      'outputs.exit_code: invalid_type',
    ])
    expect(issues('typed', { exit_code: 0 })).toEqual([
      'outputs.stdout: missing_output',
      'outputs.stderr: missing_output',
      'outputs.artifacts: missing_output',
    ])
    expect(issues('named', { result: 1 })).toEqual([
      'outputs.result: unknown_output',
      'outputs.rows: missing_output',
    ])
    expect(issues('list', { result: 1 })).toEqual(['outputs.result: invalid_type'])
    for (const result of [[], ['x'], [1, 2, 3]])
      expect(issues('list', { result })).toEqual(['outputs.result: invalid_length'])
    expect(issues('none', { constructor: 1 })).toEqual(['outputs.constructor: unknown_output'])
    run.take(byHand('typed', { ...shell, stdout: null }))
    run.take(byHand('named', { rows: [1, 2] }))
    run.take(byHand('list', { result: ['x', 'y'] }))
    run.take(byHand('none'))
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.value('list.result')).toEqual(['x', 'y'])
  })

  it('[R-65] [R-94] stands for no approval and no event of the outside, at no depth; for nothing else than a failure', () => {
    const sub = compiled({ id: 'sub', outputs: { o: { value: '1' } }, nodes: [gate('inner')] })
    const plain = compiled({ id: 'plain', outputs: { o: { value: '1' } }, nodes: [noop('n')] })
    const run = new EngineRun({
      nodes: [
        gate('g'),
        failing('bad'),
        noop('good'),
        { id: 'runs_sub', pipeline: 'sub', startWhen: S },
        { id: 'runs_plain', pipeline: 'plain', startWhen: S },
        failing('clean', 'event:pipeline.failed', { finally: true }),
      ],
    })
    run.event('external.g.rejected')
    for (const id of ['runs_sub', 'runs_plain']) run.fail(id, { kind: 'child_failed' })
    run.drain()
    expect(run.state.closedAt).not.toBeNull()
    const subPipelines = new Map([
      ['sub', sub],
      ['plain', plain],
    ])
    const why = (node: string, outputs: JsonObject = {}) => {
      const { code, message } = run.refusal({ ...byHand(node, outputs), subPipelines })
      return `${code}: ${message}`
    }
    expect(why('g')).toMatch(/^not_completable: .*approval/)
    expect(why('runs_sub', { o: 1 })).toMatch(/^not_completable: .*the approval 'inner'/)
    expect(why('good')).toMatch(/^not_completable: .*completed/)
    expect(why('clean')).toMatch(/^not_completable: .*rerun/)
    expect(why('god')).toMatch(/^unknown_node/)
    expect(why('runs_plain', {})).toMatch(/^invalid_outputs: .*'o'/)
    run.take({ ...byHand('runs_plain', { o: 1 }), subPipelines })
    run.check()
  })
})
