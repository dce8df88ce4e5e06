import type { Entry } from '@/core/engine/event'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import type { Engine, StartRequest } from '@/server/orchestrator/contract'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { OrchestratorSettings } from '@/server/orchestrator/orchestrator-ports'
import type { Clock } from '@/server/ports/clock'
import type { Journal } from '@/server/ports/journal'
import type { AttemptRequest, AttemptSink, Runner } from '@/server/ports/runner'
import type { Outbox } from '@/server/ports/webhooks'
import { openMemoryStore } from '@/server/store/memory/open'
import { ada } from './engine-run'
import { createMemoryArtifacts } from './memory-artifacts'
import { Random } from './simulation/random'
import { World } from './simulation/world'

type Dispatched = { readonly request: AttemptRequest; readonly sink: AttemptSink; aborted: string | null }

type FixtureOptions = Partial<OrchestratorSettings> & {
  wakeUps?: boolean
  journal?: (real: Journal) => Journal
  pipelines?: readonly PipelineDefinition[]
  outbox?: Outbox
  /** The process dies once these entries are durable, before anybody is answered. Asked after every commit. */
  crashAfter?: (entries: readonly Entry[]) => boolean
  /** Called before the first child begins, when its pipeline is known. */
  beforeChild?: () => Promise<void>
  /** The test says by `sink.begun()` when work begins; absent: it begins with its dispatch. */
  unprepared?: boolean
  /** Child processes at once; absent: any number. */
  children?: number
}

const SWEEP_EVERY_MS = 30_000

/** A real orchestrator over the store in memory, on a virtual clock, with workers that the test plays itself. */
export async function createOrchestratorFixture(
  nodes: readonly NodeDefinition[],
  options: FixtureOptions = {},
) {
  const world = new World(new Random(1))
  const own: PipelineDefinition = { schemaVersion: 1, id: 'p', name: 'p', nodes: [...nodes] }
  const store = await storeWith([own, ...(options.pipelines ?? [])])
  const { runner, dispatched, finish } = createPlayedWorkers(options)
  const fatal: unknown[] = []
  const warnings: string[] = []
  let ids = 0
  const boot = () =>
    createOrchestrator(
      {
        ...store,
        statistics: {
          ...store.statistics,
          async ofPipeline(id) {
            if (id === 'child') await options.beforeChild?.()
            return store.statistics.ofPipeline(id)
          },
        },
        journal: mortalJournal(world, options.journal?.(store.journal) ?? store.journal, options),
        artifacts: createMemoryArtifacts(),
        runner,
        clock: options.wakeUps === false ? sweepOnly(world.clock()) : world.clock(),
        ids: { execution: () => `x${ids++}`, artifact: () => 'none' },
        tasks: taskCatalog,
        ...(options.outbox && { outbox: options.outbox }),
        warn: (what) => warnings.push(what),
        fatal: (error) => fatal.push(error),
      },
      { maxConcurrentTasks: 10, sweepEveryMs: SWEEP_EVERY_MS, mostComputed: 0, ...options },
    )
  let orchestrator = boot()
  const settle = <T>(promise: Promise<T>): Promise<T> => runUntil(world, promise)
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
    until: (holds: () => boolean | Promise<boolean>) => advanceUntil(world, holds),
    ...userOf(() => orchestrator.engine, settle),
    finish,
    status,
  }
}

/** What ada asks of the engine that runs now. */
function userOf(engine: () => Engine, settle: <T>(promise: Promise<T>) => Promise<T>) {
  const start = (more: Partial<Pick<StartRequest, 'priority' | 'idempotency' | 'mocks'>> = {}) =>
    settle(
      engine().start({
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
      engine().submit({
        executionId,
        input: { type: 'publish_event', eventType, payload: {}, actor: ada },
        ...(idempotency === undefined ? {} : { idempotency }),
      }),
    )
  return { start, started, publish }
}

/** The store in memory, with the first revisions of these pipelines. */
async function storeWith(definitions: readonly PipelineDefinition[]) {
  const store = openMemoryStore()
  for (const definition of definitions) {
    const { id } = definition
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
  return store
}

/** Workers of which every answer is given by the test. */
function createPlayedWorkers({ unprepared, children }: Pick<FixtureOptions, 'unprepared' | 'children'>) {
  const dispatched: Dispatched[] = []
  const runner: Runner = {
    dispatch(request, sink) {
      const one: Dispatched = { request, sink, aborted: null }
      dispatched.push(one)
      // Nothing has to be prepared for who only plays; the work of somebody who is gone by then does not begin.
      if (!unprepared) queueMicrotask(() => one.aborted ?? sink.begun())
      return { abort: (reason) => void (one.aborted = reason) }
    },
    pools: () =>
      children === undefined ? [] : [{ name: CHILDREN, tasks: [], capacity: children, used: 0, waiting: 0 }],
    preparation: () => null,
    stop: async () => undefined,
  }
  return {
    runner,
    dispatched,
    /** The worker of a node answers with its input. */
    finish(node: string): void {
      const { request, sink } = dispatched.findLast((one) => one.request.nodeId === node)!
      sink.done({ ok: true, outputs: request.input })
    },
  }
}

/** The journal of one process, which may die with a commit. */
function mortalJournal(world: World, journal: Journal, { crashAfter }: FixtureOptions): Journal {
  const { epoch } = world
  return world.guarded<Journal>({
    read: journal.read.bind(journal),
    claim: journal.claim.bind(journal),
    async commit(batch) {
      const result = await journal.commit(batch)
      const entries = batch.executions.flatMap((write) => write.entries)
      if (crashAfter?.(entries) === true) world.crash()
      // Who is gone gets no answer.
      return world.epoch === epoch ? result : new Promise<never>(() => undefined)
    },
  })
}

/** With wake-ups lost only the sweep, which is set for its own distance, still fires. */
function sweepOnly(clock: Clock): Clock {
  return {
    ...clock,
    at: (at, wake) => (at - clock.now() === SWEEP_EVERY_MS ? clock.at(at, wake) : () => undefined),
  }
}

/** Lets the world go on until the promise is settled. */
async function runUntil<T>(world: World, promise: Promise<T>): Promise<T> {
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
async function advanceUntil(world: World, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn++) {
    if (await holds()) return
    await world.advance()
  }
  throw new Error('it never came to hold')
}
