import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RetryPolicy } from '@/core/pipeline/definition/node-parts'
import { EngineRun, S, ada, failing, heavy, noop, wait } from '@/testing/engine-run'
import { viewOf } from '@/core/engine/view/project'
import { chanceOf, retryDelay } from './retry'

const fixed = { maxAttempts: 3, strategy: 'fixed', delay: '50ms', jitter: 0 } as const

describe('retries', () => {
  it('[R-8][R-8b] three tries: three attempts, two retrying, one failed; a handler does not fire early', () => {
    const run = new EngineRun({ nodes: [failing('a', S, { retry: fixed }), noop('h', 'event:a.failed')] })
    run.fail('a')
    expect(run.node('a')).toMatchObject({ status: 'retrying', attempt: 2 })
    expect(run.payload('a.retrying')).toEqual({
      attempt: 2,
      delay_ms: 50,
      due_at: '2026-01-01T00:00:00.050Z',
    })
    expect(run.pass(49)).toEqual([])
    expect(run.pass(1)).toEqual(['a.task.started'])
    run.fail('a')
    run.pass(50)
    expect(run.types).not.toContain('h.started')
    expect(run.fail('a')).toEqual(expect.arrayContaining(['a.task.failed', 'a.failed', 'h.started']))
    run.drain().check()
    for (const [type, count] of Object.entries({
      'a.started': 1,
      'a.task.started': 3,
      'a.task.failed': 3,
      'a.retrying': 2,
      'a.failed': 1,
    })) {
      expect(run.count(type), type).toBe(count)
    }
    expect(viewOf(run.state, run.now).nodes['a']?.attempts).toBe(3)
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-8] a crash is tried once more, not as often as the policy allows', () => {
    const crash = { message: 'the worker ended (SIGABRT), which is a crash', detail: { crash: 'SIGABRT' } }
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: { ...fixed, maxAttempts: 100 } })] })
    expect(run.fail('a', crash)).toContain('a.retrying')
    run.pass(50)
    expect(run.fail('a', crash)).toContain('a.failed')
    run.drain().check()
    expect(run.count('a.task.started')).toBe(2)
  })

  it('[R-7] a retry that succeeds leaves the outputs of the last attempt only', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: fixed })] })
    run.fail('a')
    run.pass(50)
    run.complete('a', { result: 2 })
    run.check()
    expect(run.value('a.result')).toBe(2)
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[G-10][R-8b] `when` decides, sees the error and the attempts so far, and its own error fails the node', () => {
    const retry = { ...fixed, when: "{{ error.kind != 'invalid_input' && attempts < 2 }}" }
    const run = new EngineRun({ nodes: [heavy('a', S, { retry })] })
    run.fail('a')
    run.pass(50)
    expect(run.fail('a')).toContain('a.failed')
    run.check()
    const never = new EngineRun({ nodes: [heavy('a', S, { retry })] })
    expect(never.fail('a', { kind: 'invalid_input' })).toContain('a.failed')
    const broken = new EngineRun({
      nodes: [heavy('a', S, { retry: { ...fixed, when: '{{ error.kind > 3 }}' } })],
    })
    broken.fail('a', { message: 'no route' })
    // The mistake in `when` does not hide why it was asked.
    const message = expect.stringMatching(/^retry\.when of 'a': .*; asked because of: no route$/)
    expect(broken.node('a')).toMatchObject({ status: 'failed', error: { kind: 'expression_error', message } })
  })

  it('a timeout is an attempt’s failure and is retried with its whole time', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: fixed, timeout: '1s' })] })
    run.begin('a')
    run.pass(1_000)
    expect(run.node('a').status).toBe('retrying')
    run.pass(50)
    run.begin('a')
    expect(run.attempt('a')).toMatchObject({ attempt: 2, deadline: run.now + 1_000 })
    run.complete('a')
    run.check()
  })

  it.each([
    ['seconds', 2, 2_000],
    ['a date', 'Thu, 01 Jan 2026 00:00:03 GMT', 3_000],
    ['a date that is past', 'Wed, 31 Dec 2025 00:00:00 GMT', 50],
    ['less than the delay', 0, 50],
    ['more than a day', 31_536_000, 86_400_000],
    ['nothing that can be read', 'soon', 50],
  ])('waits as long as an answer asks by Retry-After: %s', (_name, retry_after, delay_ms) => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: { ...fixed, maxDelay: '1s' } })] })
    run.fail('a', { detail: { status: 503, retry_after } })
    expect(run.payload('a.retrying')).toMatchObject({ attempt: 2, delay_ms })
    expect(run.pass(delay_ms - 1)).toEqual([])
    expect(run.pass(1)).toEqual(['a.task.started'])
    run.complete('a')
    run.check()
  })

  it('without a slot the next try queues, and starts when one is free', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: fixed }), heavy('b')] }, { slots: 1 })
    run.fail('a')
    run.take({ type: 'admit', node: 'b' })
    expect(run.pass(50)).toEqual(['a.queued'])
    run.complete('b')
    expect(run.state.awaitingSlot.has('a')).toBe(true)
    run.take({ type: 'admit', node: 'a' })
    expect(run.attempt('a')).toMatchObject({ attempt: 2 })
    run.complete('a')
    run.check()
  })

  it('what is lost too often has failed, and may be tried again', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: fixed, onLost: 'fail' })] })
    expect(run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'died' })).toEqual([
      'a.task.lost',
      'a.retrying',
    ])
    run.pass(50)
    run.complete('a')
    run.check()
  })

  it('a cancel ends a node that waits for its next try', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: fixed })] })
    run.fail('a')
    run.take({ type: 'cancel', reason: null, actor: ada })
    run.check()
    expect(run.node('a').status).toBe('cancelled')
    expect(run.state.lifecycle).toBe('CANCELLED')
  })

  it('[H-O3] the declared risk of a node counts for the strategy that adapts to it, and for no other', () => {
    const risk = { complexity: 0.5, impact: 1 }
    const retry = { ...fixed, strategy: 'risk-adaptive', delay: '100ms' } as const
    const run = new EngineRun({ nodes: [failing('a', S, { retry, risk }), failing('b', S, { retry })] })
    run.fail('a')
    run.fail('b')
    expect(run.payload('a.retrying')).toMatchObject({ delay_ms: 125 })
    expect(run.payload('b.retrying')).toMatchObject({ delay_ms: 100 })
    const others = new EngineRun({
      nodes: [failing('a', S, { retry: { ...retry, strategy: 'fixed' }, risk })],
    })
    others.fail('a')
    expect(others.payload('a.retrying')).toMatchObject({ delay_ms: 100 })
  })

  it('[H-O3] delays grow as the strategy says, move by the jitter at most, and end at the maximum', () => {
    const policy = (strategy: RetryPolicy['strategy'], jitter = 0): RetryPolicy => ({
      maxAttempts: 9,
      strategy,
      delayMs: 100,
      maxDelayMs: 1_000,
      jitter,
      risk: 0.25,
      when: null,
    })
    const delays = (strategy: RetryPolicy['strategy']) =>
      [1, 2, 3, 4, 5, 6].map((failed) => retryDelay(policy(strategy), failed, 0.5))
    expect(delays('fixed')).toEqual([100, 100, 100, 100, 100, 100])
    expect(delays('linear')).toEqual([100, 200, 300, 400, 500, 600])
    expect(delays('exponential')).toEqual([100, 200, 400, 800, 1_000, 1_000])
    expect(delays('risk-adaptive')).toEqual([125, 250, 500, 1_000, 1_000, 1_000])
    expect(delays('fibonacci')).toEqual([100, 100, 200, 300, 500, 800])
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 9 }), (text, failed) => {
        const chance = chanceOf(text)
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThan(1)
        const moved = retryDelay(policy('linear', 0.2), failed, chance)
        expect(Math.abs(moved - 100 * failed)).toBeLessThanOrEqual(20 * failed)
      }),
    )
  })
})

