import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '@/core/engine/event'
import { logViolations, replayDiffers } from '@/core/engine/invariants'
import type { Rerun } from '@/core/engine/input'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import type { AttemptRequest, AttemptSink } from '@/server/ports/runner'
import { disposable, removeFolder, temporaryFolder } from '@/server/store/contract-fixtures'
import { openStore } from '@/server/store/open'
import { S, ada, gate, heavy, noop, set } from '@/testing/engine-run'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import { createOrchestrator } from './orchestrator'

type Dispatched = { readonly request: AttemptRequest; readonly sink: AttemptSink; aborted: boolean }

const folders: string[] = []
afterEach(() => folders.splice(0).forEach(removeFolder))

/** Orchestrators over one SQLite file, one after the other: `kill` leaves the present one as a dead process would. */
async function fixture(...definitions: (Partial<PipelineDefinition> & { nodes: NodeDefinition[] })[]) {
  const dataDir = temporaryFolder()
  folders.push(dataDir)
  const store = disposable(await openStore({ dataDir, tenantId: 'default' }))
  const world = new World(new Random(1))
  const artifacts = createMemoryArtifacts()
  const dispatched: Dispatched[] = []
  const problems: unknown[] = []
  let ids = 0
  for (const [index, parts] of definitions.entries()) {
    const id = `p${index}`
    const definition: PipelineDefinition = { schemaVersion: 1, id, name: id, ...parts }
    const revision = {
      pipelineId: id,
      definition: definition as never,
      text: null,
      digest: id,
      createdAt: 0,
      createdBy: 'ada',
      createdById: 'usr_ada',
    }
    await store.pipelines.create({ name: id, description: null, labels: {}, revision })
  }

  async function settle<T>(promise: Promise<T>): Promise<T> {
    let over = false
    promise.then(
      () => (over = true),
      () => (over = true),
    )
    for (let turn = 0; turn < 2_000 && !over; turn++) await world.advance()
    return promise
  }
  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 2_000; turn++) {
      if (await holds()) return
      await world.advance()
    }
    throw new Error('it never came to hold')
  }
  const boot = async () => {
    const orchestrator = createOrchestrator(
      {
        ...(world.guarded({ ...store }) as typeof store),
        artifacts,
        journal: world.guarded(store.journal),
        runner: {
          dispatch(request, sink) {
            const one: Dispatched = { request, sink, aborted: false }
            dispatched.push(one)
            return { abort: () => void (one.aborted = true) }
          },
          pools: () => [],
          preparation: () => null,
          stop: async () => undefined,
        },
        clock: world.clock(),
        ids: { execution: () => `x${ids++}`, artifact: () => 'none' },
        tasks: taskCatalog,
        warn: (what, error) => problems.push([what, error]),
        fatal: (error) => problems.push(error),
      },
      { maxConcurrentTasks: 10, mostComputed: 0 },
    )
    await settle(orchestrator.engine.recover())
    return orchestrator
  }
  let orchestrator = await boot()
  return {
    store,
    artifacts,
    world,
    problems,
    dispatched,
    settle,
    until,
    get engine() {
      return orchestrator.engine
    },
    get runs() {
      return orchestrator.runs
    },
    async kill() {
      world.crash()
      dispatched.length = 0
      orchestrator = await boot()
    },
    async start(pipelineId = 'p0', inputs = {}) {
      const request = {
        pipelineId,
        revision: 1,
        inputs,
        actor: ada,
        priority: 7,
        labels: { of: 'ada' },
        mocks: {},
      }
      const answer = await settle(orchestrator.engine.start(request))
      if (!answer.ok) throw new Error(answer.rejection.message)
      return answer.executionId
    },
    async rerun(executionId: string, nodes: Rerun) {
      const answer = await settle(
        orchestrator.engine.submit({ executionId, input: { type: 'rerun', nodes, actor: ada } }),
      )
      if (!answer.ok) throw new Error(answer.rejection.message)
    },
    /** The last worker of a node answers. */
    finish(nodeId: string, ok = true, outputs: JsonObject = {}) {
      const { sink } = dispatched.findLast(({ request }) => request.nodeId === nodeId)!
      sink.done(ok ? { ok: true, outputs } : { ok: false, error: { kind: 'task_failed', message: 'no' } })
    },
    sent: (nodeId: string) => dispatched.filter(({ request }) => request.nodeId === nodeId),
    status: async (executionId: string) => (await store.executions.get(executionId))?.status,
    async check(executionId: string) {
      const log = await store.journal.read(executionId)
      const state = (await settle(orchestrator.runs.state(executionId)))!
      expect(logViolations(log, state.pipeline.finallyNodes)).toEqual([])
      expect(replayDiffers(state, log)).toBe(false)
      expect(problems).toEqual([])
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const child = (id: string, pipeline: string, startWhen = S): NodeDefinition => ({ id, pipeline, startWhen })

describe('a rerun on disk', () => {
  it('[R-63] [R-64] opens a run that was over, and goes on after a kill right behind its commit', async () => {
    await using h = await fixture({ nodes: [heavy('a'), heavy('b', 'event:a.completed')] })
    const id = await h.start()
    h.finish('a')
    await h.until(() => h.sent('b').length === 1)
    h.finish('b', false)
    await h.until(async () => (await h.store.executions.get(id))?.closedAt != null)
    const keyBefore = h.sent('b')[0]!.request.idempotencyKey
    expect(await h.store.executions.open({ limit: 10 })).toEqual([])
    await h.rerun(id, 'failed')
    expect(await h.store.executions.get(id)).toMatchObject({
      status: 'running',
      finishedAt: null,
      closedAt: null,
      error: null,
    })
    expect(await h.store.executions.openCountOf('p0')).toBe(1)
    await h.kill()
    await h.until(() => h.sent('b').length === 1)
    expect(h.sent('a')).toEqual([])
    expect(h.sent('b')[0]!.request).toMatchObject({ generation: 2, attempt: 1 })
    expect(h.sent('b')[0]!.request.idempotencyKey).not.toBe(keyBefore)
    h.finish('b')
    await h.until(async () => (await h.status(id)) === 'completed')
    await h.check(id)
    expect(await h.store.events.has(id, 'b.failed')).toBe(false)
    expect(await h.store.events.has(id, 'pipeline.failed', { superseded: true })).toBe(true)
    // Both runs of the node count, each once.
    const durations = await h.store.statistics.ofPipeline('p0')
    expect(durations.find(({ nodeId }) => nodeId === 'b')).toMatchObject({ completed: 1, failed: 1 })
    expect(durations.find(({ nodeId }) => nodeId === 'a')).toMatchObject({ completed: 1, failed: 0 })
    expect(h.runs.admission().inUse).toBe(0)
  })

  it('[R-12] [R-57] [R-64] stops the worker of a reset attempt; its late result is refused and recorded', async () => {
    await using h = await fixture({ nodes: [heavy('a'), noop('b', 'event:a.completed')] })
    const id = await h.start()
    await h.rerun(id, ['a'])
    const [old, next] = h.sent('a')
    expect(old!.aborted).toBe(true)
    expect(next!.request).toMatchObject({ generation: 2 })
    expect(h.runs.admission().inUse).toBe(1)
    old!.sink.done({ ok: true, outputs: { result: 'late' } })
    await h.until(async () => (await h.store.attempts.listRefused(id, 'a')).length === 1)
    expect(await h.status(id)).toBe('running')
    h.finish('a')
    await h.until(() => h.sent('b').length === 1)
    h.finish('b')
    await h.until(async () => (await h.status(id)) === 'completed')
    await h.check(id)
  })

  it('[R-51] [R-64] takes a reset approval out of the inbox and puts it in again when it opens anew', async () => {
    await using h = await fixture({
      nodes: [noop('a'), gate('g', {}, 'event:a.completed && event:external.go')],
    })
    const id = await h.start()
    const publish = (eventType: string) =>
      h.settle(
        h.engine.submit({
          executionId: id,
          input: { type: 'publish_event', eventType, payload: {}, actor: ada },
        }),
      )
    h.finish('a')
    await publish('external.go')
    await h.until(async () => (await h.store.approvals.count()) === 1)
    const [before] = (await h.store.approvals.pending({ limit: 5 })).items
    h.world.now += 5_000
    await h.rerun(id, ['a'])
    expect(await h.store.approvals.count()).toBe(0)
    h.finish('a')
    await h.until(async () => (await h.store.approvals.count()) === 1)
    await h.rerun(id, ['g'])
    const [after] = (await h.store.approvals.pending({ limit: 5 })).items
    expect(after!.openedAt).toBeGreaterThan(before!.openedAt)
    await publish('external.g.approved')
    await h.until(async () => (await h.status(id)) === 'completed')
    expect(await h.store.approvals.count()).toBe(0)
    await h.check(id)
  })

  it('[R-64] [R-74] cancels the child of a reset node, also when the server ended before the child knew; a new child begins', async () => {
    await using h = await fixture({ nodes: [child('sub', 'p1')] }, { nodes: [heavy('work')] })
    const id = await h.start()
    await h.until(() => h.sent('work').length === 1)
    const first = h.sent('work')[0]!.request.executionId
    // The message to the child is lost with the server: only the parent's commit is there.
    await h.rerun(id, ['sub'])
    await h.kill()
    await h.until(async () => (await h.status(first)) === 'cancelled' || h.sent('work').length > 0)
    for (const { request, sink } of h.sent('work'))
      if (request.executionId === first)
        sink.done({ ok: false, error: { kind: 'cancelled', message: 'stopped' } })
    await h.until(async () => (await h.status(first)) === 'cancelled')
    await h.until(() => h.sent('work').some(({ request }) => request.executionId !== first))
    expect(await h.status(id)).toBe('running')
    h.finish('work')
    await h.until(async () => (await h.status(id)) === 'completed')
    await h.check(id)
  })
})

describe('a fork on disk', () => {
  const definition = {
    inputs: { n: { type: 'number' as const, default: 1 } },
    nodes: [heavy('a'), gate('g', {}, 'event:a.completed'), heavy('b', 'event:g.approved')],
  }

  async function decided() {
    const h = await fixture(definition)
    const id = await h.start('p0', { n: 1 })
    h.finish('a')
    await h.until(async () => (await h.store.approvals.count()) === 1)
    const input = {
      type: 'publish_event',
      eventType: 'external.g.approved',
      payload: {},
      actor: ada,
    } as const
    await h.settle(h.engine.submit({ executionId: id, input }))
    await h.until(() => h.sent('b').length === 1)
    const seq = (await h.store.events.get(id, 'g.completed'))!.seq
    return { h, id, seq }
  }

  it('[R-78] is a run of its own that goes on after a kill; the old run goes on as it was', async () => {
    const { h, id, seq } = await decided()
    await using _ = h
    const answer = await h.settle(h.engine.fork({ executionId: id, atSeq: seq, actor: ada }))
    if (!answer.ok) throw new Error(answer.rejection.message)
    const forked = answer.executionId
    expect(forked).not.toBe(id)
    await h.kill()
    await h.until(() => h.sent('b').length === 2)
    expect(h.sent('a')).toEqual([])
    expect(await h.store.executions.get(forked)).toMatchObject({
      priority: 7,
      labels: { of: 'ada' },
      requestedBy: 'ada',
    })
    for (const { sink } of h.sent('b')) sink.done({ ok: true, outputs: {} })
    await h.until(
      async () => (await h.status(id)) === 'completed' && (await h.status(forked)) === 'completed',
    )
    await h.check(id)
    await h.check(forked)
    expect((await h.store.journal.read(forked))[0]?.event.payload['origin']).toEqual({
      execution_id: id,
      seq,
    })
  })

  it('[R-65] [R-78] at seq 0 it is a new run from the start; new inputs open gates again; the same inputs do not', async () => {
    const { h, id, seq } = await decided()
    await using _ = h
    const at = async (atSeq: number, inputs?: { n: number }) => {
      const request = { executionId: id, atSeq, actor: ada, ...(inputs === undefined ? {} : { inputs }) }
      const answer = await h.settle(h.engine.fork(request))
      if (!answer.ok) throw new Error(answer.rejection.message)
      const state = (await h.settle(h.runs.state(answer.executionId)))!
      return Object.fromEntries([...state.nodes].map(([node, { status }]) => [node, status]))
    }
    expect(await at(0)).toEqual({ a: 'running', g: 'pending', b: 'pending' })
    expect(await at(seq, { n: 1 })).toEqual({ a: 'completed', g: 'completed', b: 'running' })
    expect(await at(seq, { n: 2 })).toEqual({ a: 'completed', g: 'waiting', b: 'pending' })
  })

  it('[R-73] [R-78] refuses what it cannot do, and answers a repeated key with the same run', async () => {
    const { h, id } = await decided()
    await using _ = h
    const refused = async (more: object) => {
      const answer = await h.settle(h.engine.fork({ executionId: id, atSeq: 1, actor: ada, ...more }))
      return answer.ok ? 'not refused' : answer.rejection.code
    }
    expect(await refused({ executionId: 'nowhere' })).toBe('not_found')
    expect(await refused({ revision: 9 })).toBe('not_found')
    expect(await refused({ atSeq: 10_000 })).toBe('unknown_seq')
    expect(await refused({ inputs: { n: 'many' } })).toBe('invalid_inputs')
    const idempotency = { scope: 'fork', key: 'k', requestDigest: 'd' }
    const request = { executionId: id, atSeq: 0, actor: ada, idempotency }
    const first = await h.settle(h.engine.fork(request))
    expect(await h.settle(h.engine.fork(request))).toEqual({ ...first, repeated: true })
  })

  it('[R-61] [R-78] takes over files and large values of the nodes that had ended, and of no other', async () => {
    await using h = await fixture({
      nodes: [
        heavy('a'),
        heavy('other'),
        set('b', { all: '{{ a.result }}', file: '{{ a.file }}' }, 'event:a.completed'),
      ],
    })
    const id = await h.start()
    const about = { executionId: id, contentType: 'text/plain', bytes: new TextEncoder().encode('x') }
    const file = await h.artifacts.putBytes({ ...about, nodeId: 'a', name: 'a.txt', artifactId: 'f1' })
    await h.artifacts.putBytes({ ...about, nodeId: 'other', name: 'o.txt', artifactId: 'f2' })
    const large = 'x'.repeat(2 * 1024 * 1024)
    h.finish('a', true, { result: large, file: { artifact_id: 'f1' } })
    await h.until(() => h.sent('b').length === 1)
    const { seq } = (await h.store.events.get(id, 'a.completed'))!
    const answer = await h.settle(h.engine.fork({ executionId: id, atSeq: seq, actor: ada }))
    if (!answer.ok) throw new Error(answer.rejection.message)
    const forked = answer.executionId
    const shared = await h.artifacts.list(forked)
    expect(shared.map(({ name, digest }) => [name, digest === file.digest])).toEqual([
      ['a.txt', true],
      ['a.result.json', false],
    ])
    await h.until(() => h.sent('b').length === 2)
    expect(h.sent('b').find(({ request }) => request.executionId === forked)?.request.input).toEqual({
      all: large,
      file: { artifact_id: 'f1' },
    })
    expect((await h.store.variables.get(forked, 'a.result'))?.ref?.artifact_id).toBe(shared[1]!.artifactId)
  })

  it('[N-17] [R-78] keeps no file of a run that was refused', async () => {
    await using h = await fixture({
      policy: { maxRunning: 1, whenFull: 'refuse' },
      nodes: [heavy('a'), heavy('b', 'event:a.completed')],
    })
    const id = await h.start()
    const about = { executionId: id, contentType: 'text/plain', bytes: new TextEncoder().encode('x') }
    await h.artifacts.putBytes({ ...about, nodeId: 'a', name: 'a.txt' })
    h.finish('a')
    await h.until(() => h.sent('b').length === 1)
    const given: string[] = []
    // In memory are the contents; the rows that the store removes are its own.
    h.artifacts.share = async (row, to) => {
      given.push(to)
      await h.store.artifactRows.insert({ ...row, executionId: to })
    }
    const { seq } = (await h.store.events.get(id, 'a.completed'))!
    const answer = await h.settle(h.engine.fork({ executionId: id, atSeq: seq, actor: ada }))
    expect(answer.ok ? 'not refused' : answer.rejection.code).toBe('too_many_running')
    expect(given).toHaveLength(1)
    await h.until(async () => (await h.store.artifactRows.list(given[0]!)).length === 0)
  })

  it('[R-74] [R-78] of a child is a run without a parent', async () => {
    await using h = await fixture({ nodes: [child('sub', 'p1')] }, { nodes: [heavy('work')] })
    await h.start()
    await h.until(() => h.sent('work').length === 1)
    const of = h.sent('work')[0]!.request.executionId
    const answer = await h.settle(h.engine.fork({ executionId: of, atSeq: 3, actor: ada }))
    if (!answer.ok) throw new Error(answer.rejection.message)
    const state = await h.settle(h.runs.state(answer.executionId))
    expect(state).toMatchObject({ parent: null, origin: { executionId: of, seq: 3 } })
  })
})
