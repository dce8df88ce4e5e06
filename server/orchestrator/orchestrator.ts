import type { Json } from '@/core/engine/event'
import { MOST_DEPTH } from '@/core/engine/decide/start-attempt'
import { isTerminal, type ExecutionState } from '@/core/engine/state'
import { Admission } from '@/core/scheduling/admission'
import { Places } from '@/core/scheduling/places'
import { keyOf } from './attempt-key'
import { createAttempts } from './attempts'
import { createChildren, relationOf } from './children'
import { createCommitLoop, type Outcome, type Submission } from './commit-loop'
import { createCompiledPipelines } from './compiled-pipelines'
import type { Answer, Commit, Orchestrator, SubmitRequest, SubmittedInput } from './contract'
import { createFold } from './fold'
import { createHealth } from './health'
import { createLargeValues } from './large-values'
import { isIdle, LiveExecutions, newLive, type Live } from './live-execution'
import { createNodeDurations } from './node-durations'
import { conflict, createOnce } from './once'
import { createPlaceLimits } from './place-limits'
import { createOwnedJournal } from './owned-journal'
import type { OrchestratorPorts, OrchestratorSettings } from './orchestrator-ports'
import { createRetention } from './retention'
import { createRunProfiles } from './run-profiles'
import { childPerformer, notifyPerformer, timerPerformer } from './performers'
import { createReconcile } from './reconcile'
import { rowOf } from './registry-row'
import { createSchedules } from './schedules'
import { createStarts } from './starts'
import { createTimelines } from './timelines'
import { createWakeUps } from './wake-ups'

