import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, noop, type NodeSpec } from '@/testing/engine-run'
import { viewOf } from './view/project'
import type { EngineInput } from './input'

/** Work in a child process that a task of its own undoes. */
const work = (id: string, startWhen = S, more: object = {}): NodeSpec =>
  ({
    id,
    task: 'script.javascript',
    inputBindings: { code: 'return 1' },
    startWhen,
    rollback: { task: 'log', inputBindings: { message: `undo {{ ${id}.result }}` } },
    ...more,
  }) as NodeSpec

/** a, then b and c, then d. */
const diamond = (more: object = {}) => ({
  nodes: [
    work('a'),
    work('b', 'event:a.completed'),
    work('c', 'event:a.completed'),
    noop('between', 'event:b.completed'),
    work('d', 'event:between.completed && event:c.completed'),
  ],
  ...more,
})

const rollBack = (more: Partial<Extract<EngineInput, { type: 'roll_back' }>> = {}) =>
  ({
    type: 'roll_back',
    scope: 'execution',
    target: null,
    restart: false,
    reason: null,
    actor: ada,
    ...more,
  }) as const

/** Completes the work of nodes in flight, in the order named, each with its result. */
function complete(run: EngineRun, ...ids: string[]): EngineRun {
  for (const id of ids) {
    if (run.attempt(id).beginBy !== null) run.begin(id)
    run.complete(id, run.attempt(id).compensates ? {} : { result: `made by ${id}` })
    if (run.state.inFlight.has('between')) run.complete('between')
  }
  return run
}

const inFlight = (run: EngineRun) => [...run.state.inFlight.keys()].toSorted()
const done = (definition: ConstructorParameters<typeof EngineRun>[0]) =>
  complete(new EngineRun(definition), 'a', 'b', 'c', 'd')
const checks = [{ name: 'never', check: '{{ size(a.result) < 0 }}' }]

