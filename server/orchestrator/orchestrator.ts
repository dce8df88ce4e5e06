import type { Json } from '@/core/engine/event'
import { evolve } from '@/core/engine/evolve'
import type { EngineInput, StartInput } from '@/core/engine/input'
import { emptyState, isTerminal, statusOf, type ExecutionState } from '@/core/engine/state'
import type { TaskCatalog } from '@/core/pipeline/task-description'
import { Admission } from '@/core/scheduling/admission'
import type { Clock } from '@/server/ports/clock'
import type { Ids } from '@/server/ports/ids'
import type { Journal } from '@/server/ports/journal'
import type {
  AttemptRecords,
  ExecutionRegistry,
  IdempotencyStore,
  LogStore,
  PipelineRegistry,
  StatisticsStore,
} from '@/server/ports/registry'
import type { Runner } from '@/server/ports/runner'
import { createChildren } from './children'
import { createCommitLoop, type Outcome, type Submission } from './commit-loop'
import { createCompiledPipelines } from './compiled-pipelines'
import type { Answer, Commit, Orchestrator, StartRequest, SubmitRequest } from './contract'
import { isIdle, LiveExecutions, type Live } from './live-execution'
import { createNodeDurations } from './node-durations'
import { createOnce } from './once'
import { createReconcile, keyOf } from './reconcile'
import { rowOf } from './registry-row'
import { createWakeUps } from './wake-ups'

export type OrchestratorPorts = {
  readonly journal: Journal
  readonly executions: ExecutionRegistry
  readonly pipelines: PipelineRegistry
  readonly statistics: StatisticsStore
  readonly idempotency: IdempotencyStore
  readonly attempts: AttemptRecords
  readonly logs: LogStore
  readonly runner: Runner
  readonly clock: Clock
  readonly ids: Ids
  readonly tasks: TaskCatalog
  /** Something went wrong that stops nobody. */
  readonly warn: (what: string, error: unknown) => void
  /** The journal cannot be written any more: end the process, non-zero. */
  readonly fatal: (error: unknown) => void
}

export type OrchestratorSettings = {
  /** Attempts that may hold a slot at once, over all executions. */
  readonly maxConcurrentTasks: number
  /** Idle executions (parked or ended) that stay in memory. */
  readonly idleKept?: number
  /** How often everything that is due is looked up, whatever wake-ups were lost. */
  readonly sweepEveryMs?: number
}

/** Entries that are folded in one go before others get a turn. */
const FOLD_PAGE = 5_000

type SubmittedInput = Exclude<EngineInput, StartInput>

