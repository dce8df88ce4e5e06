import { describe, expect, it } from 'vitest'
import { EngineRun, ada, failing, gate, heavy, noop, wait } from '@/testing/engine-run'
import { LIMITS } from '@/core/engine/event'
import type { EngineInput } from '@/core/engine/input'
import { jsonBytes } from '@/core/engine/json-bytes'

const cancel: EngineInput = { type: 'cancel', reason: 'enough', actor: ada }
const pause = (hard: boolean): EngineInput => ({ type: 'pause', reason: 'lunch', hard, actor: ada })
const resume: EngineInput = { type: 'resume', actor: ada }
const publish = (eventType: string, payload = {}): EngineInput => ({
  type: 'publish_event',
  eventType,
  payload,
  actor: ada,
})

/** A run that has completed, failed or been cancelled. */
function over(how: 'completed' | 'failed' | 'cancelled'): EngineRun {
  const run = new EngineRun({ nodes: [how === 'failed' ? failing('a') : noop('a')] })
  if (how === 'cancelled') {
    run.take(cancel)
    run.fail('a', { kind: 'cancelled' })
  }
  return run.drain()
}

describe('what is refused, and what changes nothing', () => {
  it.each([
    [{ nobody: { outputs: {} } }, "unknown_mock: there is no node 'nobody'"],
    [{ g: { outputs: {} } }, "unknown_mock: 'g' is an approval and cannot be mocked"],
    [
      { a: { outputs: { v: 'x'.repeat(LIMITS.mocksBytes) } } },
      `payload_too_large: the mocks are larger than ${LIMITS.mocksBytes} bytes together`,
    ],
  ])('[N-15] [R-65] a start with mocks that cannot be: %#', (mocks, message) => {
    expect(() => new EngineRun({ nodes: [noop('a'), gate('g')] }, { mocks })).toThrow(message)
  })

  it('[R-61] an input that nothing can hold', () => {
    const inputs = { text: 'x'.repeat(LIMITS.inlineVariableBytes) }
    const definition = { inputs: { text: { type: 'string' as const } }, nodes: [noop('a')] }
    expect(() => new EngineRun(definition, { inputs })).toThrow(
      `payload_too_large: pipeline.input.text is larger than ${LIMITS.inlineVariableBytes} bytes`,
    )
    const fits = { text: 'x'.repeat(LIMITS.inlineVariableBytes - 2) }
    expect(new EngineRun(definition, { inputs: fits }).value('pipeline.input.text')).toBe(fits.text)
  })

  it.each([{ generation: 2 }, { attempt: 2 }, { token: 2 }, { node: 'b' }, { node: 'zzz' }, { item: 0 }])(
    '[R-12] [R-57] a result of another attempt: %j',
    (change) => {
      const run = new EngineRun({ nodes: [heavy('a'), noop('b', 'event:a.completed')] })
      const key = { ...run.attempt('a'), ...change }
      expect(run.refusal({ type: 'complete_attempt', key, outputs: {} })).toEqual({
        code: 'stale_attempt',
        message: `attempt ${key.attempt} of '${key.node}' (token ${key.token}) is not the current one`,
      })
    },
  )

  it('[E-19] a look and a tick at which nothing is due', () => {
    const run = new EngineRun({ nodes: [wait('w', '1s')] })
    expect(run.take({ type: 'look' })).toEqual([])
    expect(run.take({ type: 'tick' })).toEqual([])
  })

  it('a slot for who waits for none', () => {
    const run = new EngineRun({ nodes: [heavy('a'), noop('b', 'event:a.completed'), gate('g')] })
    for (const node of ['a', 'b', 'g', 'nobody'])
      expect(run.refusal({ type: 'admit', node })).toEqual({
        code: 'not_queued',
        message: `'${node}' waits for no slot`,
      })
    expect(run.refusal({ type: 'schedule' })).toMatchObject({ code: 'not_queued' })
  })

  it('[R-72] [R-69] a slot for a run that is paused or cancelled', () => {
    const run = new EngineRun({ nodes: [heavy('a'), heavy('b')] }, { slots: 1 })
    run.take(pause(false))
    expect(run.refusal({ type: 'admit', node: 'b' })).toMatchObject({ code: 'not_queued' })
    run.take(resume)
    run.take(cancel)
    expect(run.refusal({ type: 'admit', node: 'b' })).toMatchObject({ code: 'not_queued' })
  })

  it('[R-55] a slot for a forEach goes to its next item, and to none when it has none', () => {
    const run = new EngineRun(
      { nodes: [heavy('m', undefined, { forEach: { items: [1, 2] } })] },
      { slots: 1 },
    )
    run.complete('m/0', { result: 1 })
    expect(run.attempt('m/1').item).toBe(1)
    expect(run.refusal({ type: 'admit', node: 'm' })).toMatchObject({ code: 'not_queued' })
    const other = new EngineRun({ nodes: [heavy('m', undefined, { forEach: { items: [1] } })] }, { slots: 0 })
    expect(other.state.inFlight.size).toBe(0)
  })

  it.each(['completed', 'failed', 'cancelled'] as const)(
    '[R-57] [R-68] anything for a run that %s',
    (how) => {
      const run = over(how)
      const refused = (input: EngineInput, message: string) =>
        expect(run.refusal(input)).toEqual({ code: 'execution_finished', message })
      refused(publish('external.e'), `the execution is over (${how}) and takes no events`)
      refused(pause(false), `the execution is over (${how}) and cannot be paused`)
      refused(resume, `the execution is over (${how}) and cannot be resumed`)
      if (how === 'cancelled') expect(run.take(cancel)).toEqual([])
      else refused(cancel, `the execution is over (${how}) and cannot be cancelled`)
    },
  )

  it('[R-69] a pause of what is being cancelled', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take(cancel)
    expect(run.refusal(pause(false))).toEqual({
      code: 'execution_finished',
      message: 'the execution is being cancelled',
    })
  })

  it.each([
    'pipeline.started',
    'a.completed',
    'external.',
    'external',
    'external.Ready',
    'external.a..b',
    `external.${'a'.repeat(LIMITS.textLength)}`,
  ])('[R-20] [R-52] an event of the type %s', (type) => {
    const refusal = new EngineRun({ nodes: [wait('w', '1h')] }).refusal(publish(type))
    expect(refusal.code).toBe('invalid_event_type')
    expect(refusal.message).toBe(
      `'${type.slice(0, 100)}' cannot be published: types begin with 'external.' and have segments of a-z, 0-9 and _`,
    )
  })

  it('[R-21] an event of more than 64 KB, by one byte', () => {
    const run = new EngineRun({ nodes: [wait('w', '1h')] })
    const text = 'x'.repeat(LIMITS.eventPayloadBytes - jsonBytes({ v: '' }, Infinity))
    expect(run.take(publish('external.e', { v: text }))).toEqual(['external.e'])
    expect(run.entries.at(-1)?.event).toMatchObject({
      source: { entity_type: 'external', entity_id: 'e' },
      actor: 'ada',
    })
    expect(run.refusal(publish('external.e', { v: `${text}x` }))).toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('store the data and publish a reference'),
    })
  })
})

