import type { Entry } from '@/core/engine/event'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { OrchestratorSettings } from '@/server/orchestrator/orchestrator-ports'
import type { Journal } from '@/server/ports/journal'
import type { AttemptRequest, AttemptSink, Runner } from '@/server/ports/runner'
import type { Outbox } from '@/server/ports/webhooks'
import { openMemoryStore } from '@/server/store/memory/open'
import { ada } from './engine-run'
import { createMemoryArtifacts } from './memory-artifacts'
import { Random } from './simulation/random'
import { World } from './simulation/world'

type Dispatched = { readonly request: AttemptRequest; readonly sink: AttemptSink; aborted: string | null }

/** A real orchestrator over the store in memory, on a virtual clock, with workers that the test plays itself. */
export async function createOrchestratorFixture(
  nodes: readonly NodeDefinition[],
  options: Partial<OrchestratorSettings> & {
    wakeUps?: boolean
    journal?: (real: Journal) => Journal
    pipelines?: readonly PipelineDefinition[]
    outbox?: Outbox
    /** The process dies once these entries are durable, before anybody is answered. Asked after every commit. */
    crashAfter?: (entries: readonly Entry[]) => boolean
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
    pools: () => [],
    stop: async () => undefined,
  }
  const sweepEveryMs = 30_000
  const definition: PipelineDefinition = { schemaVersion: 1, id: 'p', name: 'p', nodes: [...nodes] }
  const revision = {
    pipelineId: 'p',
    definition: definition as never,
    text: null,
    digest: 'd',
    createdAt: 0,
    createdBy: 'ada',
    createdById: 'usr_ada',
  }
  await store.pipelines.create({ name: 'p', description: null, labels: {}, revision })
  for (const other of options.pipelines ?? []) {
    const own = { ...revision, pipelineId: other.id, definition: other as never, digest: other.id }
    await store.pipelines.create({ name: other.id, description: null, labels: {}, revision: own })
  }
  let ids = 0
  const boot = () => {
    const { epoch } = world
    const clock = world.clock()
    const journal = options.journal?.(store.journal) ?? store.journal
    return createOrchestrator(
      {
        ...store,
        pipelines: {
          ...store.pipelines,
          async get(id) {
            if (id === 'child') await options.beforeChild?.()
            return store.pipelines.get(id)
          },
        },
        journal: world.guarded({
          read: journal.read.bind(journal),
          claim: journal.claim.bind(journal),
          async commit(batch) {
            const result = await journal.commit(batch)
            const entries = batch.executions.flatMap((write) => write.entries)
            if (options.crashAfter?.(entries) === true) world.crash()
            // Who is gone gets no answer.
            return world.epoch === epoch ? result : new Promise<never>(() => undefined)
          },
        }),
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
      { maxConcurrentTasks: 10, sweepEveryMs, mostComputed: 0, ...options },
    )
  }
  let orchestrator = boot()
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
      orchestrator.engine.start({
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
      orchestrator.engine.submit({
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
  /** The process is gone, if it was not yet; another one opens the same store. Nobody is at the work of before. */
  async function reboot(): Promise<void> {
    world.crash()
    orchestrator = boot()
    await settle(orchestrator.engine.recover())
  }
  await settle(orchestrator.engine.recover())
  return {
    world,
    store,
    get engine() {
      return orchestrator.engine
    },
    get runs() {
      return orchestrator.runs
    },
    get feed() {
      return orchestrator.feed
    },
    reboot,
    /** Another engine on the same store, in the same world: it has done nothing yet. */
    another: boot,
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