export function createOrchestrator(ports: OrchestratorPorts, settings: OrchestratorSettings): Orchestrator {
  const { clock, journal, executions } = ports
  const lives = new LiveExecutions(settings.idleKept ?? 1_000)
  const admission = new Admission(settings.maxConcurrentTasks)
  const compiled = createCompiledPipelines(ports.pipelines, ports.tasks)
  const durations = createNodeDurations(ports.statistics)
  const once = createOnce(ports.idempotency)
  const listeners = new Set<(commit: Commit) => void>()
  const logListeners = new Set<(executionId: string, nodeId: string) => void>()
  const loading = new Map<string, Promise<Live | null>>()
  const sweepEveryMs = settings.sweepEveryMs ?? 30_000
  let phase: 'new' | 'recovering' | 'ready' | 'stopped' = 'new'
  let cancelSweep: (() => void) | null = null

  const children = createChildren({
    executions,
    pipelines: ports.pipelines,
    compiled,
    load,
    report,
    warn: ports.warn,
    async begin({ executionId, pipelineId, revision, inputs, of, parent }) {
      const { priority, labels, requestedBy } = of.state
      const actor = { name: requestedBy, roles: [] }
      await begin(
        { pipelineId, revision, inputs, actor, priority, labels, mocks: {} },
        { executionId, parent },
      )
    },
  })
  const reconcile = createReconcile({
    startChild: children.start,
    cancelChild: children.cancel,
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
  const loop = createCommitLoop({
    journal,
    clock,
    lives,
    admission,
    durations,
    newId: () => ports.ids.execution(),
    load,
    evict,
    fatal: ports.fatal,
    committed(live, commit) {
      if (commit.row !== null) wakeUps.set(commit.executionId, commit.row.nextWakeAt)
      for (const listener of listeners) listener(commit)
      if (phase === 'stopped') return
      reconcile(live)
      children.committed(live, commit.entries)
    },
  })

  /** A result of the engine's own making: nobody waits for the answer, but what is refused is kept. */
  async function report(executionId: string, input: SubmittedInput): Promise<void> {
    if (phase === 'stopped') return
    try {
      const outcome = await pass({ executionId, input })
      if (outcome.ok || !('key' in input) || input.type === 'report_progress') return
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
    const row = await executions.get(executionId)
    if (row === null) return null
    const pipeline = await compiled.get(row.pipelineId, row.revision)
    if (pipeline === null)
      throw new Error(
        `invariant: ${executionId} runs revision ${row.revision} of '${row.pipelineId}', which is gone`,
      )
    await durations.load(row.pipelineId)
    const state = emptyState(executionId, pipeline)
    for (;;) {
      const entries = await journal.read(executionId, { after: state.seq, limit: FOLD_PAGE })
      for (const entry of entries) evolve(state, entry)
      if (entries.length < FOLD_PAGE) break
    }
    // Meanwhile an input may have brought it back and moved it on: there is one of each in memory.
    const there = lives.get(executionId)
    if (there !== undefined) return there
    const live: Live = { state, row: rowOf(state, row), inFlight: new Map() }
    lives.set(executionId, live)
    count(live)
    if (phase !== 'recovering') takeUp(live)
    lives.note(live)
    return live
  }

  /** What the execution holds and waits for counts from now on. */
  function count(live: Live): void {
    const { state } = live
    admission.settle(0, state.slots)
    // Whoever waits for a slot, or has a next item, says so again at the next look.
    for (const [nodeId, node] of state.nodes) if (!isTerminal(node.status)) state.dirty.add(nodeId)
    if (live.row !== null) wakeUps.set(state.executionId, live.row.nextWakeAt)
  }

  /**
   * Takes up what was in flight when the state was left: work that may have had effects is lost, and what the server
   * does by itself in an instant (it died with the server) is simply done again.
   */
  function takeUp(live: Live): void {
    const { state } = live
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
    if (!isIdle(live)) void report(state.executionId, { type: 'tick' })
  }

  function evict(live: Live): void {
    const { state } = live
    admission.settle(state.slots, 0)
    for (const nodeId of state.nodes.keys()) admission.leave(state.executionId, nodeId)
    for (const running of live.inFlight.values()) {
      running.aborted = true
      running.handle.abort('shutdown')
    }
    lives.delete(state.executionId)
  }

  async function recover(): Promise<void> {
    phase = 'recovering'
    const taken: Live[] = []
    for (let after: string | undefined; ;) {
      const rows = await executions.open(after === undefined ? { limit: 500 } : { after, limit: 500 })
      for (const row of rows) {
        // Only people, events or its timer can move it: it stays parked.
        if (row.status === 'waiting') wakeUps.set(row.executionId, row.nextWakeAt)
        else {
          const live = await load(row.executionId)
          if (live !== null) taken.push(live)
        }
      }
      after = rows.at(-1)?.executionId
      if (rows.length < 500) break
    }
    // Nothing moves before all slots that are held are counted.
    for (const live of taken) takeUp(live)
    wakeUps.start()
    await loop.drained()
    phase = 'ready'
    sweep()
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
    cancelSweep = clock.at(clock.now() + sweepEveryMs, sweep)
  }

  async function begin(
    request: StartRequest,
    child: { executionId: string; parent: NonNullable<StartInput['parent']> } | null = null,
  ): Promise<Answer<{ executionId: string; status: string }>> {
    const pipeline = await compiled.get(request.pipelineId, request.revision)
    if (pipeline === null) {
      return {
        ok: false,
        rejection: {
          code: 'not_found',
          message: `there is no revision ${request.revision} of pipeline '${request.pipelineId}'`,
        },
      }
    }
    await durations.load(request.pipelineId)
    const executionId = child?.executionId ?? ports.ids.execution()
    lives.set(executionId, { state: emptyState(executionId, pipeline), row: null, inFlight: new Map() })
    const { inputs, actor, priority, labels, mocks, idempotency } = request
    const outcome = await pass({
      executionId,
      input: { type: 'start', inputs, actor, priority, labels, mocks, parent: child?.parent ?? null },
      ...(idempotency === undefined
        ? {}
        : {
            remember: (live: Live) => ({
              ...idempotency,
              answer: { executionId, status: statusOf(live.state) },
            }),
          }),
    })
    if (!outcome.ok) {
      lives.delete(executionId)
      return outcome
    }
    return { ok: true, repeated: false, executionId, status: statusOf(outcome.live.state) }
  }

  function assertOpen(): void {
    if (phase !== 'ready') throw new Error(`the orchestrator is ${phase} and takes no requests`)
  }

  return {
    async start(request) {
      assertOpen()
      const answer = await once<Answer<{ executionId: string; status: string }>>(
        request.idempotency,
        () => begin(request),
        (record) => ({
          ok: true,
          repeated: true,
          ...(record.answer as { executionId: string; status: string }),
        }),
      )
      return answer === 'conflict' ? conflict(request.idempotency!.key) : answer
    },

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

    onCommit(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    onLog(listener) {
      logListeners.add(listener)
      return () => void logListeners.delete(listener)
    },

    admission: () => ({ slots: admission.slots, inUse: admission.inUse, queued: admission.queue() }),
    pipeline: (id, revision) => compiled.get(id, revision),
    estimates: (pipelineId) => durations.estimates(pipelineId),
    ready: () => phase === 'ready',
    recover,

    async stop() {
      phase = 'stopped'
      cancelSweep?.()
      wakeUps.stop()
      await loop.durable()
      await ports.runner.stop()
    },
  }
}

function conflict(key: string): { ok: false; rejection: { code: 'idempotency_conflict'; message: string } } {
  return {
    ok: false,
    rejection: {
      code: 'idempotency_conflict',
      message: `the idempotency key '${key}' was used for another request`,
    },
  }
}
