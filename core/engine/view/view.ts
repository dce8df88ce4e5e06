import type { Json, MockedValue, NodeError } from '@/core/engine/event'
import type { PayloadOf } from '@/core/engine/typed-event'

type RollbackPlan = PayloadOf<'pipeline', 'rolling_back'>

export type ExecutionStatus =
  | 'pending'
  | 'running'
  | 'paused'
  | 'waiting'
  | 'verifying'
  | 'rolling_back'
  | 'rolled_back'
  | 'completed'
  | 'failed'
  | 'cancelled'

export type Lifecycle =
  'PENDING' | 'SCHEDULING' | 'EXECUTING' | 'VERIFYING' | 'COMMIT' | 'FAILED' | 'CANCELLED' | 'ROLLBACK'

export type NodeStatus =
  | 'pending'
  | 'queued'
  | 'running'
  | 'waiting'
  | 'retrying'
  | 'completed'
  | 'failed'
  | 'skipped'
  | 'cancelled'
  | 'rolled_back'

/** How far the undoing of a node is. */
export type CompensationStatus =
  'pending' | 'queued' | 'running' | 'retrying' | 'completed' | 'skipped' | 'failed'

/** What a node waits for, and who can give it: never empty for a node that is not terminal. */
export type WaitingFor = {
  /** attempt: work in flight · worker: an attempt whose work has not begun · slot: capacity · timer: a due time · people: a decision · event: an external event · nodes: other nodes */
  readonly kind: 'attempt' | 'worker' | 'slot' | 'timer' | 'people' | 'event' | 'nodes' | 'engine'
  /** One sentence for people. */
  readonly text: string
  /** Event types, node ids or approvers, by kind. */
  readonly names: readonly string[]
}

/** One node of `GET /executions/{id}` (wire names). Times are ISO 8601; durations milliseconds. */
export type NodeView = {
  readonly status: NodeStatus
  readonly phase: string
  readonly attempts: number
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly duration_ms: number | null
  readonly skip_reason: string | null
  /** The atom or node that caused the skip. */
  readonly skip_cause: string | null
  readonly error: NodeError | null
  /** It failed, and that does not fail the run: another node has dealt with it, or it is allowed to. */
  readonly handled: boolean
  /** The run that did its work completed although something failed in it. */
  readonly handled_below: boolean
  readonly outputs: { readonly [name: string]: Json } | null
  readonly waiting_for: WaitingFor | null
  readonly next_wake_at: string | null
  readonly critical: boolean
  readonly slack_ms: number | null
  readonly child_execution_id: string | null
  readonly items: {
    readonly total: number
    readonly completed: number
    readonly failed: number
    readonly running: number
  } | null
  /** Latest progress that the attempt reported. */
  readonly progress: { readonly ratio: number | null; readonly message: string | null } | null
  /** A person completed it by hand: who, and why; null: its own work did, or it has not completed. */
  readonly by_hand: {
    readonly actor: string
    /** null in journals of versions that knew names only. */
    readonly actor_id: string | null
    readonly reason: string
  } | null
  /** For a waiting approval: what the approver sees and how the votes stand. */
  readonly approval: ApprovalView | null
}

export type ApprovalView = {
  readonly message: string
  readonly approvers: readonly string[]
  readonly quorum: number
  readonly reject_quorum: number
  readonly due_at: string | null
  readonly form: { readonly [name: string]: Json } | null
  /** Which values in the question come from mocks, and from those of which nodes. */
  readonly mocked: readonly MockedValue[]
  /** Nodes before it that people had completed by hand when it opened. */
  readonly by_hand: readonly string[]
  readonly votes: readonly {
    readonly approver: string
    /** null in journals of versions that knew names only. */
    readonly approver_id: string | null
    readonly decision: 'approved' | 'rejected'
    readonly comment: string | null
    readonly at: string
  }[]
}

/** A check of the pipeline, and what it gave. */
export type CheckView = {
  readonly name: string
  /** null: not evaluated, because nodes of the run have not ended, or failed. */
  readonly held: boolean | null
  /** Of one that does not hold: what was found, or why it cannot be evaluated. */
  readonly text: string | null
}

/** The latest rollback of a run, as far as it is; after the run has begun again there is none. */
export type RollbackView = {
  readonly trigger: RollbackPlan['trigger']
  readonly scope: RollbackPlan['scope']
  /** The phase, node or artifact; null: the whole run. */
  readonly target: string | null
  /** What becomes of the run afterwards. */
  readonly then: RollbackPlan['then']
  readonly actor: string
  readonly reason: string | null
  readonly started_at: string
  /** Leaves first. */
  readonly order: readonly (readonly string[])[]
  readonly irreversible: readonly string[]
  readonly uncompensated: readonly string[]
  readonly steps: {
    readonly [node: string]: {
      readonly status: CompensationStatus
      readonly attempt: number
      readonly error: NodeError | null
      /** Who acts next; null: nobody has to. */
      readonly waiting_for: string | null
    }
  }
}

