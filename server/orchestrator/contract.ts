import type { Entry, JsonObject } from '@/core/engine/event'
import type { SubPipelines } from '@/core/engine/decide/gate-below'
import type { EngineInput, Rejection, Rerun, StartInput } from '@/core/engine/input'
import type { Identity } from '@/core/engine/principal'
import type { Estimates } from '@/core/engine/timeline/expectation'
import type { Capacities } from '@/core/engine/timeline/play-jobs'
import type { AttemptState, ExecutionState } from '@/core/engine/state'
import type { Preparation } from '@/core/engine/view/preparation'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { Shortage } from '@/core/pipeline/definition/demand'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Savings } from '@/core/engine/timeline/savings'
import type { ExecutionRow } from '@/server/ports/journal'
import type { NotRemoved } from '@/server/ports/retention'
import type { ProfiledRuns } from './run-profiles'

export type StartRequest = Omit<StartInput, 'type' | 'parent' | 'origin' | 'subPipelines'> & {
  readonly pipelineId: string
  readonly revision: number
  /** Looked up before everything else; the first answer is given again. */
  readonly idempotency?: { readonly scope: string; readonly key: string; readonly requestDigest: string }
}

export type ForkRequest = {
  readonly executionId: string
  /** The new run begins as the old one stood after this seq; 0: from the start; null: as it stands. */
  readonly atSeq: number | null
  /** As they were given, not resolved yet; absent: those of the old run. */
  readonly inputs?: JsonObject
  /** Absent: that of the old run. */
  readonly revision?: number
  /** A rerun that goes on under other revisions: what it asks to do again. It takes the latest revisions of pipelines below it. */
  readonly asked?: Rerun
  readonly actor: Identity
  readonly idempotency?: { readonly scope: string; readonly key: string; readonly requestDigest: string }
}

/** What a fork would do. */
export type ForkPreview = {
  readonly atSeq: number
  readonly revision: number
  /** Nodes whose results the new run takes over, and those that it runs, in the order of its definition. */
  readonly reused: readonly string[]
  readonly again: readonly string[]
}

/** Everything that can happen to an execution that is there. */
export type SubmittedInput = Exclude<EngineInput, StartInput>

export type SubmitRequest = {
  readonly executionId: string
  readonly input: SubmittedInput
  readonly idempotency?: { readonly scope: string; readonly key: string; readonly requestDigest: string }
}

/** What is refused before the engine is asked. */
export type EarlyRefusal = {
  readonly code: 'not_found' | 'idempotency_conflict' | 'set_apart' | 'storage_full'
  readonly message: string
}

/** `ok: false` carries the refusal as a value; `repeated`: an idempotency key gave the first answer again. */
export type Answer<T> =
  | ({ readonly ok: true; readonly repeated: boolean } & T)
  | { readonly ok: false; readonly rejection: Rejection | EarlyRefusal }

export type Commit = {
  readonly executionId: string
  readonly entries: readonly Entry[]
  /** The folded state after these entries; read it at once or copy: it moves on. */
  readonly state: ExecutionState
  /** The registry row when these entries changed it. */
  readonly row: ExecutionRow | null
}

/** Something that does not hold of an execution. */
export type Violation = {
  readonly executionId: string
  readonly nodeId: string | null
  /** `invariant`, `registry_row`, `inbox`, `overdue`, `set_apart`. */
  readonly rule: string
  readonly message: string
  /** Milliseconds since the epoch: when it was first seen. */
  readonly since: number
}

/** How a pool stands. */
export type PoolState = {
  readonly name: string
  readonly capacity: number | null
  readonly used: number
  readonly waiting: number
  readonly executions: readonly string[]
  /** Work that belongs to no run, or not any more, in words. */
  readonly others: readonly { readonly what: string; readonly amount: number }[]
}

/** A node that waits, since `queuedAt` (milliseconds since the epoch). */
export type QueuedNode = {
  readonly executionId: string
  readonly pipelineId: string
  readonly nodeId: string
  readonly queuedAt: number
  readonly priority: number
  /** How much of its run waits for it: its remaining critical path in milliseconds, and its risk from 0 to 1. */
  readonly path: number
  readonly risk: number
  readonly lacks: Shortage
}

/** `exists`: false of one that is gone and still demanded. `usual`: its capacity unless somebody sets it; null: it does not exist then. */
export type NamedPool = PoolState & { readonly exists: boolean; readonly usual: number | null }

