import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { taskCatalog } from '@/tasks/contracts'
import { openArtifactStore } from '@/server/artifacts/open'
import { checkHookProof } from '@/server/auth/hook-proof'
import { createEgress } from '@/server/egress/client'
import { createDefinitionCheck } from '@/server/checking/definition-check'
import type { OperationContext } from '@/server/operations/context'
import { watchEvaluations } from '@/core/pipeline/expression/watch'
import { addGauges, addStreams } from '@/server/observe/gauges'
import { countCommit, measureDefinitions, measureJournal, measureVariables } from '@/server/observe/measured'
import type { EngineObserver } from '@/server/ports/observer'
import { recordObjectives, type Objectives } from '@/server/observe/objectives'
import { createMetrics, type Metrics } from '@/server/observe/metrics'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { OrchestratorSettings } from '@/server/orchestrator/orchestrator-ports'
import type { People } from '@/server/ports/people'
import type { StorageGauge } from '@/server/ports/storage'
import { createRunner } from '@/server/runner/runner'
import { createTrials } from '@/server/runner/trials'
import { createCipher } from '@/server/secrets/cipher'
import { createSecretStore } from '@/server/secrets/secret-store'
import { keepKnownPipelines } from '@/server/store/known-pipelines'
import { keepRecentExecutions } from '@/server/store/recent-executions'
import type { Store } from '@/server/store/store'
import { createApi, type ApiOptions } from '@/server/transports/api'
import { guardDoor, Guesses } from '@/server/transports/guesses'
import { createMetricsDoor, type MetricsDoorOptions } from '@/server/transports/metrics-door'
import { Hub, type HubOptions } from '@/server/transports/sse/hub'
import { openWebhooks } from '@/server/webhooks/webhooks'
import type { Closers } from './closers'
import type { createSystemClock } from './system-clock'
import { createSystemIds } from './system-ids'

/** Everything there is one of in an installation, until there is a second tenant. */
export const TENANT = 'default'

export type CompositionOptions = {
  readonly store: Store
  readonly storage: StorageGauge
  readonly people: People
  readonly clock: ReturnType<typeof createSystemClock>
  /** The folder of artifacts, of files that pipelines may read, and of the work of attempts. */
  readonly dataDir: string
  /** The program of child processes. */
  readonly childEntry: URL
  /** The program of the thread that checks large definitions; absent: they are checked in the event loop. */
  readonly checkerEntry?: URL
  readonly runnerLimits?: Parameters<typeof createRunner>[0]['limits']
  readonly orchestratorSettings: OrchestratorSettings
  /** Seals secrets. At least 32 characters. */
  readonly secretKey: string
  readonly egressAllow: Parameters<typeof createEgress>[0]['allow']
  readonly allowShell: boolean
  readonly examples: OperationContext['examples']
  readonly maxNodes: number
  /** The address of a span in a tracing tool (PENSTOCK_TRACE_LINK). */
  readonly traceLink?: string | null
  /** Something went wrong that stops nobody. */
  readonly warn: (what: string, error: unknown) => void
  /** The journal cannot be written any more: the process has to end. */
  readonly fatal: (error: unknown) => void
}

/**
 * The composition root: makes the parts behind the transports and hands them to each other, for the process, the tests of the API and
 * the benchmarks alike. Whoever calls it goes on with `engine.recover()` once everything that listens is there.
 * @param closers is given what has to be closed, also when a later part fails to open
 */
