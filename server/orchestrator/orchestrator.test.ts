import { describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition'
import { taskCatalog } from '@/core/tasks/catalog'
import type { Batch, CommitResult, ExecutionWrite, Journal } from '@/server/ports/journal'
import type { AttemptRequest, AttemptSink, Runner } from '@/server/ports/runner'
import type { OwedDelivery, Outbox } from '@/server/ports/webhooks'
import { openMemoryStore } from '@/server/store/memory/open'
import { S, ada, gate, heavy, noop, wait } from '@/testing/engine-run'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import type { SubmitRequest } from './contract'
import { createOrchestrator } from './orchestrator'
import type { OrchestratorSettings } from './orchestrator-ports'

type Dispatched = { readonly request: AttemptRequest; readonly sink: AttemptSink; aborted: string | null }

/** A real orchestrator over the store in memory, on a virtual clock, with workers that the test plays itself. */
async function house(
  nodes: readonly NodeDefinition[],
  options: Partial<OrchestratorSettings> & {
    wakeUps?: boolean
    journal?: (real: Journal) => Journal
    pipelines?: readonly PipelineDefinition[]
    outbox?: Outbox
    /** Called before the pipeline of a child is looked up. */
    beforeChild?: () => Promise<void>
  } = {},
) {
  const world = new World(new Random(1))
  const store = openMemoryStore()
  const dispatched: Dispatched[] = []
  const fatal: unknown[] = []
  const warnings: string[] = []
  const runner: Runner = {
    dispatch(request, sink) {
      const one: Dispatched = { request, sink, aborted: null }
      dispatched.push(one)
      return { abort: (reason) => void (one.aborted = reason) }
    },
    stop: async () => undefined,
  }
  const clock = world.clock()
  const sweepEveryMs = 30_000
  const definition: PipelineDefinition = { schemaVersion: 1, id: 'p', name: 'p', nodes: [...nodes] }
  const revision = {
    pipelineId: 'p',
    definition: definition as never,
    text: null,
    digest: 'd',
    createdAt: 0,
    createdBy: 'ada',
  }
  await store.pipelines.create({ name: 'p', description: null, labels: {}, revision })
  for (const other of options.pipelines ?? []) {
    const own = { ...revision, pipelineId: other.id, definition: other as never, digest: other.id }
    await store.pipelines.create({ name: other.id, description: null, labels: {}, revision: own })
  }
  let ids = 0
  const orchestrator = createOrchestrator(
    {
      ...store,
      pipelines: {
        ...store.pipelines,
        async get(id) {
          if (id === 'child') await options.beforeChild?.()
          return store.pipelines.get(id)
        },
      },
      journal: options.journal?.(store.journal) ?? store.journal,
      artifacts: createMemoryArtifacts(),
      runner,
      // With wake-ups lost only the sweep, which is set for its own distance, still fires.
      clock:
        options.wakeUps === false
          ? {
              ...clock,
              at: (at, wake) => (at - clock.now() === sweepEveryMs ? clock.at(at, wake) : () => undefined),
            }
          : clock,
      ids: { execution: () => `x${ids++}`, artifact: () => 'none' },
      tasks: taskCatalog,
      ...(options.outbox && { outbox: options.outbox }),
      warn: (what) => warnings.push(what),
      fatal: (error) => fatal.push(error),
    },
    { maxConcurrentTasks: 10, sweepEveryMs, ...options },
  )
  /** Lets the world go on until the promise is settled. */
  async function settle<T>(promise: Promise<T>): Promise<T> {
    let over = false
    void promise.then(
      () => (over = true),
      () => (over = true),
    )
    for (let turn = 0; turn < 500; turn++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (over) break
      await world.advance()
    }
    return promise
  }
  /** Lets the world go on until `holds`; fails when it comes to rest before. */
  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 500; turn++) {
      if (await holds()) return
      await world.advance()
    }
    throw new Error('it never came to hold')
  }
  const start = (
    more: { priority?: number; idempotency?: { scope: string; key: string; requestDigest: string } } = {},
  ) =>
    settle(
      orchestrator.start({
        pipelineId: 'p',
        revision: 1,
        inputs: {},
        actor: ada,
        priority: 5,
        labels: {},
        mocks: {},
        ...more,
      }),
    )
  const started = async (priority = 5) => {
    const answer = await start({ priority })
    if (!answer.ok) throw new Error(answer.rejection.message)
    return answer.executionId
  }
  const publish = (
    executionId: string,
    eventType: string,
    idempotency?: { scope: string; key: string; requestDigest: string },
  ) =>
    settle(
      orchestrator.submit({
        executionId,
        input: { type: 'publish_event', eventType, payload: {}, actor: ada },
        ...(idempotency === undefined ? {} : { idempotency }),
      }),
    )
  /** The worker of a node answers with its input. */
  const finish = (node: string) => {
    const { request, sink } = dispatched.findLast((one) => one.request.nodeId === node)!
    sink.done({ ok: true, outputs: request.input })
  }
  const status = async (executionId: string) => (await store.executions.get(executionId))?.status
  await settle(orchestrator.recover())
  return {
    world,
    store,
    orchestrator,
    dispatched,
    fatal,
    warnings,
    settle,
    until,
    start,
    started,
    publish,
    finish,
    status,
  }
}

