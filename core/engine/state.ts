import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Demand } from '@/core/pipeline/definition/demand'
import type { Json, MockedValue, NodeError, ValueRef } from './event'
import type { AttemptKey, Mock } from './input'
import { NO_LARGE_VALUES, type LargeValues } from './large-values'
import { NO_PAUSES, type Pauses } from './pauses'
import type { Identity } from './principal'
import { Timers } from './timers'
import type { CheckResult, GateRecord, PayloadOf, SkipReason } from './typed-event'
import type { CompensationStatus, ExecutionStatus, Lifecycle, NodeStatus } from './view/view'

/** An attempt that somebody is working on, or that the engine itself times (`wait`). */
export type AttemptState = {
  readonly node: string
  readonly item: number | null
  readonly generation: number
  readonly attempt: number
  /** Fencing token: grows with every dispatch of the node, never reused. */
  readonly token: number
  /** How often a worker of this attempt was lost. */
  readonly losses: number
  readonly startedAt: number
  /** Variables written up to here are what its input was resolved from. */
  readonly startedSeq: number
  /** Until when its work has to begin; null: it has begun. */
  readonly beginBy: number | null
  /** When its work has to be over. null: it has no timeout, or has not begun. */
  readonly deadline: number | null
  /** What it holds of the pools while it is in flight. */
  readonly demands: readonly Demand[]
  readonly placement: 'engine' | 'server' | 'child'
  /** Set by a cancel: the work is asked to stop and its end is awaited. */
  readonly stopping: boolean
  readonly progress: { readonly ratio: number | null; readonly message: string | null } | null
  /** The execution that does the work, when the node runs another pipeline [N-8]. */
  readonly child: string | null
  /** It undoes the node; absent: it is at the node's own work. */
  readonly compensates?: true
}

/** How far a node of a rollback is. `attempt`: the number of the present or the next attempt. */
export type RollbackStep = {
  readonly status: CompensationStatus
  readonly attempt: number
  /** The number of its first attempt. */
  readonly first: number
  /** When it began to wait for a slot, and the pool that had no room. */
  readonly since: number | null
  readonly pool: string | null
  readonly error: NodeError | null
}

type RollingBack = PayloadOf<'pipeline', 'rolling_back'>

/** The last rollback of the generation, which goes on while the lifecycle is ROLLBACK and it has not ended. */
export type RollbackState = {
  readonly plan: RollingBack
  readonly actor: Identity
  readonly startedAt: number
  /** In the order of the plan. */
  readonly steps: ReadonlyMap<string, RollbackStep>
  /** Node → nodes of the plan that are undone before it, because they may have used what it did. */
  readonly after: ReadonlyMap<string, readonly string[]>
  /** A person stopped it. */
  readonly stopped: { readonly reason: string | null } | null
  /** Every compensation has completed. */
  readonly ended: boolean
}

/** How far a forEach is. Every item is in exactly one of: not started, running, retrying, queued, completed, failed. */
export type ItemsState = {
  readonly total: number
  /** The first item that was never started; those before it were. */
  readonly next: number
  readonly running: number
  /** Items that wait for the time of their next try, and its number. Changes in place: it belongs to the fold. */
  readonly retries: Map<number, number>
  /** Items whose next try waits for a slot, or for the run to go on. */
  readonly queued: readonly { readonly item: number; readonly attempt: number }[]
  readonly completed: number
  /** Items that failed for good, in the order in which they did. Grows in place: it belongs to the fold. */
  readonly errors: { readonly item: number; readonly error: NodeError }[]
}

/** What people say to an approval; the last word of the external event that carries it. */
export type ApprovalDecision = 'approved' | 'rejected'

export const isDecision = (word: string): word is ApprovalDecision =>
  word === 'approved' || word === 'rejected'

export type Vote = {
  readonly approver: Identity
  readonly decision: ApprovalDecision
  readonly comment: string | null
  readonly form: Json
  readonly at: number
}

/** An open gate for people: everything is rendered when it opens, and does not change afterwards. */
export type ApprovalState = {
  readonly message: string
  readonly approvers: readonly string[]
  readonly quorum: number
  readonly rejectQuorum: number
  readonly onTimeout: 'fail' | 'approve'
  readonly excludeRequester: boolean
  readonly form: { readonly [field: string]: Json } | null
  readonly dueAt: number | null
  /** Which values in the question come from mocks. */
  readonly mocked: readonly MockedValue[]
  readonly votes: readonly Vote[]
  /** Nodes before it that people had completed by hand when it opened. */
  readonly byHand: readonly string[]
}

/** Who completed a node by hand, and why. */
export type ByHand = { readonly actor: Identity; readonly reason: string }

type NodeBase = {
  readonly generation: number
  /** The last fencing token that was given out. */
  readonly token: number
  /** Number of the last attempt that was started in this generation; of any item. */
  readonly attempts: number
  /** The last child execution that was started for it; null as well when that one could not begin. */
  readonly child: string | null
  /** null: the node is no forEach, or has not started. */
  readonly items: ItemsState | null
}

