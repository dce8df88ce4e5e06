import { describe, expect, it } from 'vitest'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { S, ada } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'
import type { SubmitRequest } from './contract'

describe('child executions', () => {
  const childOf: PipelineDefinition = {
    schemaVersion: 1,
    id: 'child',
    name: 'child',
    inputs: { f: { type: 'object' } },
    outputs: { r: { value: '{{ t.v }}', required: true } },
    nodes: [{ id: 't', task: 'set', startWhen: S, inputBindings: { v: '{{ pipeline.input.f.n + 1 }}' } }],
  }
  const sub = {
    id: 'sub',
    pipeline: 'child',
    startWhen: 'event:a.completed',
    inputBindings: { f: '{{ a.f }}' },
  }
  const parent: NodeDefinition[] = [
    { id: 'a', task: 'set', startWhen: S, inputBindings: { f: { n: 1 } } },
    sub,
  ]
  const pipelines = [childOf]

  it('[N-8][N-9][N-10][N-11][N-12][N-13][R-74] gets copies in, gives copies out, and shares nothing else', async () => {
    const at = await createOrchestratorFixture(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    expect(child).not.toBe(id)
    expect(at.dispatched[1]!.request.input).toEqual({ v: 2 })
    expect(await at.store.variables.get(child, 'pipeline.input.f')).toMatchObject({ value: { n: 1 } })
    expect(await at.store.variables.exists(child, 'a.f')).toBe(false)
    at.finish('t')
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.store.variables.get(id, 'sub.r')).toMatchObject({ value: 2 })
    expect(await at.store.variables.exists(id, 't.v')).toBe(false)
    const types = (await at.store.journal.read(id)).map(({ event }) => event.type)
    expect(types.filter((type) => type.startsWith('t.'))).toEqual([])
    expect((await at.store.journal.read(child)).map(({ event }) => event.type)).toEqual(
      expect.arrayContaining(['pipeline.started', 'pipeline.completed']),
    )
    expect((await at.runs.state(child))?.parent).toMatchObject({ executionId: id, depth: 1 })
  })

  it('[N-O8][C-8] its failure is the node’s, with the child named', async () => {
    const at = await createOrchestratorFixture(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    at.dispatched[1]!.sink.done({ ok: false, error: { kind: 'task_failed', message: 'odd' } })
    await at.until(async () => (await at.status(id)) === 'failed')
    const child = at.dispatched[1]!.request.executionId
    const node = (await at.runs.state(id))?.nodes.get('sub')
    expect(node).toMatchObject({
      status: 'failed',
      error: { kind: 'child_failed', detail: { execution_id: child } },
    })
  })

  it('a pipeline that is not there, or takes other inputs, fails the node', async () => {
    const absent = await createOrchestratorFixture([{ ...sub, startWhen: S, inputBindings: {} }])
    const id = await absent.started()
    await absent.until(async () => (await absent.status(id)) === 'failed')
    // Who follows the node to its child would come to nothing.
    expect((await absent.runs.state(id))?.nodes.get('sub')).toMatchObject({ child: null })
    const other = await createOrchestratorFixture([{ ...sub, startWhen: S, inputBindings: { f: 3 } }], {
      pipelines,
    })
    const second = await other.started()
    await other.until(async () => (await other.status(second)) === 'failed')
    const state = await other.runs.state(second)
    expect(state?.error).toMatchObject({ kind: 'invalid_input' })
    expect(state?.nodes.get('sub')).toMatchObject({ child: null })
  })

  it('[R-69][R-74] a cancel travels down and is awaited; a child cancelled on its own fails the node', async () => {
    const at = await createOrchestratorFixture(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    const cancel = (executionId: string) =>
      at.settle(at.engine.submit({ executionId, input: { type: 'cancel', reason: null, actor: ada } }))
    await cancel(id)
    await at.until(() => at.dispatched[1]!.aborted !== null)
    at.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await at.until(async () => (await at.status(id)) === 'cancelled')
    expect(await at.status(child)).toBe('cancelled')

    const again = await createOrchestratorFixture(parent, { pipelines })
    const second = await again.started()
    again.finish('a')
    await again.until(() => again.dispatched.length === 2)
    await again.settle(
      again.engine.submit({
        executionId: again.dispatched[1]!.request.executionId,
        input: { type: 'cancel', reason: null, actor: ada },
      }),
    )
    again.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await again.until(async () => (await again.status(second)) === 'failed')
    expect((await again.runs.state(second))?.nodes.get('sub')).toMatchObject({
      error: { kind: 'child_failed' },
    })
  })

  it('[R-69] [R-74] a child that a person cancelled is not started again by `retry`', async () => {
    const retried = { ...sub, retry: { maxAttempts: 3, delay: '1s' } }
    const at = await createOrchestratorFixture([parent[0]!, retried], { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const { executionId } = at.dispatched[1]!.request
    await at.settle(at.engine.submit({ executionId, input: { type: 'cancel', reason: null, actor: ada } }))
    at.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await at.until(async () => (await at.status(id)) === 'failed')
    expect(at.dispatched).toHaveLength(2)
    expect((await at.runs.state(id))?.nodes.get('sub')).toMatchObject({ attempts: 1, status: 'failed' })
  })

  describe('[R-69] [R-74] a run below its child that a person cancelled', () => {
    const grand: PipelineDefinition = {
      id: 'grand',
      nodes: [{ id: 't', task: 'set', startWhen: S, inputBindings: { v: 1 } }],
    }
    const retry = { maxAttempts: 3, delay: '1s' }
    const below = (more: Partial<NodeDefinition>, others: NodeDefinition[] = []): PipelineDefinition => ({
      id: 'between',
      nodes: [{ id: 'g', pipeline: 'grand', startWhen: S, retry, ...more }, ...others],
    })

    async function cancelled(between: PipelineDefinition) {
      const nodes = [{ id: 'sub', pipeline: 'between', startWhen: S, retry }]
      const at = await createOrchestratorFixture(nodes, { pipelines: [between, grand] })
      const id = await at.started()
      await at.until(() => at.dispatched.length === 1)
      const { executionId } = at.dispatched[0]!.request
      await at.settle(at.engine.submit({ executionId, input: { type: 'cancel', reason: null, actor: ada } }))
      at.dispatched[0]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
      return { at, id, executionId }
    }

    it.each([
      ['directly', below({})],
      ['for an item', below({ forEach: { items: [1] } })],
      [
        'and whose failure was handled',
        below({}, [
          { id: 'cope', task: 'noop', startWhen: 'event:g.failed' },
          { id: 'odd', task: 'fail', startWhen: 'event:cope.completed', inputBindings: { message: 'odd' } },
        ]),
      ],
    ])('is not begun again by the retry of its grandparent, %s', async (_how, between) => {
      const { at, id, executionId } = await cancelled(between)
      await at.until(async () => {
        for (const { request, sink } of at.dispatched)
          if (request.task === 'noop') sink.done({ ok: true, outputs: {} })
          else if (request.task === 'fail')
            sink.done({ ok: false, error: { kind: 'task_failed', message: 'odd' } })
        return (await at.status(id)) === 'failed'
      })
      expect(at.dispatched.filter(({ request }) => request.task === 'set')).toHaveLength(1)
      expect((await at.runs.state(id))?.nodes.get('sub')).toMatchObject({
        attempts: 1,
        error: { kind: 'child_failed', detail: { cancelled_execution_id: executionId } },
      })
    })
  })

  it('pause and resume travel down', async () => {
    const at = await createOrchestratorFixture(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    await at.settle(
      at.engine.submit({
        executionId: id,
        input: { type: 'pause', reason: null, hard: false, actor: ada },
      }),
    )
    await at.until(async () => (await at.status(child)) === 'paused')
    await at.settle(at.engine.submit({ executionId: id, input: { type: 'resume', actor: ada } }))
    await at.until(async () => (await at.status(child)) === 'running')
  })

  it('[R-64] [R-69] [R-72] [R-74] what happens to its parent while it begins reaches it as well', async () => {
    const beginning = async (input: SubmitRequest['input']) => {
      let letGo = () => {}
      let asked = 0
      const held = new Promise<void>((resolve) => (letGo = resolve))
      const at = await createOrchestratorFixture(parent, {
        pipelines,
        beforeChild: () => ((asked += 1) === 1 ? held : Promise.resolve()),
      })
      const id = await at.started()
      at.finish('a')
      await at.until(() => asked === 1)
      const child = (await at.runs.state(id))!.nodes.get('sub')!.child!
      await at.settle(at.engine.submit({ executionId: id, input }))
      letGo()
      return { ...at, id, child }
    }
    const cancelled = await beginning({ type: 'cancel', reason: null, actor: ada })
    await cancelled.until(() => cancelled.dispatched[1]?.aborted === 'cancelled')
    cancelled.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await cancelled.until(async () => (await cancelled.status(cancelled.id)) === 'cancelled')
    expect(await cancelled.status(cancelled.child)).toBe('cancelled')

    const reset = await beginning({ type: 'rerun', nodes: ['sub'], actor: ada })
    await reset.until(() => reset.dispatched.some(({ aborted }) => aborted === 'cancelled'))
    const abandoned = reset.dispatched.find(({ aborted }) => aborted !== null)!
    expect(abandoned.request.executionId).toBe(reset.child)

    const paused = await beginning({ type: 'pause', reason: null, hard: false, actor: ada })
    await paused.until(async () => (await paused.status(paused.child)) === 'paused')
  })

  it('[R-18] [R-74] goes on when its parent is repaired', async () => {
    const at = await createOrchestratorFixture(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    expect(await at.settle(at.engine.repair(id))).toBe(true)
    at.finish('t')
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.status(child)).toBe('completed')
  })
})
