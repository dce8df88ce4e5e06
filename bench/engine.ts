import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@/core/engine/event'
import type { Principal } from '@/core/engine/principal'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { openArtifactStore } from '@/server/artifacts/open'
import { watchEvaluations } from '@/core/pipeline/expression/watch'
import { createEgress } from '@/server/egress/client'
import { addProcessMetrics } from '@/server/observe/gauges'
import { countCommit, measureJournal } from '@/server/observe/measured'
import { createMetrics } from '@/server/observe/metrics'
import type { Engine, Feed } from '@/server/orchestrator/contract'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { Batch, Journal } from '@/server/ports/journal'
import { createRunner } from '@/server/runner/runner'
import { openStore, type SqliteStore } from '@/server/store/open'
import { createSystemClock } from '@/server/system-clock'
import { createSystemIds } from '@/server/system-ids'

/** The real engine over a real file, with a tap on what it commits. */
export type BenchEngine = {
  readonly engine: Engine
  readonly feed: Feed
  readonly store: SqliteStore
  readonly batches: Batch[]
  define(definition: PipelineDefinition): Promise<void>
  /** Starts a run; resolves with its id when that is durable. */
  start(pipelineId: string, inputs?: JsonObject): Promise<string>
  /** Starts a run; resolves when its outcome is durable. */
  run(pipelineId: string, inputs?: JsonObject): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

type PromiseWithResolver = { readonly promise: Promise<void>; readonly resolve: () => void }

/** Who asks. */
export const benchActor: Principal = {
  id: 'usr_bench',
  kind: 'user',
  name: 'bench',
  roles: ['approver'],
  via: 'session',
}

/** @param options.dataDir a folder that stays; absent: one of its own, which goes with the engine */
export async function openEngine(options: { keepBatches: boolean; dataDir?: string }): Promise<BenchEngine> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'penstock-bench-'))
  const store = await openStore({ dataDir, tenantId: 'default' })
  const clock = createSystemClock()
  const ids = createSystemIds()
  const batches: Batch[] = []
  const fail = (what: unknown) => {
    process.stderr.write(`${String(what)}\n`)
    process.exit(1)
  }
  const artifacts = openArtifactStore({ dataDir, rows: store.artifactRows, clock, ids })
  const runner = createRunner({
    childEntry: new URL('./runner.mjs', import.meta.url),
    filesDir: join(dataDir, 'files'),
    workRoot: join(dataDir, 'work'),
    artifacts,
    clock,
    egress: createEgress({ allow: [] }),
    disabledTasks: new Map(),
    log: fail,
  })
  const measurement = measure(store.journal)
  const journal = {
    ...measurement.journal,
    commit(batch: Batch) {
      if (options.keepBatches) batches.push(batch)
      return measurement.journal.commit(batch)
    },
  }
  const { engine, feed } = createOrchestrator(
    {
      ...store,
      journal,
      artifacts,
      runner,
      clock,
      ids,
      tasks: taskCatalog,
      ...measurement.ports,
      warn: (what, error) => fail(`${what}: ${String(error)}`),
      fatal: fail,
    },
    { maxConcurrentTasks: 100 },
  )
  measurement.follow(feed)
  await engine.recover()
  const { endOf, forget } = followEnds(feed)
  async function start(pipelineId: string, inputs: JsonObject = {}): Promise<string> {
    const answer = await engine.start({
      pipelineId,
      revision: 1,
      inputs,
      actor: benchActor,
      priority: 5,
      labels: {},
      mocks: {},
    })
    if (!answer.ok) throw new Error(answer.rejection.message)
    return answer.executionId
  }
  return {
    engine,
    feed,
    store,
    batches,
    async define(definition) {
      const revision = {
        pipelineId: definition.id,
        definition: definition as never,
        text: null,
        digest: definition.id,
        createdAt: 0,
        createdBy: 'bench',
        createdById: null,
      }
      await store.pipelines.create({ name: definition.id, description: null, labels: {}, revision })
    },
    start,
    async run(pipelineId, inputs = {}) {
      const executionId = await start(pipelineId, inputs)
      await endOf(executionId).promise
      forget(executionId)
    },
    async [Symbol.asyncDispose]() {
      await engine.stop()
      measurement.end()
      await store.close()
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Outcomes of runs: one may have ended before its start is answered. */
function followEnds(feed: Feed) {
  const ended = new Map<string, PromiseWithResolver>()
  const endOf = (executionId: string) => {
    const known = ended.get(executionId)
    if (known !== undefined) return known
    let resolve!: () => void
    const promise = new Promise<void>((done) => (resolve = done))
    ended.set(executionId, { promise, resolve })
    return { promise, resolve }
  }
  feed.onCommit(({ executionId, row }) => {
    if (row?.finishedAt != null) endOf(executionId).resolve()
  })
  return { endOf, forget: (executionId: string) => void ended.delete(executionId) }
}

let processMeasured = false

/** Measures as the server does; PENSTOCK_BENCH_METRICS=off shows what that costs. */
function measure(journal: Journal) {
  if (process.env.PENSTOCK_BENCH_METRICS === 'off')
    return { journal, ports: {}, follow: () => undefined, end: () => undefined }
  const metrics = createMetrics()
  // A process has one set of them, however many engines it opens.
  if (!processMeasured) addProcessMetrics(metrics)
  processMeasured = true
  return {
    journal: measureJournal(journal, metrics),
    ports: { observer: metrics.observer },
    follow: (feed: Feed) => void feed.onCommit(({ entries }) => countCommit(metrics, entries)),
    end: watchEvaluations(metrics.evaluations),
  }
}