export type NodeState = NodeBase &
  (
    | {
        readonly status: 'pending'
        readonly startDeadline: number | null
        /** External events that its start timeout has made dead, whatever is published later. */
        readonly startExpired: readonly string[]
      }
    | {
        readonly status: 'queued'
        readonly since: number
        /** The pool that had no room when it began to wait; null: the run was paused, or it was a slot. */
        readonly pool: string | null
        readonly gate: GateRecord
        /** null: it has not started yet; else its next attempt is what waits. */
        readonly startedAt: number | null
        readonly attempt: number
      }
    | { readonly status: 'running'; readonly startedAt: number; readonly gate: GateRecord }
    | {
        readonly status: 'retrying'
        readonly startedAt: number
        readonly gate: GateRecord
        /** Number of the next attempt; its timer says when. */
        readonly attempt: number
      }
    | {
        readonly status: 'waiting'
        readonly startedAt: number
        readonly gate: GateRecord
        /** null: the node waits for a time; its timer says until when. */
        readonly approval: ApprovalState | null
      }
    | {
        readonly status: 'completed'
        readonly startedAt: number
        readonly finishedAt: number
        readonly outputs: readonly string[]
        readonly approval: ApprovalState | null
        /** null: its own work completed it. */
        readonly byHand: ByHand | null
      }
    | {
        readonly status: 'failed'
        /** null: it failed at its gate and never started. */
        readonly startedAt: number | null
        readonly finishedAt: number
        readonly error: NodeError
        readonly approval: ApprovalState | null
      }
    | {
        readonly status: 'skipped'
        readonly finishedAt: number
        readonly reason: SkipReason
        readonly cause: string | null
      }
    | { readonly status: 'cancelled'; readonly startedAt: number; readonly finishedAt: number }
    | { readonly status: 'rolled_back'; readonly startedAt: number | null; readonly finishedAt: number }
  )

/** Whose node a child execution works for, and under which attempt. */
export type Parent = { readonly executionId: string; readonly key: AttemptKey; readonly depth: number }

/** The run that a fork came from, and the seq after which it left it. */
export type Origin = { readonly executionId: string; readonly seq: number }

export type ExecutionState = {
  readonly executionId: string
  readonly pipeline: CompiledPipeline
  /** Where the values behind references are. No part of the fold: a fold never asks it. */
  readonly values: LargeValues
  /** The last folded seq. */
  seq: number
  lifecycle: Lifecycle
  generation: number
  priority: number
  labels: Readonly<Record<string, string>>
  requestedBy: Identity
  /** Whoever asked for the run, for a rerun of it, or for the run whose node it works for: who is excluded with `excludeRequester`. */
  requesters: readonly Identity[]
  mocks: Readonly<Record<string, Mock>>
  /** Of a child: its inputs that its parent computed from mocked values. */
  mockedInputs: readonly string[]
  /** Of a child: nodes above that people completed and on which it may rest, as `PIPELINE/NODE`. */
  byHandAbove: readonly string[]
  /** Pipeline → the revision that runs below, fixed at the start; null: none is fixed, as in journals of earlier versions. */
  subPipelines: ReadonlyMap<string, number> | null
  /** Pipeline that a `forEach` runs → the names of its outputs, fixed with its revision. */
  subOutputs: ReadonlyMap<string, readonly string[]>
  createdAt: number
  updatedAt: number
  /** When the run began first; `startedAt`: when it did last. */
  firstStartedAt: number | null
  startedAt: number | null
  finishedAt: number | null
  closedAt: number | null
  error: NodeError | null
  /** What the checks of the pipeline gave in this generation; none before they are evaluated. */
  checks: readonly CheckResult[]
  rollback: RollbackState | null
  /** How often the run has begun again after a rollback, since a person last asked for it. */
  rollbacks: number
  /** Set by `pipeline.cancelling`: nothing starts any more. `timedOut`: the run failed by its own deadline. */
  cancelling: { readonly reason: string | null; readonly timedOut: boolean } | null
  /** Who holds a pause. */
  pauses: Pauses
  /** Somebody holds a pause: nothing new starts until nobody does. An index over `pauses`. */
  paused: boolean
  parent: Parent | null
  origin: Origin | null
  /** The span for which the run was asked for, as W3C Trace Context writes it; null: its trace begins with it. */
  traceParent: string | null
  nodes: Map<string, NodeState>
  /** Event type → seq of its latest occurrence that counts. */
  events: Map<string, number>
  variables: Map<string, { readonly value: Json; readonly ref?: ValueRef; readonly seq: number }>
  /** Bytes of all writes of variables as JSON. */
  variableBytes: number
  /** Failed node → nodes that started because of it. */
  handlers: Map<string, string[]>
  /** The first final failure that is not allowed, in order of seq. */
  firstFailure: string | null
  /** Of a completed run: how many nodes failed all the same, wholly or in some items. 0 for every other. */
  handledFailures: number
  /** Nodes whose work was done by a run with handled failures. */
  handledBelow: Set<string>
  /** Node whose work was done by a run → nodes of that run, or below it, that people completed. */
  byHandBelow: Map<string, readonly string[]>
  warnings: string[]

  // Indexes, kept by evolve and compared with a rebuild by the invariants.
  /** Node → names of the variables that it wrote and that count, for its reset. */
  writes: Map<string, string[]>
  /** Attempts in flight by `node/item`. */
  inFlight: Map<string, AttemptState>
  timers: Timers
  /** Nodes of the run (not finally) that are not terminal. */
  open: number
  openFinally: number
  /** Nodes that move without people or external events: queued, running, retrying, waiting for a time. */
  active: number
  /** Attempts in flight that hold a slot. */
  held: Map<string, number>

  // Work lists: filled by evolve, emptied by the engine. Not part of what a fold means.
  /** Nodes whose gate has to be looked at again. */
  dirty: Set<string>
  /** Attempts that began, ended or changed since the orchestrator looked. */
  touched: Set<string>
  /** Nodes that would start something if they had a slot. `Admission` reads and empties it. */
  awaitingSlot: Set<string>
  /** The evaluated list of each forEach that has started: a memory, made again when it is not there. */
  itemLists: Map<string, readonly Json[]>
  /** Nodes with a wide gate that wait, and what is known of it. */
  wideWaits: Map<string, WideWait>
}

