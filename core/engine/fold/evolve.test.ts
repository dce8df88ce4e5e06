import { describe, expect, it } from 'vitest'
import { EngineRun, ada, compiled, failing, gate, heavy, noop, set, wait } from '@/testing/engine-run'
import type { Entry } from '@/core/engine/event'
import { evolve } from './evolve'
import { emptyState } from '@/core/engine/state'
import { person } from '@/testing/person'

const bob = person('bob', ['approver'])

/** The log of a run that ended, and a state that holds its first entries. */
function folded(entries: number) {
  const definition = { nodes: [set('a', { v: 1 }), noop('b', 'event:a.completed')] }
  const run = new EngineRun(definition)
  run.drain()
  const state = emptyState('x1', compiled(definition))
  for (const entry of run.entries.slice(0, entries)) evolve(state, entry)
  return { state, log: run.entries }
}

/** The next entry of the log, with another event in its place. */
const instead = (entry: Entry, change: Partial<Entry['event']>): Entry => ({
  ...entry,
  event: { ...entry.event, ...change },
})

describe('the fold', () => {
  it('[R-2] refuses a gap and a repetition', () => {
    const { state, log } = folded(4)
    expect(() => evolve(state, log[5]!)).toThrow('x1 is at seq 4 and cannot fold seq 6')
    expect(() => evolve(state, log[3]!)).toThrow('x1 is at seq 4 and cannot fold seq 4')
    expect(state.seq).toBe(4)
  })

  it.each([
    [
      { type: 'pipeline.exploded', source: { entity_type: 'pipeline', entity_id: 'p' } },
      'unknown event pipeline.exploded',
    ],
    [{ type: 'b.exploded', source: { entity_type: 'node', entity_id: 'b' } }, 'unknown event b.exploded'],
    [
      { type: 'b.started', source: { entity_type: 'node', entity_id: 'b' }, item: 1 },
      'b.started is about no item',
    ],
    [
      { type: 'b.task.exploded', source: { entity_type: 'task', entity_id: 'b' } },
      'unknown event b.task.exploded',
    ],
    [
      { type: 'b.task.running', source: { entity_type: 'task', entity_id: 'b' } },
      'is about no attempt in flight',
    ],
    [
      {
        type: 'b.waiting',
        source: { entity_type: 'node', entity_id: 'b' },
        payload: { for: 'time', due_at: null },
      },
      'b waits and is pending',
    ],
    [
      {
        type: 'a.waiting',
        source: { entity_type: 'node', entity_id: 'a' },
        payload: { for: 'event', events: [] },
      },
      'a waits for its start and is running',
    ],
  ] as const)('is loud about what cannot follow: %j', (change, message) => {
    const { state, log } = folded(5)
    expect(() => evolve(state, instead(log[5]!, change))).toThrow(message)
  })

  it('[H-12] [R-63] goes through every state of the lifecycle', () => {
    const { log } = folded(0)
    const { state } = folded(0)
    const seen = log.map((entry) => {
      evolve(state, entry)
      return state.lifecycle
    })
    expect([...new Set(seen)]).toEqual(['PENDING', 'SCHEDULING', 'EXECUTING', 'VERIFYING', 'COMMIT'])
  })

  it('[R-61] counts the bytes of every write, and knows what a node left behind by its own names', () => {
    const run = new EngineRun({ nodes: [set('a', { v: 'four', w: 1 })] })
    const before = run.state.variableBytes
    run.complete('a', { v: 'four', w: 1 })
    expect(run.state.variableBytes - before).toBe('"four"'.length + '1'.length)
    expect(run.node('a')).toMatchObject({ status: 'completed', outputs: ['v', 'w'] })
  })

  it('[R-51] keeps each voice as it was given', () => {
    const run = new EngineRun({ nodes: [gate('g', { quorum: 3, form: { why: { type: 'string' } } })] })
    run.now += 5
    run.event('external.g.approved', { comment: 'fine', form: { why: 'tested' } })
    run.event('external.g.approved', { form: { why: 'read' } }, bob)
    expect(run.node('g')).toMatchObject({
      approval: {
        votes: [
          {
            approver: { id: 'usr_ada', name: 'ada' },
            decision: 'approved',
            comment: 'fine',
            form: { why: 'tested' },
            at: run.now,
          },
          {
            approver: { id: 'usr_bob', name: 'bob' },
            decision: 'approved',
            comment: null,
            form: { why: 'read' },
          },
        ],
      },
    })
  })

  it('[R-55] [R-72] each item that waits has a time of its own', () => {
    const run = new EngineRun({
      nodes: [wait('w', '{{ item }}', undefined, { forEach: { items: ['1s', '3s', '2s'] } })],
    })
    run.pass(1_000)
    expect(run.count('w.task.completed')).toBe(1)
    run.pass(1_000)
    expect(run.count('w.task.completed')).toBe(2)
    expect(run.node('w').status).toBe('running')
    run.pass(1_000)
    expect(run.node('w').status).toBe('completed')
    run.check()
  })

  it('[R-55] an item whose next try is due waits for its slot, and takes it before those that never ran', () => {
    const run = new EngineRun(
      {
        nodes: [
          heavy('m', undefined, {
            forEach: { items: [1, 2, 3] },
            retry: { maxAttempts: 2, delay: '1s', jitter: 0 },
          }),
        ],
      },
      { slots: 1 },
    )
    run.fail('m/0')
    expect(run.attempt('m/1').item).toBe(1)
    run.pass(1_000)
    expect(run.types.at(-1)).toBe('m.queued')
    expect(run.node('m')).toMatchObject({ items: { queued: [{ item: 0, attempt: 2 }] } })
    run.complete('m/1', { result: 1 })
    expect(run.attempt('m/0').attempt).toBe(2)
    run.complete('m/0', { result: 1 })
    run.complete('m/2', { result: 1 })
    run.check()
    expect(run.node('m').status).toBe('completed')
  })

  it('[R-72] items that a pause stopped are done again, as the same attempts', () => {
    const run = new EngineRun({ nodes: [heavy('m', undefined, { forEach: { items: [1, 2] } })] })
    const { token } = run.attempt('m/1')
    run.take({ type: 'pause', reason: null, hard: true, actor: ada })
    expect(run.state.inFlight.size).toBe(0)
    expect(run.node('m')).toMatchObject({ items: { running: 0, queued: [{ item: 0 }, { item: 1 }] } })
    run.take({ type: 'resume', actor: ada })
    expect(run.attempt('m/1')).toMatchObject({ attempt: 1, losses: 0 })
    expect(run.attempt('m/1').token).toBeGreaterThan(token)
    run.complete('m/0', { result: 1 })
    run.complete('m/1', { result: 2 })
    run.check()
    expect(run.value('m.result')).toEqual([1, 2])
  })

  it('[R-55] a cancel stops the items that run, and a forEach without items is over at once', () => {
    const run = new EngineRun({
      nodes: [
        heavy('m', undefined, { forEach: { items: [1, 2], concurrency: 1 } }),
        wait('w', '1h', undefined, { forEach: { items: [1, 2] } }),
        noop('none', undefined, { forEach: { items: [] } }),
      ],
    })
    expect(run.node('none').status).toBe('completed')
    run.take({ type: 'cancel', reason: null, actor: ada })
    expect(run.node('w').status).toBe('cancelled')
    run.fail('m/0', { kind: 'cancelled' })
    expect(run.node('m').status).toBe('cancelled')
    run.check()
  })
})

describe('failFast and gates that may handle failures', () => {
  it.each([
    ['event:b.failed', 'pending'],
    ['event:b.rejected || event:ok.completed', 'pending'],
    ['event:b.completed && event:b.timeout', 'pending'],
    ['!(!event:b.failed)', 'pending'],
    ['event:ok.completed', 'skipped'],
    ['!event:b.failed', 'skipped'],
    ['!(event:b.failed || event:ok.completed)', 'skipped'],
    ['event:ok.completed && {{ ok.v > 1 }}', 'skipped'],
  ])('[R-70] %s is %s after a failure', (startWhen, status) => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [failing('a'), gate('b'), set('ok', { v: 2 }, 'event:b.approved'), noop('n', startWhen)],
    })
    run.fail('a')
    expect(run.node('n').status).toBe(status)
    if (status === 'skipped') expect(run.node('n')).toMatchObject({ reason: 'fail_fast' })
    run.check()
  })
})
