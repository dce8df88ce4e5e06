import { SLOTS } from '@/core/pipeline/definition/demand'
import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, heavy, noop, set, wait } from '@/testing/engine-run'
import { explain } from '@/core/engine/view/explain'
import { viewOf } from '@/core/engine/view/project'
import { wanted } from '@/core/engine/wanted'

describe('attempts', () => {
  it('[G-8][E-12][E-O4] started, attempt, outputs with completed: a reader of the event can read the outputs', () => {
    const run = new EngineRun({ nodes: [set('a', { v: '{{ 1 + 1 }}', t: 'x={{ 2 }}', l: 'plain' })] })
    expect(run.input('a')).toEqual({ v: 2, t: 'x=2', l: 'plain' })
    run.now += 25
    run.complete('a', { v: 2 })
    const completed = run.entries.find(({ event }) => event.type === 'a.completed')!
    expect(completed.variables).toEqual([{ name: 'a.v', value: 2 }])
    expect(completed.event.payload).toEqual({ duration_ms: 25, outputs: { v: 2 } })
    run.check()
  })

  it('[E-15][R-21] outputs above 1 KB stand in their variables, and the event names them', () => {
    const run = new EngineRun({ nodes: [set('a', { v: 1 })] })
    run.complete('a', { big: 'x'.repeat(2000) })
    expect(run.payload('a.completed')).toEqual({ duration_ms: 0, data_ref: ['a.big'] })
    expect(run.value('a.big')).toHaveLength(2000)
  })

  it('[R-61] an output above 1 MB fails the attempt with the limit', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.complete('a', { result: 'x'.repeat(1024 * 1024 + 1) })
    expect(run.node('a')).toMatchObject({ status: 'failed', error: { kind: 'output_too_large' } })
    expect(run.value('a.result')).toBeUndefined()
    run.check()
  })

  it('[G-9][N-O1][N-O5] a binding that names a missing variable fails the node before any attempt', () => {
    const run = new EngineRun({
      nodes: [noop('a'), set('b', { v: '{{ a.nothing }}' }, 'event:a.completed')],
    } as never)
    run.complete('a')
    expect(run.node('b')).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { kind: 'variable_not_found' },
    })
    expect(run.types).not.toContain('b.task.started')
    run.check()
  })

  it('a resolved input that does not fit the task fails the node with invalid_input', () => {
    const run = new EngineRun({
      nodes: [
        set('a', { d: 1 }),
        { id: 'w', task: 'wait', inputBindings: { duration: '{{ a.d }}' }, startWhen: 'event:a.completed' },
      ],
    })
    run.complete('a', { d: 12 })
    expect(run.node('w')).toMatchObject({
      status: 'failed',
      error: {
        kind: 'invalid_input',
        message: 'duration: 12 is not a string (write 250ms, 30s, 5m, 2h, 1d or PT30S)',
      },
    })
  })

  it('the input of an attempt resolves to the same value however much was written since', () => {
    const run = new EngineRun({
      nodes: [noop('a'), set('b', { has: '{{ has(a.v) }}' }), noop('z', 'event:a.completed')],
    } as never)
    expect(run.input('b')).toEqual({ has: false })
    run.complete('a', { v: 1 })
    expect(run.input('b')).toEqual({ has: false })
  })

  it('[R-71][R-72] a timeout is per attempt, fires when it is due and not before, and there is no {node}.timeout', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '5s' })] })
    run.begin('a')
    expect(run.payload('a.task.running')).toMatchObject({ timeout_at: '2026-01-01T00:00:05.000Z' })
    expect(run.pass(4_999)).toEqual([])
    expect(run.pass(1).slice(0, 2)).toEqual(['a.task.failed', 'a.failed'])
    expect(run.node('a')).toMatchObject({ error: { kind: 'timeout' } })
    expect(run.types).not.toContain('a.timeout')
    expect(wanted(run.state)).toEqual([])
    run.check()
  })

  it('[R-12][R-57] a result with an old token, or for an attempt that is over, changes nothing', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    const first = run.attempt('a')
    expect(run.take({ type: 'lose_attempt', key: first, reason: 'died' })).toEqual(['a.task.lost'])
    expect(run.refusal({ type: 'complete_attempt', key: first, outputs: {} })).toMatchObject({
      code: 'stale_attempt',
    })
    const second = run.attempt('a')
    expect(second).toMatchObject({ attempt: 1, token: first.token + 1, losses: 1 })
    run.complete('a', { result: 1 })
    expect(run.refusal({ type: 'complete_attempt', key: second, outputs: {} })).toMatchObject({
      code: 'stale_attempt',
    })
    expect(run.count('a.completed')).toBe(1)
    run.check()
  })

  it('[R-12] a lost attempt goes on under a new token, three times; then the node fails as lost', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { timeout: '1m' })] })
    for (let loss = 1; loss <= 3; loss++) {
      run.now += 1_000
      run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'died' })
      run.begin('a')
      expect(run.attempt('a')).toMatchObject({ attempt: 1, losses: loss, deadline: run.now + 60_000 })
    }
    run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'died' })
    expect(run.node('a')).toMatchObject({ status: 'failed', error: { kind: 'lost' } })
    run.check()
  })

  it('onLost: fail fails the node at the first loss', () => {
    const run = new EngineRun({ nodes: [heavy('a', S, { onLost: 'fail' })] })
    expect(run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'died' }).slice(0, 2)).toEqual([
      'a.task.lost',
      'a.failed',
    ])
    run.check()
  })

  it('a cancelled run does not dispatch a lost attempt again', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take({ type: 'cancel', reason: null, actor: ada })
    expect(run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'died' })).toEqual([
      'a.task.lost',
      'a.cancelled',
      'pipeline.cancelled',
      'pipeline.closed',
    ])
    run.check()
  })

  it('[R-72] a wait records its absolute end and an overdue one fires at the next look', () => {
    const run = new EngineRun({ nodes: [wait('w', '10s'), noop('b', 'event:w.completed')] })
    expect(run.payload('w.waiting')).toEqual({ for: 'time', due_at: '2026-01-01T00:00:10.000Z' })
    expect(viewOf(run.state, run.now).status).toBe('running')
    expect(run.pass(3_600_000)).toContain('b.started')
    expect(run.value('w.waited_ms')).toBe(3_600_000)
    run.drain().check()
  })

  it('several timers that are due fire in one look, in the order of their times', () => {
    const run = new EngineRun({ nodes: [wait('a', '3s'), wait('b', '1s'), wait('c', '2s')] })
    const types = run.pass(10_000).filter((type) => type.endsWith('.completed') && !type.includes('task'))
    expect(types).toEqual(['b.completed', 'c.completed', 'a.completed', 'pipeline.completed'])
    run.check()
  })

  it('without a free slot a node queues, is admitted later, and explains itself', () => {
    const run = new EngineRun({ nodes: [heavy('a'), heavy('b')] }, { slots: 1 })
    expect(run.types).toContain('b.queued')
    expect(run.types).not.toContain('b.started')
    expect(
      explain(run.state, 'b', {
        scheduling: {
          slots_in_use: 1,
          slots: 1,
          position: 1,
          order: null,
          pools: [
            {
              pool: SLOTS,
              amount: 1,
              more: 0,
              capacity: 1,
              in_use: 1,
              waiting: 1,
              holders: [{ execution_id: 'x1', node_id: 'a', attempts: 1, amount: 1, since: '' }],
              others: [],
            },
          ],
        },
      }),
    ).toMatchObject({
      status: 'queued',
      waiting_for: { kind: 'slot', text: 'waits for a free slot: 1 of 1 are held by x1/a', names: ['x1/a'] },
      scheduling: { position: 1 },
    })
    run.complete('a')
    expect(run.take({ type: 'admit', node: 'b' }).slice(0, 2)).toEqual(['b.started', 'b.task.started'])
    expect(run.refusal({ type: 'admit', node: 'b' })).toMatchObject({ code: 'not_queued' })
    run.complete('b')
    run.check()
  })

  it('progress is part of the log and of the view, and goes with the attempt', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.take({ type: 'report_progress', key: run.attempt('a'), ratio: 0.5, message: 'half' })
    expect(viewOf(run.state, run.now).nodes['a']?.progress).toEqual({ ratio: 0.5, message: 'half' })
    run.complete('a')
    expect(viewOf(run.state, run.now).nodes['a']?.progress).toBe(null)
    run.check()
  })

  it('outputVariables choose and compute what a node leaves behind', () => {
    const run = new EngineRun({
      nodes: [heavy('a', S, { outputVariables: { twice: '{{ result.result * 2 }}' } })],
    })
    run.complete('a', { result: 21 })
    expect(run.value('a.twice')).toBe(42)
    expect(run.value('a.result')).toBeUndefined()
  })

  it('explain does not blame a start timeout that there never was', () => {
    const run = new EngineRun({ nodes: [noop('a'), noop('b', 'event:external.go')] })
    run.complete('a')
    run.take({ type: 'cancel', actor: ada, reason: null })
    expect(explain(run.state, 'b').start_when).toMatchObject({
      truth: 'dead',
      why: 'it was not sent while it could still count',
    })
  })

  it('explain shows every leaf of the condition, its truth, and who can still change it', () => {
    const run = new EngineRun({
      nodes: [
        noop('a'),
        heavy('b'),
        noop('c', 'event:a.completed && (event:b.completed || event:external.go)'),
      ],
    })
    run.complete('a')
    const explained = explain(run.state, 'c')
    expect(explained.start_when.kind).toBe('and')
    expect(explained.start_when.terms.map((term) => term.truth)).toEqual(['true', 'pending'])
    expect(explained.start_when.terms[1]?.terms.map((term) => term.why)).toEqual([
      'b is running: it can still happen',
      'external.go can still come: from another system, or sent by hand',
    ])
    expect(explained.waiting_for).toMatchObject({ kind: 'nodes', names: ['b'] })
  })
})

describe('events from outside', () => {
  it('[R-20][R-52][E-17] one segment after external. is enough; anything else is refused', () => {
    const run = new EngineRun({ nodes: [noop('b', 'event:external.data_ready')] })
    for (const eventType of [
      'a.completed',
      'external',
      'external.',
      'pipeline.completed',
      'external.a b',
      'external..x',
    ]) {
      expect(run.refusal({ type: 'publish_event', eventType, payload: {}, actor: ada }).code, eventType).toBe(
        'invalid_event_type',
      )
    }
    expect(run.event('external.data_ready')).toContain('b.started')
  })

  it('[R-21][R-61] a payload above 64 KB is refused whole', () => {
    const run = new EngineRun({ nodes: [noop('b', 'event:external.go')] })
    expect(
      run.refusal({
        type: 'publish_event',
        eventType: 'external.go',
        payload: { x: 'y'.repeat(70_000) },
        actor: ada,
      }).code,
    ).toBe('payload_too_large')
  })
})