export async function compose(options: CompositionOptions, closers: Closers) {
  const recent = keepRecentExecutions(options.store)
  const metrics = createMetrics()
  closers.add(watchEvaluations(metrics.evaluations))
  const store: Store = {
    ...options.store,
    journal: measureJournal(recent.journal, metrics),
    executions: recent.executions,
    variables: measureVariables(options.store.variables, metrics),
    pipelines: keepKnownPipelines(options.store.pipelines),
  }
  const { clock, dataDir, storage, warn, fatal } = options
  const ids = createSystemIds()
  const cipher = createCipher([options.secretKey])
  const artifacts = openArtifactStore({ dataDir, rows: store.artifactRows, clock, ids })
  const egress = createEgress({ allow: options.egressAllow })
  closers.add(() => egress.close())
  const disabledTasks = new Map(options.allowShell ? [] : [['shell', 'PENSTOCK_ALLOW_SHELL']])
  const runner = createRunner({
    childEntry: options.childEntry,
    filesDir: join(dataDir, 'files'),
    workRoot: join(dataDir, 'work'),
    artifacts,
    clock,
    egress,
    disabledTasks,
    ...(options.runnerLimits === undefined ? {} : { limits: options.runnerLimits }),
    log: (message) => warn(message, undefined),
  })
  const webhooks = await openWebhooks({
    rows: store.webhookRows,
    journal: store.journal,
    cipher,
    egress,
    clock,
    newId: ids.execution,
    tenantId: TENANT,
    warn,
  })
  closers.add(() => webhooks.stop())
  // The engine itself reads what is on the disk: damage has to be found there.
  const durable = { ...store.journal, read: options.store.journal.read }
  const objectives = recordObjectives({
    ...{ store: store.objectives, clock, warn },
    isUp: () => engine.ready(),
    runs: () => runs.memory().running,
  })
  const { engine, runs, feed } = createOrchestrator(
    {
      ...store,
      journal: durable,
      artifacts,
      runner,
      clock,
      ids,
      tasks: taskCatalog,
      outbox: webhooks,
      storage,
      observer: observerOf(metrics, objectives),
      warn,
      fatal,
    },
    options.orchestratorSettings,
  )
  closers.add(() => engine.stop())
  closers.add(() => objectives.close())
  feed.onRemoved((executionId) => recent.forget(executionId))
  feed.onCommit(({ entries }) => countCommit(metrics, entries))
  const { admission, memory, violations } = runs
  addGauges(metrics, { admission, memory, violations, workers: runner.pools, storage })
  const checker = createDefinitionCheck(options.checkerEntry ?? null, {
    maxNodes: options.maxNodes,
    disabledTasks,
  })
  closers.add(() => checker.close())
  const ctx: OperationContext = {
    ...store,
    engine,
    runs,
    feed,
    artifacts,
    secrets: createSecretStore({ rows: store.secretRows, cipher, clock, tenantId: TENANT }),
    storage,
    people: options.people,
    nodeVersion: process.version,
    traceLink: options.traceLink ?? null,
    webhooks,
    checkHookProof,
    definitions: measureDefinitions(checker, metrics, objectives.parsed),
    trials: createTrials({ runner, artifacts, clock, ids, occupy: engine.occupy }),
    clock,
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    tasks: taskCatalog,
    disabledTasks,
    examples: options.examples,
    maxNodes: options.maxNodes,
  }
  return { ctx, engine, artifacts, metrics, objectives }
}

/** Transitions for a scraper, and for what the server says of its promises. */
const observerOf = (metrics: Metrics, objectives: Objectives): EngineObserver => ({
  now: metrics.now,
  transition(ms) {
    metrics.observer.transition(ms)
    objectives.transition(ms)
  },
})

/**
 * The API over that: streams and requests share one door, in front of which guesses are limited; pages are to use the same. Who closes ends the
 * streams of `hub` before the server that carries them. With a port of their own, metrics are for who listens there to answer.
 */
export function composeApi(
  options: Omit<ApiOptions, 'hub' | 'guesses' | 'answerMetrics'> & {
    readonly hub?: Partial<HubOptions>
    readonly metrics: Metrics
    readonly metricsDoor: Pick<MetricsDoorOptions, 'token' | 'behindProxy'> & { readonly ownPort: boolean }
  },
) {
  const { ctx, metrics, metricsDoor, onDefect, rateLimit } = options
  const guesses = new Guesses(rateLimit, () => ctx.clock.now())
  const door = guardDoor(options.door, guesses)
  // A stream asks again about a caller who was let in: that is no guess.
  const hub = new Hub({ ctx, callerOf: options.door.callerOf, onDefect, ...options.hub })
  addStreams(metrics, () => hub.size)
  const answerMetrics = createMetricsDoor({ ...metricsDoor, guesses, page: metrics.page, onDefect })
  const api = createApi({
    ...{ ...options, door, guesses, hub },
    answerMetrics: metricsDoor.ownPort ? null : answerMetrics,
  })
  return { hub, door, api, answerMetrics }
}