/** `external.go`, written by somebody else. */
function foreignWrite(executionId: string, expectedSeq: number): ExecutionWrite {
  const seq = expectedSeq + 1
  const event: Event = {
    id: `${executionId}.${seq}`,
    execution_id: executionId,
    seq,
    type: 'external.go',
    source: { entity_type: 'external', entity_id: 'go' },
    generation: 1,
    payload: {},
    timestamp: '2026-06-01T00:00:00.000Z',
  }
  return { executionId, expectedSeq, entries: [{ event, variables: [] }] }
}

describe('the orchestrator', () => {
  it('[E-19][R-1] with every wake-up lost the sweep still finishes a run; nobody else does anything', async () => {
    const at = await house([wait('w', '10s')], { wakeUps: false })
    const id = await at.started()
    const begun = at.world.now
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(at.world.now - begun).toBeGreaterThanOrEqual(20_000)
    expect(at.world.now - begun).toBeLessThanOrEqual(30_000)
  })

  it('[E-19][R-19] the stores are passive: an event written behind the back of the engine moves nothing by itself', async () => {
    const at = await house([noop('a', 'event:pipeline.started && event:external.go')])
    const id = await at.started()
    const seq = (await at.store.journal.read(id)).length
    await at.store.journal.commit({ executions: [foreignWrite(id, seq)] })
    expect(at.dispatched).toEqual([])
    expect(await at.store.events.has(id, 'a.started')).toBe(false)
    // The next input conflicts with the foreign entry: the run is folded again, and the input is decided on what is there.
    expect(await at.publish(id, 'external.more')).toMatchObject({ ok: true })
    const types = (await at.store.journal.read(id)).map(({ event }) => event.type)
    expect(types.slice(seq)).toEqual(['external.go', 'external.more', 'a.started', 'a.task.started'])
    expect(at.fatal).toEqual([])
  })

  it('[R-19] what events owe is written by their commit and may leave after it; what conflicted never leaves', async () => {
    const told: OwedDelivery[] = []
    const batches: Batch[] = []
    const at = await house([noop('a', 'event:pipeline.started && event:external.go')], {
      journal: (real) => ({
        ...real,
        async commit(batch) {
          const before = told.length
          const result = await real.commit(batch)
          expect(told).toHaveLength(before)
          if (result.conflicts.length === 0) batches.push(batch)
          return result
        },
      }),
      outbox: {
        owed: (pipelineId, entries) => entries.map(({ event }) => ({ webhookId: pipelineId, event })),
        committed: (owed) => told.push(...owed),
      },
    })
    const id = await at.started()
    const seq = (await at.store.journal.read(id)).length
    await at.store.journal.commit({ executions: [foreignWrite(id, seq)] })
    expect(await at.publish(id, 'external.more')).toMatchObject({ ok: true })
    const stored = (await at.store.journal.read(id)).map(({ event }) => event)
    const own = stored.filter((event) => event.seq !== seq + 1)
    expect(told).toEqual(own.map((event) => ({ webhookId: 'p', event })))
    expect(batches.flatMap((batch) => batch.executions.flatMap((write) => write.deliveries ?? []))).toEqual(
      told,
    )
  })

  it('[R-73] a key gives the first answer again, at once, later and after the end; another request with it is a conflict', async () => {
    const at = await house([noop('a', 'event:pipeline.started && event:external.go')])
    const key = { scope: 's', key: 'k', requestDigest: 'one' }
    const [first, second] = await at.settle(
      Promise.all([at.start({ idempotency: key }), at.start({ idempotency: key })]),
    )
    expect(first).toMatchObject({ ok: true })
    expect(second).toMatchObject({ ok: true, executionId: (first as { executionId: string }).executionId })
    expect((await at.store.executions.list({ limit: 10 })).items).toHaveLength(1)
    expect(await at.start({ idempotency: { ...key, requestDigest: 'two' } })).toMatchObject({
      ok: false,
      rejection: { code: 'idempotency_conflict' },
    })

    const id = (first as { executionId: string }).executionId
    const event = { scope: 'e', key: 'k', requestDigest: 'go' }
    const published = await at.publish(id, 'external.go', event)
    at.dispatched[0]!.sink.done({ ok: true, outputs: {} })
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.publish(id, 'external.go', event)).toEqual({ ...published, repeated: true })
    expect(await at.publish(id, 'external.go')).toMatchObject({
      ok: false,
      rejection: { code: 'execution_finished' },
    })
  })

  it('[H-13][R-4] nobody is answered and nothing is read before the commit', async () => {
    let release: () => void = () => undefined
    let held: Batch[] = []
    const at = await house([noop('a')], {
      journal: (real) => ({
        ...real,
        async commit(batch): Promise<CommitResult> {
          held.push(batch)
          await new Promise<void>((resolve) => (release = resolve))
          return real.commit(batch)
        },
      }),
    })
    let answered = false
    const answer = at.orchestrator
      .start({ pipelineId: 'p', revision: 1, inputs: {}, actor: ada, priority: 5, labels: {}, mocks: {} })
      .finally(() => (answered = true))
    await at.until(() => held.length === 1)
    let read = false
    void at.orchestrator.state('x0').then(() => (read = true))
    for (let turn = 0; turn < 20; turn++) await at.world.advance()
    expect([answered, read, at.dispatched.length]).toEqual([false, false, 0])
    held = []
    release()
    expect(await at.settle(answer)).toMatchObject({ ok: true, executionId: 'x0' })
    expect(at.dispatched).toHaveLength(1)
  })

  it('a journal that cannot be written acknowledges nothing any more and ends the process', async () => {
    const at = await house([noop('a')], {
      journal: (real) => ({ ...real, commit: () => Promise.reject(new Error('disk full')) }),
    })
    await expect(at.start()).rejects.toThrow('disk full')
    expect(at.fatal).toHaveLength(1)
    await expect(at.start()).rejects.toThrow('disk full')
    expect(at.dispatched).toEqual([])
  })

  it('a parked run leaves memory and comes back when something happens to it', async () => {
    const at = await house([gate('g'), noop('b', 'event:g.approved')], { idleKept: 0 })
    const id = await at.started()
    expect(await at.status(id)).toBe('waiting')
    expect(await at.publish(id, 'external.g.approved')).toMatchObject({ ok: true })
    at.dispatched[0]!.sink.done({ ok: true, outputs: {} })
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.publish('nobody', 'external.x')).toMatchObject({
      ok: false,
      rejection: { code: 'not_found' },
    })
  })

  it('[R-57] a late result is kept as a record of the attempt, never as an event', async () => {
    const at = await house([heavy('a', S, { timeout: '5s' })])
    const id = await at.started()
    await at.until(async () => (await at.status(id)) === 'failed')
    expect(at.dispatched[0]!.aborted).toBe('timeout')
    const length = (await at.store.journal.read(id)).length
    at.dispatched[0]!.sink.done({ ok: true, outputs: { result: 1 } })
    await at.until(async () => (await at.store.attempts.listRefused(id, 'a')).length === 1)
    expect(await at.store.journal.read(id)).toHaveLength(length)
  })

  it('[R-69] a cancel tells what runs, and the run ends when it has ended', async () => {
    const at = await house([heavy('a'), noop('b', 'event:a.completed')])
    const id = await at.started()
    const cancel = () =>
      at.settle(
        at.orchestrator.submit({ executionId: id, input: { type: 'cancel', reason: 'enough', actor: ada } }),
      )
    expect(await cancel()).toMatchObject({ ok: true })
    expect(at.dispatched[0]!.aborted).toBe('cancelled')
    expect(await at.status(id)).toBe('running')
    expect(await cancel()).toMatchObject({ ok: true, entries: [] })
    at.dispatched[0]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await at.until(async () => (await at.status(id)) === 'cancelled')
  })

  it('slots are shared across runs: the higher priority first, then who waits longest', async () => {
    const at = await house([heavy('a')], { maxConcurrentTasks: 1 })
    const first = await at.started()
    const late = await at.started(5)
    at.world.now += 1_000
    const later = await at.started(5)
    const urgent = await at.started(9)
    expect(at.dispatched.map(({ request }) => request.executionId)).toEqual([first])
    expect(at.orchestrator.admission()).toMatchObject({
      slots: 1,
      inUse: 1,
      queued: [{ executionId: urgent }, { executionId: late }, { executionId: later }],
    })
    for (let turn = 0; turn < 4; turn++) {
      at.dispatched.at(-1)!.sink.done({ ok: true, outputs: { result: 1 } })
      const next = turn + 2
      await at.until(() => at.dispatched.length === Math.min(next, 4))
    }
    expect(at.dispatched.map(({ request }) => request.executionId)).toEqual([first, urgent, late, later])
  })

  it('a failed node leaves statistics as an outcome, a completed one its duration, and estimates are their median', async () => {
    const at = await house([heavy('a')])
    for (const duration of [100, 300, 200]) {
      await at.started()
      at.world.now += duration
      at.dispatched.at(-1)!.sink.done({ ok: true, outputs: { result: 1 } })
      await at.until(() => at.orchestrator.admission().inUse === 0)
    }
    expect((await at.orchestrator.estimates('p')).get('a')).toBe(200)
    expect(await at.store.statistics.ofPipeline('p')).toMatchObject([
      { nodeId: 'a', completed: 3, failed: 0, durations: [100, 300, 200] },
    ])
  })
})

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
    const at = await house(parent, { pipelines })
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
    expect((await at.orchestrator.state(child))?.parent).toMatchObject({ executionId: id, depth: 1 })
  })

  it('[N-O8][C-8] its failure is the node’s, with the child named', async () => {
    const at = await house(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    at.dispatched[1]!.sink.done({ ok: false, error: { kind: 'task_failed', message: 'odd' } })
    await at.until(async () => (await at.status(id)) === 'failed')
    const child = at.dispatched[1]!.request.executionId
    const node = (await at.orchestrator.state(id))?.nodes.get('sub')
    expect(node).toMatchObject({
      status: 'failed',
      error: { kind: 'child_failed', detail: { execution_id: child } },
    })
  })

  it('a pipeline that is not there, or takes other inputs, fails the node', async () => {
    const absent = await house([{ ...sub, startWhen: S, inputBindings: {} }])
    const id = await absent.started()
    await absent.until(async () => (await absent.status(id)) === 'failed')
    const other = await house([{ ...sub, startWhen: S, inputBindings: { f: 3 } }], { pipelines })
    const second = await other.started()
    await other.until(async () => (await other.status(second)) === 'failed')
    expect((await other.orchestrator.state(second))?.error).toMatchObject({ kind: 'invalid_input' })
  })

  it('[R-69][R-74] a cancel travels down and is awaited; a child cancelled on its own fails the node', async () => {
    const at = await house(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    const cancel = (executionId: string) =>
      at.settle(at.orchestrator.submit({ executionId, input: { type: 'cancel', reason: null, actor: ada } }))
    await cancel(id)
    await at.until(() => at.dispatched[1]!.aborted !== null)
    at.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await at.until(async () => (await at.status(id)) === 'cancelled')
    expect(await at.status(child)).toBe('cancelled')

    const again = await house(parent, { pipelines })
    const second = await again.started()
    again.finish('a')
    await again.until(() => again.dispatched.length === 2)
    await again.settle(
      again.orchestrator.submit({
        executionId: again.dispatched[1]!.request.executionId,
        input: { type: 'cancel', reason: null, actor: ada },
      }),
    )
    again.dispatched[1]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await again.until(async () => (await again.status(second)) === 'failed')
    expect((await again.orchestrator.state(second))?.nodes.get('sub')).toMatchObject({
      error: { kind: 'child_failed' },
    })
  })

  it('pause and resume travel down', async () => {
    const at = await house(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    await at.settle(
      at.orchestrator.submit({
        executionId: id,
        input: { type: 'pause', reason: null, hard: false, actor: ada },
      }),
    )
    await at.until(async () => (await at.status(child)) === 'paused')
    await at.settle(at.orchestrator.submit({ executionId: id, input: { type: 'resume', actor: ada } }))
    await at.until(async () => (await at.status(child)) === 'running')
  })

  it('[R-64] [R-69] [R-72] [R-74] what its parent is told while it begins is told to it as well', async () => {
    const beginning = async (input: SubmitRequest['input']) => {
      let letGo = () => {}
      let asked = 0
      const held = new Promise<void>((resolve) => (letGo = resolve))
      const at = await house(parent, {
        pipelines,
        beforeChild: () => ((asked += 1) === 1 ? held : Promise.resolve()),
      })
      const id = await at.started()
      at.finish('a')
      await at.until(() => asked === 1)
      const child = (await at.orchestrator.state(id))!.nodes.get('sub')!.child!
      await at.settle(at.orchestrator.submit({ executionId: id, input }))
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
    const at = await house(parent, { pipelines })
    const id = await at.started()
    at.finish('a')
    await at.until(() => at.dispatched.length === 2)
    const child = at.dispatched[1]!.request.executionId
    expect(await at.settle(at.orchestrator.repair(id))).toBe(true)
    at.finish('t')
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.status(child)).toBe('completed')
  })
})