export function createOrchestrator(ports: OrchestratorPorts, settings: OrchestratorSettings): Orchestrator {
  const { clock, executions } = ports
  const journal = createOwnedJournal(ports.journal, settings.owner ?? 'engine')
  const lives = new LiveExecutions(settings.idleKept ?? 1_000)
  const admission = new Admission(settings.maxConcurrentTasks)
  const places = new Places()
  const compiled = createCompiledPipelines(ports.pipelines, ports.tasks)
  const limits = createPlaceLimits({ ...ports, compiled, places, load })
  const durations = createNodeDurations(ports.statistics)
  const values = createLargeValues(ports.artifacts)
  const fold = createFold({ journal, executions, compiled, durations, values })
  const once = createOnce(ports.idempotency)
  const listeners = new Set<(commit: Commit) => void>()
  const logListeners = new Set<(executionId: string, nodeId: string) => void>()
  const violationListeners = new Set<() => void>()
  const removalListeners = new Set<(executionId: string) => void>()
  const loading = new Map<string, Promise<Live | null>>()
  const sweepEveryMs = settings.sweepEveryMs ?? 30_000
  let phase: 'new' | 'loading' | 'recovering' | 'ready' | 'stopped' = 'new'
  let cancelSweep: (() => void) | null = null

  const children = createChildren({
    executions,
    pipelines: ports.pipelines,
    compiled,
    load,
    get: (executionId) => lives.get(executionId),
    durable: () => loop.durable(),
    report,
    warn: ports.warn,
    async begin({ executionId, pipelineId, revision, inputs, of, parent }) {
      const { priority, labels, requestedBy: actor } = of.state
      const begun = await starts.begin(
        { pipelineId, revision, inputs, actor, priority, labels, mocks: {} },
        { executionId, parent, origin: null },
      )
      return begun.ok ? null : begun.rejection.message
    },
  })
  const attempts = createAttempts({
    runner: ports.runner,
    clock,
    logs: ports.logs,
    report: (executionId, input) => void report(executionId, input),
    logged: (executionId, nodeId) => {
      for (const listener of logListeners) listener(executionId, nodeId)
    },
    logFailed: (error) => ports.warn('log lines were not stored', error),
  })
  const wakeUps = createWakeUps(clock, (executionId) => void report(executionId, { type: 'tick' }))
  const reconcile = createReconcile({
    attempt: attempts,
    child: childPerformer(children),
    timer: timerPerformer(wakeUps),
    notify: notifyPerformer(children),
  })
  const retention = createRetention(
    {
      retention: ports.retention,
      artifacts: ports.artifacts,
      clock,
      isWorking: (executionId) => (lives.get(executionId)?.inFlight.size ?? 0) > 0,
      cannotEnd: (executionId) => health.apart(executionId) !== null,
      forget,
      warn: ports.warn,
    },
    settings.keptMs ?? null,
  )
  const loop = createCommitLoop({
    journal,
    clock,
    values,
    lives,
    admission,
    places,
    durations,
    warn: ports.warn,
    newId: () => ports.ids.execution(),
    outbox: ports.outbox,
    load,
    evict,
    setApart(live, error) {
      evict(live)
      health.setApart(live.state.executionId, error)
    },
    apart: (executionId) => health.apart(executionId),
    fatal: ports.fatal,
    committed(live, commit) {
      for (const listener of listeners) listener(commit)
      if (phase !== 'stopped' && live.takenUp) reconcile(live)
    },
  })

  const health = createHealth({
    clock,
    journal,
    executions,
    approvals: ports.approvals,
    live: (executionId) => lives.get(executionId),
    isAligning: children.isAligning,
    fold,
    durable: () => loop.durable(),
    evict,
    takeUpAgain: load,
    changed: () => {
      for (const listener of violationListeners) listener()
    },
    warn: ports.warn,
  })

  /** An input of the engine's own making. A result that is refused is recorded with its attempt. False: it was not taken. */
  async function report(executionId: string, input: SubmittedInput): Promise<boolean> {
    if (phase === 'stopped') return false
    try {
      const outcome = await pass({ executionId, input })
      if (outcome.ok) return true
      if (!('key' in input) || input.type === 'report_progress') return false
      // The execution was removed; there is nothing to record.
      if (outcome.rejection.code === 'not_found') return false
      const { node: nodeId, generation, attempt, item, token } = input.key
      const reason = `${input.type}: ${outcome.rejection.message}`
      await ports.attempts.refused({
        executionId,
        nodeId,
        generation,
        attempt,
        item,
        token,
        reason,
        at: clock.now(),
      })
    } catch (error) {
      ports.warn(`${input.type} of ${executionId} was not taken`, error)
    }
    return false
  }

  function pass(submission: Pick<Submission, 'executionId' | 'input' | 'remember'>): Promise<Outcome> {
    return new Promise((settle, fail) => loop.submit({ ...submission, settle, fail }))
  }

  /** Folds an execution into memory, once however many ask. Null when there is none. */
  function load(executionId: string): Promise<Live | null> {
    const there = lives.get(executionId)
    if (there !== undefined) return Promise.resolve(there)
    let pending = loading.get(executionId)
    if (pending === undefined) {
      pending = foldFromJournal(executionId).finally(() => loading.delete(executionId))
      loading.set(executionId, pending)
    }
    return pending
  }

  async function foldFromJournal(executionId: string): Promise<Live | null> {
    const reason = health.apart(executionId)
    if (reason !== null) throw new Error(reason)
    const row = await executions.get(executionId)
    if (row === null) return null
    let state: ExecutionState | null
    try {
      state = await fold(executionId)
    } catch (error) {
      if (phase !== 'stopped') health.setApart(executionId, error)
      throw error
    }
    if (state === null) return null
    await limits.limited(row.pipelineId)
    // It may have come back by itself meanwhile, with an input that had fetched it before: then it has gone on from there.
    const there = lives.get(executionId)
    if (there !== undefined) return there
    const live = newLive(state, rowOf(state, row), false)
    lives.set(executionId, live)
    count(live)
    // While everything is loaded nothing moves: it is taken up with all others.
    if (phase !== 'loading') takeUp(live)
    lives.note(live)
    return live
  }

  /** What the execution holds and waits for counts from now on. */
  function count(live: Live): void {
    const { state } = live
    admission.settle(0, state.slots)
    places.settle(state)
    // Whoever waits for a slot, or has a next item, says so again at the next look.
    for (const [nodeId, node] of state.nodes) if (!isTerminal(node.status)) state.dirty.add(nodeId)
  }

  /**
   * Takes up what was in flight when the state was left: work that may have had effects is lost, and what the server
   * does by itself in an instant (it died with the server) is simply done again.
   */
  function takeUp(live: Live): void {
    const { state } = live
    live.takenUp = true
    state.touched.clear()
    for (const [id, attempt] of state.inFlight) {
      if (attempt.holdsSlot) {
        void report(state.executionId, {
          type: 'lose_attempt',
          key: keyOf(attempt),
          reason: 'the server that ran it ended',
        })
      } else state.touched.add(id)
    }
    reconcile(live)
    if (state.parent !== null && state.finishedAt === null)
      children.align(relationOf(state.parent, state.executionId))
    if (!isIdle(live)) void report(state.executionId, { type: 'tick' })
  }

  function evict(live: Live): void {
    const { state } = live
    admission.settle(state.slots, 0)
    for (const nodeId of state.nodes.keys()) admission.leave(state.executionId, nodeId)
    // One that exists keeps its place, or where it waits, until it is folded again.
    if (live.row === null) places.leave(state.pipeline.definition.id, state.executionId)
    for (const running of live.inFlight.values()) {
      running.aborted = true
      running.handle.abort('shutdown')
    }
    lives.delete(state.executionId)
    values.drop(state.executionId)
  }

  /** The execution was removed: a fold that was under way is let go as well. */
  async function forget(executionId: string): Promise<void> {
    await loading.get(executionId)?.catch(() => null)
    const live = lives.get(executionId)
    if (live !== undefined) evict(live)
    wakeUps.set(executionId, null)
    health.forget(executionId)
    for (const listener of removalListeners) listener(executionId)
  }

  async function recover(): Promise<void> {
    phase = 'loading'
    await journal.claim()
    const loaded = new Map<string, Live>()
    for (let after: string | undefined; ;) {
      const rows = await executions.open(after === undefined ? { limit: 500 } : { after, limit: 500 })
      for (const row of rows) {
        // Only people, events or its timer can move it: it stays parked. A child may have lost its parent.
        if (row.status === 'waiting' && row.parentId === null && !(await limits.limited(row.pipelineId)))
          wakeUps.set(row.executionId, row.nextWakeAt)
        else {
          // One that cannot be folded is set apart, and the others go on.
          const live = await load(row.executionId).catch(() => null)
          if (live !== null) loaded.set(row.executionId, live)
        }
      }
      after = rows.at(-1)?.executionId
      if (rows.length < 500) break
    }
    // Nothing moves before all slots that are held are counted, and children are paused whose parents are.
    await pauseChildren(loaded)
    phase = 'recovering'
    for (const live of new Set([...loaded.values(), ...lives.values()])) if (!live.takenUp) takeUp(live)
    wakeUps.start()
    await loop.drained()
    phase = 'ready'
    retention.start()
    loop.look()
    sweep()
  }

  /** One round for each depth: a child that is paused now wants its own children paused. */
  async function pauseChildren(loaded: ReadonlyMap<string, Live>): Promise<void> {
    for (let depth = 0; depth < MOST_DEPTH; depth++) {
      const missing = [...children.missingPauses(loaded.keys(), (id) => lives.get(id) ?? loaded.get(id))]
      if (missing.length === 0) return
      for (const { executionId, input } of missing) void report(executionId, input)
      await loop.drained()
    }
  }

  /** The slow net under the wake-ups: whatever is due is looked at. */
  function sweep(): void {
    if (phase !== 'ready') return
    executions.due(clock.now(), 1_000).then(
      (rows) => {
        for (const row of rows) void report(row.executionId, { type: 'tick' })
      },
      (error: unknown) => ports.warn('the sweep could not read what is due', error),
    )
    health.check().catch((error: unknown) => ports.warn('the check of what holds failed', error))
    schedules.look()
    cancelSweep = clock.at(clock.now() + sweepEveryMs, sweep)
  }

  function assertOpen(): void {
    if (phase !== 'ready') throw new Error(`the orchestrator is ${phase} and takes no requests`)
  }

  const starts = createStarts({
    ...ports,
    compiled,
    durations,
    limits,
    values,
    lives,
    pass,
    once,
    abandon: retention.abandon,
    assertOpen,
  })
  const schedules = createSchedules({ ...ports, compiled, start: starts.start })

  return {
    start: starts.start,
    fork: starts.fork,

    async submit({ executionId, input, idempotency }: SubmitRequest) {
      assertOpen()
      const brief = (entries: Extract<Outcome, { ok: true }>['entries']) =>
        entries.map(({ event }) => ({ id: event.id, seq: event.seq, type: event.type }))
      type Entries = {
        readonly entries: readonly { readonly id: string; readonly seq: number; readonly type: string }[]
      }
      const answer = await once<Answer<Entries>>(
        idempotency,
        async () => {
          const outcome = await pass({
            executionId,
            input,
            ...(idempotency === undefined
              ? {}
              : {
                  remember: (_live: Live, entries: Extract<Outcome, { ok: true }>['entries']) => ({
                    ...idempotency,
                    answer: brief(entries) as Json,
                  }),
                }),
          })
          return outcome.ok ? { ok: true, repeated: false, entries: brief(outcome.entries) } : outcome
        },
        (record) => ({ ok: true, repeated: true, entries: record.answer as unknown as Entries['entries'] }),
      )
      return answer === 'conflict' ? conflict(idempotency!.key) : answer
    },

    async state(executionId): Promise<ExecutionState | null> {
      await loop.durable()
      const there = lives.get(executionId)
      if (there?.row) return there.state
      const live = await load(executionId)
      await loop.durable()
      return live?.row ? live.state : null
    },

    pipelineChanged(pipelineId) {
      const look = () => {
        loop.look()
        schedules.look()
      }
      const failed = (error: unknown) => ports.warn(`'${pipelineId}' changed and was not looked at`, error)
      if (phase === 'ready') void limits.changed(pipelineId).then(look, failed)
    },
    places: (pipelineId) => places.of(pipelineId),

    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    onRemoved(listener) {
      removalListeners.add(listener)
      return () => void removalListeners.delete(listener)
    },

    onLog(listener) {
      logListeners.add(listener)
      return () => void logListeners.delete(listener)
    },

    onViolations(listener) {
      violationListeners.add(listener)
      return () => void violationListeners.delete(listener)
    },

    admission: () => ({ slots: admission.slots, inUse: admission.inUse, queued: admission.queue() }),
    pipeline: (id, revision) => compiled.get(id, revision),
    async remove(executionId) {
      assertOpen()
      const row = await executions.get(executionId)
      const answer = await retention.remove(executionId)
      if (answer === 'removed' && row !== null) {
        // One that was set apart held its place to the last.
        places.leave(row.pipelineId, executionId)
        loop.look()
      }
      return answer
    },
    violations: () => health.violations(),
    setApart: (executionId) => health.apart(executionId),
    async repair(executionId) {
      assertOpen()
      return health.repair(executionId)
    },
    estimates: (pipelineId) => durations.estimates(pipelineId),
    timeline: createTimelines(journal),
    profiles: createRunProfiles({ ...ports, compiled }),
    ready: () => phase === 'ready',
    recover,

    async stop() {
      phase = 'stopped'
      cancelSweep?.()
      wakeUps.stop()
      await retention.stop()
      await schedules.stop()
      await loop.durable()
      await ports.runner.stop()
    },
  }
}