/** What is known of a wide gate that waits: a cache of its evaluation, made again when absent. */
export type WideWait = {
  /** The events before this position in the gate have been decided, and not so that they decide the gate. */
  from: number
  /** Nodes that published something or ended since the gate was looked at. */
  readonly touched: string[]
}

/** The state of an execution of which nothing has happened yet. */
export function emptyState(
  executionId: string,
  pipeline: CompiledPipeline,
  values: LargeValues = NO_LARGE_VALUES,
): ExecutionState {
  const nodes = new Map<string, NodeState>()
  let open = 0
  for (const node of pipeline.nodes.values()) {
    nodes.set(node.id, pendingNode(1, 0))
    if (!node.finally) open += 1
  }
  return {
    executionId,
    pipeline,
    values,
    seq: 0,
    lifecycle: 'PENDING',
    generation: 1,
    priority: pipeline.priority,
    labels: {},
    requestedBy: { id: null, name: '' },
    requesters: [],
    mocks: {},
    mockedInputs: [],
    byHandAbove: [],
    subPipelines: null,
    subOutputs: new Map(),
    createdAt: 0,
    updatedAt: 0,
    firstStartedAt: null,
    startedAt: null,
    finishedAt: null,
    closedAt: null,
    error: null,
    checks: [],
    rollback: null,
    rollbacks: 0,
    cancelling: null,
    pauses: NO_PAUSES,
    paused: false,
    parent: null,
    origin: null,
    traceParent: null,
    nodes,
    events: new Map(),
    variables: new Map(),
    variableBytes: 0,
    handlers: new Map(),
    firstFailure: null,
    handledFailures: 0,
    handledBelow: new Set(),
    byHandBelow: new Map(),
    warnings: [],
    writes: new Map(),
    inFlight: new Map(),
    timers: new Timers(),
    open,
    openFinally: nodes.size - open,
    active: 0,
    held: new Map(),
    dirty: new Set(),
    touched: new Set(),
    awaitingSlot: new Set(),
    itemLists: new Map(),
    wideWaits: new Map(),
  }
}

/** A node that nothing has happened to in its generation; `token` is the last that was given out before. */
export function pendingNode(generation: number, token: number): NodeState {
  return {
    status: 'pending',
    generation,
    token,
    attempts: 0,
    child: null,
    items: null,
    startDeadline: null,
    startExpired: [],
  }
}

export const attemptId = (node: string, item: number | null): string =>
  item === null ? node : `${node}/${item}`

export function isTerminal(status: NodeStatus): boolean {
  return (
    status === 'completed' ||
    status === 'failed' ||
    status === 'skipped' ||
    status === 'cancelled' ||
    status === 'rolled_back'
  )
}

/** Has the run its outcome? Finally nodes may still run. */
export function isFinished(state: ExecutionState): boolean {
  return state.finishedAt !== null
}

/** Is what nodes did being undone? */
export function isRollingBack(state: ExecutionState): boolean {
  return state.lifecycle === 'ROLLBACK' && !isFinished(state)
}

/** What people see. `waiting`: only people or external events can move the run. */
export function statusOf(state: ExecutionState): ExecutionStatus {
  switch (state.lifecycle) {
    case 'PENDING':
    case 'SCHEDULING':
      return 'pending'
    case 'EXECUTING':
      if (state.paused && state.cancelling === null) return 'paused'
      return state.cancelling === null && state.active === 0 && state.open > 0 ? 'waiting' : 'running'
    case 'VERIFYING':
      return 'verifying'
    case 'COMMIT':
      return 'completed'
    case 'FAILED':
      return 'failed'
    case 'CANCELLED':
      return 'cancelled'
    case 'ROLLBACK':
      return isFinished(state) ? 'rolled_back' : 'rolling_back'
  }
}

export function nodeOf(state: ExecutionState, id: string): NodeState {
  const node = state.nodes.get(id)
  if (node === undefined) throw new Error(`invariant: node '${id}' is not part of ${state.executionId}`)
  return node
}