describe('a rollback that a person asks for', () => {
  it('[H-O7][R-63] compensates leaves first, in parallel where the graph allows, and ends as rolled back', () => {
    const run = done(diamond())
    expect(run.state.lifecycle).toBe('COMMIT')
    run.take(rollBack({ reason: 'wrong numbers' }))
    expect(run.payload('pipeline.rolling_back')).toEqual({
      trigger: 'manual',
      scope: 'execution',
      target: null,
      order: [['d'], ['c', 'b'], ['a']],
      irreversible: [],
      uncompensated: [],
      then: 'end',
      reason: 'wrong numbers',
    })
    expect(viewOf(run.state, run.now)).toMatchObject({ status: 'rolling_back', lifecycle: 'ROLLBACK' })
    expect(inFlight(run)).toEqual(['d'])
    expect(run.input('d')).toEqual({ message: 'undo made by d' })
    complete(run, 'd')
    expect(inFlight(run)).toEqual(['b', 'c'])
    complete(run, 'b')
    expect(inFlight(run)).toEqual(['c'])
    expect(viewOf(run.state, run.now).rollback?.steps['a']).toMatchObject({
      status: 'pending',
      waiting_for: 'waits until c is undone',
    })
    complete(run, 'c', 'a')
    run.check()
    expect(run.types.slice(-4)).toEqual([
      'a.rollback.completed',
      'a.rolled_back',
      'pipeline.rolled_back',
      'pipeline.closed',
    ])
    expect(viewOf(run.state, run.now)).toMatchObject({ status: 'rolled_back', lifecycle: 'ROLLBACK' })
    expect([...run.state.nodes].map(([id, { status }]) => [id, status])).toEqual([
      ['a', 'rolled_back'],
      ['b', 'rolled_back'],
      ['c', 'rolled_back'],
      ['between', 'completed'],
      ['d', 'rolled_back'],
    ])
  })

  it('[H-11][H-O5] a phase or a node is undone with all that follows it, and nothing else', () => {
    const run = done(diamond())
    run.take(rollBack({ scope: 'node', target: 'b' }))
    expect(run.payload('pipeline.rolling_back')).toMatchObject({ order: [['d'], ['b']] })
    complete(run, 'd', 'b')
    run.check()
    expect(run.node('a').status).toBe('completed')
    const phase = done({
      nodes: diamond().nodes.map((node) => ({ ...node, phase: node.id === 'a' ? 'one' : 'two' })),
    })
    phase.take(rollBack({ scope: 'phase', target: 'two' }))
    expect(phase.payload('pipeline.rolling_back')).toMatchObject({ order: [['d'], ['c', 'b']] })
    expect(run.refusal(rollBack({ scope: 'node', target: 'x' })).code).toBe('unknown_node')
    expect(run.refusal(rollBack({ scope: 'phase', target: 'x' })).code).toBe('unknown_phase')
  })

  it('[R-63][R-64] what was rolled back runs again under the next generation where that is asked for', () => {
    const run = done(diamond())
    run.take(rollBack({ scope: 'node', target: 'd', restart: true }))
    const { generation } = run.state
    complete(run, 'd')
    expect(run.types.slice(-6)).toEqual([
      'pipeline.restarted',
      'd.reset',
      'pipeline.scheduled',
      'pipeline.started',
      'd.started',
      'd.task.started',
    ])
    expect(run.state).toMatchObject({ generation: generation + 1, lifecycle: 'EXECUTING', rollback: null })
    complete(run, 'd')
    run.check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.count('a.task.started')).toBe(1)
  })

  it('[H-O7] what nothing undoes is named, stays done, and is no reason to say otherwise', () => {
    const run = new EngineRun({
      nodes: [
        work('a'),
        work('mail', 'event:a.completed', { rollback: { irreversible: true } }),
        {
          id: 'put',
          task: 'http.request',
          startWhen: 'event:a.completed',
          inputBindings: { method: 'PUT', url: 'https://x.test' },
        },
        {
          id: 'get',
          task: 'http.request',
          startWhen: 'event:a.completed',
          inputBindings: { method: 'GET', url: 'https://x.test' },
        },
      ],
    })
    complete(run, 'a', 'mail')
    run.complete('put', { status: 200 })
    run.complete('get', { status: 200 })
    run.take(rollBack())
    complete(run, 'a')
    run.check()
    expect(run.payload('pipeline.rolling_back')).toMatchObject({
      order: [['a']],
      irreversible: ['mail'],
      uncompensated: ['put'],
    })
    expect(run.payload('pipeline.rolled_back')).toMatchObject({ not_undone: ['mail', 'put'] })
    expect(run.node('mail').status).toBe('completed')
    expect(run.refusal(rollBack()).message).toBe(
      'nothing undoes what mail, put did: no rollback task is declared',
    )
  })

  it('[R-63][H-O7] what runs is stopped first; of what did not complete only that is undone which needs nothing of it', () => {
    const blind = { rollback: { task: 'log', inputBindings: { message: 'undo' } } }
    const run = new EngineRun({
      nodes: [
        work('a'),
        work('b', 'event:a.completed', blind),
        work('c', 'event:a.completed'),
        noop('after', 'event:b.completed'),
      ],
    })
    complete(run, 'a')
    run.take(rollBack())
    expect(run.node('after').status).toBe('skipped')
    expect(inFlight(run)).toEqual(['b', 'c'])
    for (const id of ['b', 'c']) run.fail(id, { kind: 'cancelled' })
    expect(run.payload('c.rollback.skipped')).toEqual({
      reason: 'it did not complete: it left nothing behind to undo',
    })
    expect(inFlight(run)).toEqual(['b'])
    complete(run, 'b', 'a')
    run.check()
    expect(run.state.lifecycle).toBe('ROLLBACK')
    expect(['a', 'b', 'c', 'after'].map((id) => run.node(id).status)).toEqual([
      'rolled_back',
      'rolled_back',
      'cancelled',
      'skipped',
    ])
  })

  it('[H-O7][R-30] a compensation that fails for good stops the rest, and the run says what is not undone and who acts next', () => {
    const run = done(diamond())
    run.take(rollBack())
    complete(run, 'd')
    run.fail('b', { message: 'gone' })
    expect(run.state.finishedAt).toBe(null)
    complete(run, 'c')
    run.check()
    expect(run.state.lifecycle).toBe('FAILED')
    expect(run.state.error).toMatchObject({ kind: 'rollback_incomplete', detail: { not_undone: ['b', 'a'] } })
    expect(run.state.error?.message).toContain("the compensation of 'b' failed: gone")
    expect(run.state.error?.message).toContain('acts next')
    run.take(rollBack())
    expect(run.payload('pipeline.rolling_back')).toMatchObject({ order: [['b'], ['a']] })
    complete(run, 'b', 'a')
    run.check()
    expect(viewOf(run.state, run.now).status).toBe('rolled_back')
  })

  it('[H-O7][R-64] whatever goes on after an incomplete rollback, what was undone runs again with it', () => {
    const run = done(diamond())
    run.take(rollBack())
    complete(run, 'd')
    run.fail('b', { message: 'gone' })
    complete(run, 'c')
    // Nothing follows `between` but `d`; `c` lies beside it, and nothing of it is left.
    expect(run.take({ type: 'rerun', nodes: ['between'], actor: ada })).toEqual(
      expect.arrayContaining(['between.reset', 'c.reset', 'd.reset']),
    )
    expect(inFlight(run)).toContain('c')
  })

  it('[R-8][R-12] compensations are tried again as they say, under tokens that were never used', () => {
    const retry = { maxAttempts: 2, delay: '1s', jitter: 0 }
    const run = complete(
      new EngineRun({
        nodes: [
          work('a', S, { rollback: { task: 'log', inputBindings: { message: 'x' }, retry, timeout: '5s' } }),
        ],
      }),
      'a',
    )
    const used = run.node('a').token
    run.take(rollBack())
    expect(run.attempt('a')).toMatchObject({ attempt: 2, token: used + 1, compensates: true })
    expect(run.pass(5_000)).toEqual(['a.rollback.failed', 'a.rollback.retrying'])
    run.pass(1_000)
    expect(run.attempt('a')).toMatchObject({ attempt: 3, token: used + 2 })
    run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'killed' })
    expect(run.attempt('a')).toMatchObject({ attempt: 3, token: used + 3 })
    complete(run, 'a')
    run.check()
    expect(viewOf(run.state, run.now).status).toBe('rolled_back')
  })

  it('[R-63] a person can stop a rollback: the run says what is not undone', () => {
    const run = done(diamond())
    run.take(rollBack())
    expect(run.refusal(rollBack()).code).toBe('rolling_back')
    expect(run.refusal({ type: 'rerun', nodes: ['a'], actor: ada }).code).toBe('rolling_back')
    run.take({ type: 'cancel', reason: 'enough', actor: ada })
    run.fail('d', { kind: 'cancelled' })
    run.check()
    expect(run.state.lifecycle).toBe('CANCELLED')
    expect(run.payload('pipeline.cancelled')['reason']).toBe(
      'the rollback was stopped (enough) and is incomplete; not undone: d, c, b, a',
    )
  })

  it('[H-6] compensations compete for slots like all other work', () => {
    const rollback = { task: 'script.javascript', inputBindings: { code: 'return 0' } }
    const run = new EngineRun(
      { nodes: [work('a', S, { rollback }), work('b', S, { rollback })] },
      { slots: 1 },
    )
    complete(run, 'a')
    run.take({ type: 'admit', node: 'b' })
    complete(run, 'b')
    run.take(rollBack())
    expect(run.payload('a.rollback.queued')).toEqual({ attempt: 2 })
    complete(run, 'b')
    if (!run.state.inFlight.has('a')) run.take({ type: 'admit', node: 'a' })
    complete(run, 'a')
    run.check()
    expect(viewOf(run.state, run.now).status).toBe('rolled_back')
  })
})