/** `GET /executions/{id}` (wire names): a pure function of the folded state. */
export type OutsideWaitView = {
  readonly node_id: string
  readonly kind: 'people' | 'event'
  readonly from: string
}

export type ExecutionView = {
  readonly execution_id: string
  readonly pipeline_id: string
  readonly revision: number
  /** Pipeline → the revision that runs below, at every depth, fixed at the start; null: there is none, or it was not fixed yet. */
  readonly sub_pipelines: { readonly [pipelineId: string]: number } | null
  readonly status: ExecutionStatus
  readonly lifecycle: Lifecycle
  readonly paused: boolean
  readonly priority: number
  readonly labels: { readonly [key: string]: string }
  readonly requested_by: string
  readonly requested_by_id: string | null
  readonly inputs: { readonly [name: string]: Json }
  readonly outputs: { readonly [name: string]: Json } | null
  readonly error: NodeError | null
  /** The checks of the pipeline, in its order [H-1]. */
  readonly checks: readonly CheckView[]
  readonly rollback: RollbackView | null
  /** Of a completed run: how many nodes failed all the same, wholly or in some items. */
  readonly handled_failures: number
  /** Values of it come from mocks: its own, or those of the run whose node it works for. */
  readonly mocked: boolean
  /** The nodes whose work mocks replace. */
  readonly mocks: readonly string[]
  /** Of a child: inputs that the run above computed from mocked values. */
  readonly mocked_inputs: readonly string[]
  /** Failures of finally nodes: reported, without effect on the outcome. */
  readonly warnings: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  /** What the run took counts from here to its end, with all waits and reruns, wherever it is shown. */
  readonly first_started_at: string | null
  /** Of a run that was rerun: when its latest generation began. */
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly closed_at: string | null
  readonly generation: number
  readonly phase: string | null
  readonly parent: { readonly execution_id: string; readonly node_id: string } | null
  readonly origin: { readonly execution_id: string; readonly seq: number } | null
  readonly last_seq: number
  /** Expected end by estimates and actual times; null when the run has ended or what it waits for cannot be known. */
  readonly eta: string | null
  /** In nine of ten runs it ends before; null as well where there were too few earlier runs. */
  readonly eta_p90: string | null
  /**
   * The wait for people or the outside that it is in (`from` is now), or comes to next; `then`: another one, beside it or after it;
   * `after_ms`: what is left then, null where there is another.
   */
  readonly waits_for:
    (OutsideWaitView & { readonly after_ms: number | null; readonly then: OutsideWaitView | null }) | null
  readonly critical_path: readonly string[]
  readonly checkpoints: readonly Json[]
  readonly nodes: { readonly [id: string]: NodeView }
  readonly metrics: {
    readonly tasks_total: number
    readonly tasks_completed: number
    readonly tasks_failed: number
    readonly execution_duration_seconds: number | null
  }
}

/** One leaf or joint of a start condition, explained. */
export type ExplainNode = {
  readonly kind: 'or' | 'and' | 'not' | 'event' | 'condition'
  /** As written in the definition. */
  readonly text: string
  readonly truth: 'true' | 'dead' | 'pending'
  /** Who can still make a pending leaf true, or why a dead one cannot become true. */
  readonly why: string | null
  readonly terms: readonly ExplainNode[]
}

/** `GET …/nodes/{node}/explain`: why the node is, or is not, running. */
export type Explanation = {
  readonly node: string
  readonly status: NodeStatus
  /** One sentence for people. */
  readonly summary: string
  readonly start_when: ExplainNode
  readonly waiting_for: WaitingFor | null
  readonly next_wake_at: string | null
  /** The checks of the pipeline that read it. */
  readonly checks: readonly CheckView[]
  /** Admission: limits, slots in use, position in the queue. */
  readonly scheduling: {
    readonly slots_in_use: number
    readonly slots: number
    readonly position: number | null
    /** Why it goes before the next one, in words; null: nobody stands behind it. */
    readonly order: string | null
    readonly pools: readonly PoolView[]
  } | null
  /** Why the approval is never given, however long it waits; null: it can be, or who explains does not know the people. */
  readonly unreachable: string | null
}

/** A pool that the node demands some of: what it can hold (null: anything), how many wait for it, and some of those who hold it. */
export type PoolView = {
  readonly pool: string
  /** What an attempt of the node takes of it. Memory in bytes. */
  readonly amount: number
  readonly capacity: number | null
  readonly in_use: number
  readonly waiting: number
  readonly holders: readonly {
    readonly execution_id: string
    readonly node_id: string
    /** More than one of a forEach. */
    readonly attempts: number
    readonly amount: number
    /** When the first of these attempts began. */
    readonly since: string
  }[]
  /** Work that belongs to no run, or not any more, in words. */
  readonly others: readonly string[]
  /** How much those hold who are not named. */
  readonly more: number
}