describe('the deadline of a run', () => {
  it('[R-72] a run that takes too long fails: what waits is skipped, what runs is stopped and awaited', () => {
    const run = new EngineRun({
      policy: { timeout: '10s' },
      nodes: [heavy('a'), noop('b', 'event:a.completed')],
    })
    expect(run.payload('pipeline.started')).toEqual({ timeout_at: '2026-01-01T00:00:10.000Z' })
    expect(run.pass(9_999)).toEqual([])
    expect(run.pass(1)[0]).toBe('pipeline.cancelling')
    expect(run.attempt('a').stopping).toBe(true)
    run.fail('a', { kind: 'cancelled', message: 'killed' })
    run.check()
    expect(run.state).toMatchObject({ lifecycle: 'FAILED', error: { kind: 'timeout' } })
  })

  it('a run that ends in time has no deadline any more', () => {
    const run = new EngineRun({ policy: { timeout: '10s' }, nodes: [noop('a')] }).drain()
    expect(run.pass(20_000)).toEqual([])
    run.check()
  })
})

describe('pause and resume', () => {
  const pause = (hard = false) => ({ type: 'pause', reason: null, hard, actor: ada }) as const
  const resume = { type: 'resume', actor: ada } as const

  it('[R-72] nothing new starts, what runs ends and is recorded, and it goes on after the resume', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), noop('b', 'event:a.completed'), noop('x', 'event:a.failed')],
    })
    expect(run.take(pause())).toEqual(['pipeline.paused'])
    expect(viewOf(run.state, run.now).status).toBe('paused')
    expect(run.complete('a')).toEqual(['a.task.completed', 'a.completed', 'x.skipped'])
    expect(run.node('b').status).toBe('pending')
    expect(run.take(resume)).toEqual(['pipeline.resumed', 'b.started', 'b.task.started'])
    run.drain().check()
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('both are idempotent, and refused when the run is over', () => {
    const run = new EngineRun({ nodes: [noop('a')] })
    expect(run.take(resume)).toEqual([])
    run.take(pause())
    expect(run.take(pause())).toEqual([])
    run.take(resume)
    run.drain()
    expect(run.refusal(pause()).code).toBe('execution_finished')
    expect(run.refusal(resume).code).toBe('execution_finished')
  })

  it('[R-72] while paused waits end and decisions count; a due retry waits', () => {
    const run = new EngineRun({
      nodes: [
        wait('w', '1s'),
        noop('n', 'event:w.completed'),
        heavy('a', S, { retry: { maxAttempts: 2, delay: '1s', jitter: 0 } }),
      ],
    })
    run.fail('a')
    run.take(pause())
    expect(run.pass(1_000)).toEqual(expect.arrayContaining(['w.completed', 'a.queued']))
    expect(run.node('n').status).toBe('pending')
    expect(run.take(resume)).toEqual(expect.arrayContaining(['n.started', 'a.task.started']))
    run.drain().check()
  })

  it('hard: what runs is stopped and done again, under a new token and as the same attempt', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { retry: { maxAttempts: 2, delay: '1s' } })] })
    const before = run.attempt('a')
    expect(run.take(pause(true))).toEqual(['pipeline.paused', 'a.task.lost', 'a.queued'])
    expect(run.refusal({ type: 'complete_attempt', key: before, outputs: {} }).code).toBe('stale_attempt')
    expect(run.take(resume)).toEqual(['pipeline.resumed', 'a.task.started'])
    expect(run.attempt('a')).toMatchObject({ attempt: 1, token: before.token + 1 })
    run.complete('a')
    run.check()
  })

  it('a paused run can be cancelled', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take(pause(true))
    run.take({ type: 'cancel', reason: null, actor: ada })
    run.check()
    expect(run.state.lifecycle).toBe('CANCELLED')
  })
})