describe('what inputs mean', () => {
  it('[R-72] a pause stops work only when it is hard, and can be made hard', () => {
    const run = new EngineRun({ nodes: [heavy('a'), wait('w', '1h')] })
    expect(run.take(pause(false))).toEqual(['pipeline.paused'])
    expect(run.entries.at(-1)?.event).toMatchObject({
      actor: 'ada',
      payload: { reason: 'lunch', hard: false },
    })
    expect(run.take(pause(false))).toEqual([])
    expect(run.take(pause(true))).toEqual(['pipeline.paused', 'a.task.lost', 'a.queued'])
    expect(run.payload('a.task.lost')).toMatchObject({
      reason: 'stopped by a pause',
      final: false,
      losses: 0,
    })
    // What the engine itself times goes on, and there is nothing left to stop.
    expect(run.node('w').status).toBe('waiting')
    expect(run.take(pause(true))).toEqual([])
    run.take(resume)
    expect(run.entries.find(({ event }) => event.type === 'pipeline.resumed')?.event.actor).toBe('ada')
    expect(run.attempt('a')).toMatchObject({ attempt: 1, token: 2 })
  })

  it('[R-69] a cancel says who and why, and what it ended', () => {
    const run = new EngineRun({
      nodes: [
        heavy('a'),
        wait('w', '1h'),
        gate('g'),
        wait('items', '1h', undefined, { forEach: { items: [1, 2] } }),
        heavy('working', undefined, { forEach: { items: [1, 2] } }),
        noop('n', 'event:a.completed'),
        noop('clean', 'event:pipeline.cancelled', { finally: true }),
      ],
    })
    const types = run.take(cancel)
    expect(types).toEqual([
      'pipeline.cancelling',
      'w.task.failed',
      'w.cancelled',
      'g.cancelled',
      'items.task.failed',
      'items.task.failed',
      'n.skipped',
      'items.cancelled',
    ])
    expect(run.entries.at(-types.length)?.event).toMatchObject({
      actor: 'ada',
      payload: { reason: 'enough' },
    })
    for (const { event } of run.entries.filter((entry) => entry.event.type.endsWith('task.failed')))
      expect(event.payload).toMatchObject({
        error: { kind: 'cancelled', message: 'the run was cancelled' },
        final: true,
      })
    expect(run.node('clean').status).toBe('pending')
    expect(run.node('working').status).toBe('running')
  })

  it('[R-71] [R-72] deadlines say what they are', () => {
    const run = new EngineRun({
      policy: { timeout: '3s' },
      nodes: [
        heavy('a', undefined, { timeout: '1s', allowFailure: true }),
        gate('g', { timeout: '1s' }),
        heavy('b'),
        noop('e', 'event:a.started && event:external.e', { startTimeout: '1s' }),
      ],
    })
    run.begin('a')
    run.pass(1_000)
    expect(run.payload('a.failed')).toMatchObject({
      error: { kind: 'timeout', message: 'attempt 1 took longer than its timeout of 1000 ms' },
    })
    expect(run.payload('g.failed')).toMatchObject({ error: { message: 'nobody decided in time' } })
    expect(run.payload('e.waiting')).toEqual({ for: 'event', events: ['external.e'], expired: true })
    run.pass(2_000)
    expect(run.payload('pipeline.cancelling')).toEqual({
      reason: 'the run took longer than its timeout of 3000 ms',
      timed_out: true,
    })
    run.fail('b', { kind: 'cancelled' })
    expect(run.state.error).toMatchObject({ kind: 'timeout' })
  })

  it('[R-55] an item whose next try is due waits while its forEach is full, and keeps its number', () => {
    const run = new EngineRun({
      nodes: [
        heavy('m', undefined, {
          forEach: { items: [1, 2, 3], concurrency: 1 },
          retry: { maxAttempts: 3, delay: '1s', jitter: 0 },
        }),
      ],
    })
    run.fail('m/0')
    run.pass(1_000)
    expect(run.entries.at(-1)?.event).toMatchObject({ type: 'm.queued', item: 0, payload: { attempt: 2 } })
    run.complete('m/1', { result: 1 })
    expect(run.attempt('m/0').attempt).toBe(2)
    run.fail('m/0')
    run.complete('m/2', { result: 1 })
    run.pass(2_000)
    expect(run.attempt('m/0').attempt).toBe(3)
    run.complete('m/0', { result: 1 })
    run.check()
  })
})
