import { Admission } from '@/core/scheduling/admission'
import { createAttempts } from './attempts'
import { createChildren } from './children'
import { createCommitLoop } from './commit-loop'
import { createCompiledPipelines } from './compiled-pipelines'
import type { Orchestrator } from './contract'
import { createEngine } from './engine'
import { createFeed } from './feed'
import { createFold } from './fold'
import { createHealth } from './health'
import { createLargeValues } from './large-values'
import { LiveExecutions, type Live } from './live-execution'
import { createMemory } from './memory'
import { createNodeDurations } from './node-durations'
import type { OrchestratorPorts, OrchestratorSettings } from './orchestrator-ports'
import { createOnce } from './once'
import { createOwnedJournal } from './owned-journal'
import { childPerformer, notifyPerformer, timerPerformer } from './performers'
import type { PhaseOf } from './phase'
import { createPoolCapacities, usualCapacities } from './pool-capacities'
import { createRunLimits } from './run-limits'
import { createReader } from './reader'
import { createReconcile } from './reconcile'
import { createRecovery } from './recovery'
import { createReports } from './reports'
import { createRetention } from './retention'
import { createRuns } from './runs'
import { createSchedules } from './schedules'
import { createStarts, type Starts } from './starts'
import { createSubPipelines } from './sub-pipelines'
import { createSweep } from './sweep'
import { createWakeUps } from './wake-ups'

/** Folded executions that stay in memory for who only reads them. */
const READ_KEPT = 100

/** An engine over its ports, with what can be read and heard of it. It does nothing before `engine.recover()`. */
export function createOrchestrator(ports: OrchestratorPorts, settings: OrchestratorSettings): Orchestrator {
  const shared = createShared(ports, settings)
  const committer = createCommitter(ports, shared)
  const { phase, loop, health, memory, children, wakeUps, reports } = committer
  const { lives, admission, capacities, compiled, durations, journal, feed } = shared
  const limits = committer.limits
  const { report, pass } = reports
  const retention = createRetention(
    {
      retention: ports.retention,
      artifacts: ports.artifacts,
      clock: ports.clock,
      isWorking: (executionId) => (lives.get(executionId)?.inFlight.size ?? 0) > 0,
      cannotEnd: (executionId) => health.apart(executionId) !== null,
      forget: committer.forget,
      warn: ports.warn,
    },
    settings.retentionMs ?? null,
  )
  const starts = createStarts({
    ...ports,
    compiled,
    subPipelines: shared.subPipelines,
    durations,
    limits,
    values: shared.values,
    lives,
    phase,
    pass,
    once: shared.once,
    abandon: retention.abandon,
  })
  committer.beginWith(starts)
  const schedules = createSchedules({ ...ports, compiled, start: starts.start })
  const { drained } = loop
  const recover = createRecovery({
    ...{ phase, journal, limits, capacities, lives, memory, wakeUps, children, report, drained },
    executions: ports.executions,
  })
  const sweep = createSweep({ ...ports, phase, report, health, schedules }, settings.sweepEveryMs ?? 30_000)
  const { executions, warn, runner } = ports
  return {
    engine: createEngine({
      ...{ phase, executions, runner, warn, loop, limits, admission, health, starts, pass, recover },
      ...{ retention, schedules, sweep, wakeUps, capacities, once: shared.once, tasks: ports.tasks },
    }),
    runs: createRuns({
      ...ports,
      journal,
      reader: committer.reader,
      admission,
      capacities,
      compiled,
      lives,
      subPipelines: shared.subPipelines,
      durations,
      health,
    }),
    feed: feed.feed,
  }
}