/** The only active party [E-19]: takes inputs, takes executions up, commits entries in groups, keeps in effect what is wanted. */
export interface Engine {
  /** Resolves after the first entries are durable. */
  start(request: StartRequest): Promise<Answer<{ readonly executionId: string; readonly status: string }>>
  /**
   * A new run from the state of another at an instant; mocks, labels and priority are carried. Refuses an unknown execution,
   * revision or seq, and inputs that do not fit the revision. Resolves after the first entries are durable.
   */
  fork(request: ForkRequest): Promise<Answer<{ readonly executionId: string; readonly status: string }>>
  /** What that fork would do; refused as the fork itself would be. Nothing changes. */
  previewFork(request: Omit<ForkRequest, 'actor' | 'idempotency'>): Promise<Answer<ForkPreview>>
  /** Resolves after the entries are durable. `entries[0]` is the direct consequence of the input (for publish_event: the event itself). */
  submit(request: SubmitRequest): Promise<
    Answer<{
      readonly entries: readonly { readonly id: string; readonly seq: number; readonly type: string }[]
    }>
  >
  /** There is another latest revision of the pipeline, or none: its schedules and its limit of runs are looked at again. */
  pipelineChanged(pipelineId: string): void
  /** Somebody set or removed a pool. Resolves when the capacities that are stored count. */
  poolsChanged(): Promise<void>
  /**
   * Removes a closed execution with everything that belongs to it, children included; nobody finds it any more when this
   * resolves [E-8]. `child`: it goes with its parent.
   */
  remove(executionId: string): Promise<'removed' | NotRemoved>
  /** Makes the indexes of an execution again from its journal, and takes it up from there. False when there is none. */
  repair(executionId: string): Promise<boolean>
  /** True between recovery and stop. */
  ready(): boolean
  /** Work outside of every run holds what an attempt of the task demands, until the answer is called; `what` names it for people. */
  occupy(task: string, what: string): () => void
  /** Takes up every execution that is not closed; inputs are accepted from then on. */
  recover(): Promise<void>
  /** Takes nothing new, lets the running commit finish, ends the runner. */
  stop(): Promise<void>
}

/** Folds and answers. Whatever is asked, no execution is taken up by it and nothing is started. */
export interface Runs {
  /** The folded state of a live or ended execution, or null. Read-only; valid until the next await. */
  state(executionId: string): Promise<ExecutionState | null>
  /** The running runs of a pipeline with `policy.maxRunning`, and those that wait, soonest first. `limit` null: there is none. */
  runsOf(pipelineId: string): {
    readonly limit: number | null
    readonly whenFull: 'queue' | 'skip' | 'refuse'
    readonly holders: readonly string[]
    readonly waiting: readonly string[]
  }
  /** Slots held and waiting now, across all executions. */
  admission(): {
    readonly slots: number
    readonly inUse: number
    readonly queued: readonly { readonly executionId: string; readonly nodeId: string }[]
  }
  /** Nodes that wait for a pool, soonest first, each with the pool that it lacks; `total` of all of them. */
  queue(limit: number): { readonly total: number; readonly items: readonly QueuedNode[] }
  /** How a pool stands: what it can hold (null: anything), what is held of it, how many wait that demand some of it, and who holds it. */
  poolOf(name: string): PoolState
  /** The pools that people know, by name. */
  pools(): readonly NamedPool[]
  /** What an attempt that was handed to the workers waits for before its work begins; null: it has begun, or nobody is at it. */
  preparation(executionId: string, attempt: AttemptState): Preparation | null
  /**
   * The executions that are in memory, how many of them have no outcome yet, the variables that they hold, and the bytes of all writes of those
   * as JSON. It counts: not for every request.
   */
  memory(): {
    readonly executions: number
    readonly running: number
    readonly variables: number
    readonly variableBytes: number
  }
  /** What is known not to hold; found by looking at a few executions at a time. */
  violations(): readonly Violation[]
  /** Why nothing is done for an execution until it is repaired, or null. */
  setApart(executionId: string): string | null
  /** A compiled revision (cached), or null when there is none. */
  pipeline(id: string, revision: number): Promise<CompiledPipeline | null>
  /** What is wrong with the mocks of a run that is there, or null: an earlier version took some that no start takes any more. */
  refusedMocks(state: ExecutionState): Promise<Rejection | null>
  /** What runs below a run, in the revisions that it takes; null: more than a run may have. */
  subPipelines(state: ExecutionState): Promise<SubPipelines | null>
  /** How long nodes of the pipeline took in earlier runs, for critical path and expected end. */
  estimates(pipelineId: string): Promise<Estimates>
  /** How much of each pool a run may have: what no other run holds now, and room for one attempt at least. null: a run alone. */
  places(state: ExecutionState | null): Capacities
  /** What runs of a pipeline would gain from faster nodes and more slots, by these durations. */
  savings(pipeline: CompiledPipeline, durations: Estimates): Promise<Savings>
  /** What happened in an execution over time, up to what is durable. Read-only; later events update the same object. */
  timeline(state: ExecutionState): Promise<Timeline>
  /** The runs of a pipeline that were closed last, the latest first, with where their time went; at most 250. */
  profiles(pipelineId: string, limit: number): Promise<ProfiledRuns>
}

/** Publishes what has become durable. Each call answers with one that ends the listening. */
export interface Feed {
  /** Called after every durable commit, once per execution in it, in order. */
  onCommit(listener: (commit: Commit) => void): () => void
  /** Called after an execution was removed, by whom or whatever: nobody finds it any more [N-17]. */
  onRemoved(listener: (executionId: string) => void): () => void
  /** Called after log lines of a node were written. */
  onLog(listener: (executionId: string, nodeId: string) => void): () => void
  /** Called after what is known not to hold has changed. */
  onViolations(listener: () => void): () => void
}

/** One engine, and what can be read and heard of it. Take the narrowest that does. */
export type Orchestrator = { readonly engine: Engine; readonly runs: Runs; readonly feed: Feed }