describe('a run that rolls back by itself', () => {
  it('[R-26][H-1][H-O6] a failed verification undoes everything and begins again, as often as the policy allows', () => {
    const run = done(
      diamond({ verify: checks, policy: { rollback: { on: 'verify_failed', maxAttempts: 2 } } }),
    )
    expect(run.payload('pipeline.rolling_back')).toMatchObject({
      trigger: 'verify_failed',
      then: 'restart',
      cause: { kind: 'verify_failed' },
    })
    complete(run, 'd', 'b', 'c', 'a')
    expect(run.payload('pipeline.restarted')).toEqual({ nodes: [], after_rollback: 1 })
    expect(run.state).toMatchObject({ generation: 2, rollbacks: 1 })
    complete(run, 'a', 'b', 'c', 'd')
    run.check()
    expect(run.state.lifecycle).toBe('FAILED')
    expect(run.state.error?.message).toContain('it was tried 2 times')
    expect(run.types.filter((type) => type.startsWith('pipeline.'))).toEqual(
      [
        ...['created', 'scheduled', 'started', 'verifying', 'rolling_back', 'rolled_back', 'restarted'],
        ...['scheduled', 'started', 'verifying', 'failed', 'closed'],
      ].map((word) => `pipeline.${word}`),
    )
  })

  it('[H-O6] each class of failures is a trigger of its own', () => {
    const failed = (error: object, on: string) => {
      const run = new EngineRun({
        nodes: [work('a'), work('b', 'event:a.completed')],
        policy: { rollback: { on } } as never,
      })
      complete(run, 'a')
      run.fail('b', error)
      return run
    }
    const once = failed({}, 'failed')
    expect(once.payload('pipeline.rolling_back')).toMatchObject({ trigger: 'failed', order: [['a']] })
    expect(failed({ kind: 'timeout' }, 'timeout').payload('pipeline.rolling_back')).toMatchObject({
      trigger: 'timeout',
    })
    expect(failed({}, 'timeout').count('pipeline.rolling_back')).toBe(0)
    const secure = failed({ kind: 'egress_refused' }, 'failed')
    complete(secure, 'a')
    secure.check()
    // Nothing runs again before a person says so.
    expect(viewOf(secure.state, secure.now)).toMatchObject({
      status: 'rolled_back',
      error: { kind: 'egress_refused' },
    })
    const full = failed({ kind: 'output_too_large' }, 'resource_exhaustion')
    complete(full, 'a')
    expect(full.payload('pipeline.rolled_back')).toMatchObject({ restart_at: '2026-01-01T00:00:02.000Z' })
    expect(viewOf(full.state, full.now).status).toBe('rolling_back')
    full.pass(2_000)
    full.check()
    expect(full.state).toMatchObject({ lifecycle: 'EXECUTING', generation: 2 })
  })

  it('[H-O7] what its author says is irreversible is not done twice: the run fails and says so', () => {
    const run = new EngineRun({
      nodes: [work('a', S, { rollback: { irreversible: true } }), failing('b', 'event:a.completed')],
      policy: { rollback: { on: 'failed' } },
    })
    complete(run, 'a')
    run.drain().check()
    expect(run.state.lifecycle).toBe('FAILED')
    expect(run.state.error?.message).toContain('not rolled back: a cannot be undone')
  })

  it('[H-O5] the phase that failed is undone and done again, and what came before stays', () => {
    const run = new EngineRun({
      nodes: [
        work('a', S, { phase: 'one' }),
        work('b', 'event:a.completed', { phase: 'two' }),
        work('c', 'event:b.completed', { phase: 'two' }),
      ],
      policy: { rollback: { on: 'failed', scope: 'phase' } },
    })
    complete(run, 'a', 'b')
    run.fail('c')
    expect(run.payload('pipeline.rolling_back')).toMatchObject({
      scope: 'phase',
      target: 'two',
      order: [['b']],
    })
    complete(run, 'b')
    expect(inFlight(run)).toEqual(['b'])
    complete(run, 'b', 'c')
    run.check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(run.count('a.task.started')).toBe(1)
  })
})