/** What stands on the ports alone. */
function createShared(ports: OrchestratorPorts, settings: OrchestratorSettings) {
  const journal = createOwnedJournal(ports.journal, settings.owner ?? 'engine')
  const compiled = createCompiledPipelines(ports.pipelines, ports.tasks)
  const subPipelines = createSubPipelines({ pipelines: ports.pipelines, compiled })
  const durations = createNodeDurations(ports.statistics)
  const values = createLargeValues(ports.artifacts)
  const maxIdle = settings.maxIdle ?? 1_000
  const usual = usualCapacities(settings.maxConcurrentTasks, ports.runner)
  const admission = new Admission(usual, 0, (pipelineId) => durations.history(pipelineId))
  return {
    journal,
    compiled,
    subPipelines,
    durations,
    values,
    maxIdle,
    mostComputed: settings.mostComputed ?? 1_024,
    traceShare: settings.traceShare,
    lives: new LiveExecutions(maxIdle),
    admission,
    capacities: createPoolCapacities({ rows: ports.pools, admission, usual }),
    fold: createFold({ journal, executions: ports.executions, compiled, durations, values }),
    once: createOnce(ports.idempotency),
    feed: createFeed(),
  }
}

/** The commit loop with everything that follows a commit, and the memory that it works on. */
function createCommitter(ports: OrchestratorPorts, shared: ReturnType<typeof createShared>) {
  const { clock, executions, warn } = ports
  const { lives, compiled, fold, feed, admission, values, durations, journal } = shared
  const phase: PhaseOf = { now: 'new' }
  let starts: Starts | null = null
  const stopped = () => phase.now === 'stopped'
  const live = (executionId: string) => lives.get(executionId)
  const apart = (executionId: string) => health.apart(executionId)
  const load = (executionId: string) => memory.load(executionId)
  const durable = () => loop.durable()
  const reports = createReports({
    submit: (one) => loop.submit(one),
    attempts: ports.attempts,
    clock,
    observer: ports.observer,
    stopped,
    warn,
  })
  const { report } = reports
  const wakeUps = createWakeUps(clock, (executionId) => void report(executionId, { type: 'tick' }))
  const limits = createRunLimits({ ...ports, compiled, admission, load })
  const children = createChildren({
    ...{ executions, load, durable, report, warn, get: live },
    subPipelines: shared.subPipelines,
    traceShare: shared.traceShare,
    begin: (child) => starts!.beginChild(child),
  })
  const reconcile = createReconcile({
    attempt: createAttempts({
      ...{ clock, runner: ports.runner, logs: ports.logs, logged: feed.logged },
      traceShare: shared.traceShare,
      report: (executionId, input) => void report(executionId, input),
      logFailed: (error) => warn('log lines were not stored', error),
      vacated: () => loop.look(),
    }),
    child: childPerformer(children),
    timer: timerPerformer(wakeUps),
    notify: notifyPerformer(children),
  })
  const setApart = (executionId: string, error: unknown) => health.setApart(executionId, error)
  const memory = createMemory({
    ...{ phase, lives, executions, admission, values, report, reconcile, apart, setApart },
    fold,
    limits,
    align: children.align,
  })
  const { evict } = memory
  const loop = createCommitLoop({
    ...{ journal, clock, values, lives, admission, durations, warn, load, evict, apart },
    mostComputed: shared.mostComputed,
    newId: () => ports.ids.execution(),
    outbox: ports.outbox,
    observer: ports.observer,
    setApart(one: Live, error) {
      evict(one)
      setApart(one.state.executionId, error)
    },
    fatal: ports.fatal,
    committed(one, commit) {
      feed.committed(commit)
      if (!stopped() && one.takenUp) reconcile(one)
    },
  })
  const reader = createReader({
    ...{ journal, executions, fold, live, durable, apart, kept: Math.min(shared.maxIdle, READ_KEPT) },
    unreadable: (executionId, error) => stopped() || setApart(executionId, error),
  })
  const health = createHealth({
    ...{ clock, journal, executions, fold, live, durable, evict, warn },
    approvals: ports.approvals,
    isAligning: children.isAligning,
    takeUpAgain: load,
    changed: feed.violationsChanged,
  })

  return {
    ...{ phase, loop, health, memory, children, wakeUps, reports, limits, reader },
    beginWith: (made: Starts) => void (starts = made),

    /** The execution was removed: a fold that was under way is let go as well. */
    async forget(executionId: string): Promise<void> {
      await memory.loaded(executionId)
      const there = live(executionId)
      if (there !== undefined) evict(there)
      reader.forget(executionId)
      wakeUps.set(executionId, null)
      health.forget(executionId)
      feed.removed(executionId)
    },
  }
}
