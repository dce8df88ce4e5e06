import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { EngineRun, S, ada, heavy, noop, set, type NodeSpec } from '@/testing/engine-run'
import { isItemVariable } from './item-variable'
import { viewOf } from '@/core/engine/view/project'

const each = (items: unknown, more: object = {}, node: Partial<NodeSpec> = {}): NodeSpec =>
  ({
    ...set('m', { v: '{{ item * 10 }}', at: '{{ index }}' }),
    forEach: { items, ...more },
    ...node,
  }) as NodeSpec

const itemsOf = (run: EngineRun) => viewOf(run.state, run.now).nodes['m']?.items

describe('forEach', () => {
  it('[R-55] runs once for each item, gathers outputs in the order of the items, and downstream sees lists', () => {
    const run = new EngineRun({
      inputs: { xs: { type: 'array', default: [3, 1, 2] } },
      nodes: [each('{{ pipeline.input.xs }}'), set('after', { last: '{{ m.v[2] }}' }, 'event:m.completed')],
    })
    expect(run.payload('m.started')).toMatchObject({ items: 3 })
    expect(run.input('m/1')).toEqual({ v: 10, at: 1 })
    for (const item of [2, 0, 1]) {
      const { input } = { input: run.input(`m/${item}`) }
      run.take({ type: 'complete_attempt', key: run.attempt(`m/${item}`), outputs: input })
    }
    expect(run.value('m.v')).toEqual([30, 10, 20])
    expect(run.value('m.at')).toEqual([0, 1, 2])
    run.drain().check()
    expect(run.value('after.last')).toBe(20)
    expect(
      run.entries.filter(({ event }) => event.type === 'm.task.completed').map(({ event }) => event.item),
    ).toEqual([2, 0, 1])
    expect([...run.state.variables.keys()].filter(isItemVariable)).toHaveLength(6)
  })

  it('[R-55] keeps to its concurrency, and starts the next when one ends', () => {
    const run = new EngineRun({ nodes: [each([1, 2, 3, 4], { concurrency: 2 })] })
    expect([...run.state.inFlight.keys()]).toEqual(['m/0', 'm/1'])
    run.take({ type: 'complete_attempt', key: run.attempt('m/0'), outputs: { v: 1 } })
    expect([...run.state.inFlight.keys()]).toEqual(['m/1', 'm/2'])
    expect(itemsOf(run)).toEqual({ total: 4, completed: 1, failed: 0, running: 2 })
    run.drain().check()
    expect(itemsOf(run)).toEqual({ total: 4, completed: 4, failed: 0, running: 0 })
  })

  it('[R-55] [R-72] names who acts next for its items, and when the engine looks again', () => {
    const waits = (run: EngineRun) => {
      const { waiting_for, next_wake_at } = viewOf(run.state, run.now).nodes['m']!
      return { ...waiting_for, next_wake_at }
    }
    const work = new EngineRun({ nodes: [each([1, 2], {}, { timeout: '1m' })] })
    const at = (ms: number) => new Date(work.now + ms).toISOString()
    expect(waits(work)).toEqual({
      kind: 'attempt',
      text: '2 of 2 items are to come, 2 of them running',
      names: [],
      next_wake_at: at(60_000),
    })
    const wait = { task: 'wait', inputBindings: { duration: '{{ item }}' } } as Partial<NodeSpec>
    expect(waits(new EngineRun({ nodes: [each(['1h', '5m'], {}, wait)] }))).toEqual({
      kind: 'timer',
      text: `2 of 2 items are to come, the next waits until ${at(300_000)}`,
      names: [],
      next_wake_at: at(300_000),
    })
    const retry = { maxAttempts: 2, delay: '1s', jitter: 0 } as const
    const again = new EngineRun({ nodes: [each([1], {}, { retry })] })
    again.fail('m/0')
    expect(waits(again)).toMatchObject({
      kind: 'timer',
      text: `1 of 1 items are to come, the next is tried again at ${at(1_000)}`,
      next_wake_at: at(1_000),
    })
    again.take({ type: 'pause', reason: null, hard: false, actor: ada })
    again.pass(2_000)
    expect(waits(again)).toEqual({
      kind: 'people',
      text: '1 of 1 items are to come, and wait for the run to go on',
      names: [],
      next_wake_at: null,
    })
    const children = { pipeline: 'other', task: undefined, inputBindings: {} } as Partial<NodeSpec>
    expect(waits(new EngineRun({ nodes: [each([1, 2], {}, children)] }))).toMatchObject({
      text: '2 of 2 items are to come, 2 of them running: waits for child1, child2',
      names: ['child1', 'child2'],
    })
  })

  it('[R-55][R-75] an empty list completes at once with [] for every declared output', () => {
    const run = new EngineRun({ nodes: [each([]), noop('after', 'event:m.completed')] })
    expect(run.value('m.v')).toEqual([])
    expect(run.types).toContain('after.started')
    run.drain().check()
  })

  it('[R-75] one final failure fails the node when the others have ended; there are no outputs', () => {
    const run = new EngineRun({ nodes: [each([1, 2, 3])] })
    run.take({
      type: 'fail_attempt',
      key: run.attempt('m/1'),
      error: { kind: 'task_failed', message: 'odd' },
    })
    expect(run.node('m').status).toBe('running')
    for (const item of [0, 2])
      run.take({ type: 'complete_attempt', key: run.attempt(`m/${item}`), outputs: { v: 1 } })
    run.check()
    expect(run.node('m')).toMatchObject({
      status: 'failed',
      error: { kind: 'task_failed', message: 'item 1: odd' },
    })
    expect(run.value('m.v')).toBeUndefined()
  })

  it('[R-75] with allowFailures: null where an item failed, and an output item_errors', () => {
    const run = new EngineRun({ nodes: [each([1, 2], { allowFailures: true })] })
    run.take({
      type: 'fail_attempt',
      key: run.attempt('m/0'),
      error: { kind: 'task_failed', message: 'odd' },
    })
    run.take({ type: 'complete_attempt', key: run.attempt('m/1'), outputs: { v: 20, at: 1 } })
    run.check()
    expect(run.value('m.v')).toEqual([null, 20])
    expect(run.value('m.item_errors')).toEqual([{ index: 0, kind: 'task_failed', message: 'odd' }])
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[R-75][R-53] an item that may fail does not stop the others under failFast', () => {
    const run = new EngineRun({
      policy: { failFast: true },
      nodes: [each([1, 2, 3], { allowFailures: true, concurrency: 1 })],
    })
    run.fail('m/0')
    run.complete('m/1', { v: 20 })
    run.complete('m/2', { v: 30 })
    run.check()
    expect(run.value('m.v')).toEqual([null, 20, 30])
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('an item is tried again by itself', () => {
    const run = new EngineRun({
      nodes: [each([1, 2], {}, { retry: { maxAttempts: 2, delay: '1s', jitter: 0 } })],
    })
    run.take({
      type: 'fail_attempt',
      key: run.attempt('m/0'),
      error: { kind: 'task_failed', message: 'odd' },
    })
    expect(run.entries.at(-1)?.event).toMatchObject({ type: 'm.retrying', item: 0 })
    run.take({ type: 'complete_attempt', key: run.attempt('m/1'), outputs: { v: 20, at: 1 } })
    expect(run.node('m').status).toBe('running')
    run.pass(1_000)
    expect(run.attempt('m/0')).toMatchObject({ attempt: 2 })
    run.drain().check()
    expect(run.value('m.v')).toEqual([10, 20])
  })

  it('[R-66][G-9] a binding that fails for one item fails that item, without another try', () => {
    const run = new EngineRun({
      nodes: [each([1, 'x'], { allowFailures: true }, { retry: { maxAttempts: 3, delay: '1s' } })],
    })
    run.drain().check()
    expect(run.value('m.v')).toEqual([10, null])
    expect(run.value('m.item_errors')).toMatchObject([{ index: 1, kind: 'expression_error' }])
  })

  it('[R-55] more than 10,000 items, or no list, fail the node', () => {
    const many = new EngineRun({
      inputs: { xs: { type: 'array', default: Array.from({ length: 10_001 }, (_, index) => index) } },
      nodes: [each('{{ pipeline.input.xs }}')],
    })
    expect(many.node('m')).toMatchObject({ status: 'failed', error: { kind: 'invalid_input' } })
    const none = new EngineRun({
      inputs: { xs: { type: 'string', default: 'no' } },
      nodes: [each('{{ pipeline.input.xs }}')],
    })
    expect(none.node('m')).toMatchObject({ status: 'failed', error: { kind: 'expression_error' } })
  })

  it('items share the slots, one admission each', () => {
    const node = { ...heavy('m'), forEach: { items: [1, 2, 3] } } as NodeSpec
    const run = new EngineRun({ nodes: [node] }, { slots: 1 })
    expect([...run.state.inFlight.keys()]).toEqual(['m/0'])
    expect(run.state.awaitingSlot.has('m')).toBe(true)
    run.take({ type: 'complete_attempt', key: run.attempt('m/0'), outputs: { result: 1 } })
    expect([...run.state.inFlight.keys()]).toEqual(['m/1'])
    run.drain().check()
  })

  it('a cancel stops the items that run, starts no other, and the node is cancelled when they have ended', () => {
    const run = new EngineRun({ nodes: [each([1, 2, 3], { concurrency: 2 })] })
    run.take({ type: 'cancel', reason: null, actor: ada })
    for (const item of [0, 1])
      run.take({
        type: 'fail_attempt',
        key: run.attempt(`m/${item}`),
        error: { kind: 'cancelled', message: 'killed' },
      })
    run.check()
    expect(run.node('m').status).toBe('cancelled')
    expect(run.state.lifecycle).toBe('CANCELLED')
  })

  it('hundreds of items: the fold stays sound, and each item is one attempt', () => {
    const run = new EngineRun({
      inputs: { xs: { type: 'array', default: Array.from({ length: 300 }, (_, index) => index) } },
      nodes: [each('{{ pipeline.input.xs }}')],
    })
    run.drain().check()
    expect((run.value('m.v') as number[])[299]).toBe(2_990)
    expect(run.count('m.task.completed')).toBe(300)
  })
})

describe('child executions, from the side of the parent', () => {
  const sub = (more: object = {}): NodeSpec =>
    ({ id: 'sub', pipeline: 'other', startWhen: S, inputBindings: { n: '{{ 1 + 1 }}' }, ...more }) as NodeSpec

  it('[N-8][N-9][N-11] the attempt names the child; its outputs become the node’s; nothing else of it is seen', () => {
    const run = new EngineRun({ nodes: [sub(), set('b', { v: '{{ sub.r + 1 }}' }, 'event:sub.completed')] })
    expect(run.payload('sub.task.started')).toMatchObject({ child_execution_id: 'child1' })
    expect(viewOf(run.state, run.now).nodes['sub']?.child_execution_id).toBe('child1')
    expect(run.input('sub')).toEqual({ n: 2 })
    run.complete('sub', { r: 41 } as JsonObject)
    run.drain().check()
    expect(run.value('b.v')).toBe(42)
    expect(run.types.filter((type) => !/^(pipeline|sub|b)\./.test(type))).toEqual([])
  })

  it('[N-15] a parent runs with a mocked child: none is started', () => {
    const run = new EngineRun(
      { nodes: [sub()], outputs: { o: { value: '{{ sub.r }}' } } },
      { mocks: { sub: { outputs: { r: 99 } } } },
    )
    run.check()
    expect(run.value('pipeline.output.o')).toBe(99)
    expect(viewOf(run.state, run.now).nodes['sub']?.child_execution_id).toBe(null)
  })

  it('a child that failed is tried again as another child', () => {
    const run = new EngineRun({ nodes: [sub({ retry: { maxAttempts: 2, delay: '1s', jitter: 0 } })] })
    run.fail('sub', { kind: 'child_failed', message: 'other failed' })
    run.pass(1_000)
    expect(run.attempt('sub')).toMatchObject({ attempt: 2, child: 'child2' })
    run.complete('sub')
    run.check()
  })

  it('[R-61] pipelines within pipelines end at a depth of eight', () => {
    const run = new EngineRun({ nodes: [sub()] }, { depth: 8 })
    expect(run.node('sub')).toMatchObject({ status: 'failed', error: { kind: 'child_failed' } })
  })
})
