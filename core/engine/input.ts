import type { Json, JsonObject, NodeError, VariableWrite } from './event'
import type { SubPipelines } from './decide/gate-below'
import type { Identity, Principal } from './principal'

/** A replaced outcome of a node's work: `POST …/executions { mocks }`. */
export type Mock =
  { readonly outputs: JsonObject } | { readonly error: { readonly kind?: string; readonly message: string } }

/** Names one attempt; a result whose token is not the current one changes nothing. */
export type AttemptKey = {
  readonly node: string
  readonly generation: number
  readonly item: number | null
  readonly attempt: number
  readonly token: number
}

/** What a fork takes over from the run that it leaves, as its first entry carries it. */
export type Snapshot = {
  /** Events of the outside that count and that some gate names. */
  readonly events: readonly string[]
  readonly variables: readonly VariableWrite[]
}

/** What a rollback undoes: everything, a phase, a node or an artifact, each with what follows from it. */
export type RollbackScope = 'execution' | 'phase' | 'node' | 'artifact'

/** Which nodes a person asks to run again: named, or those that failed with what their failure stopped. */
export type Rerun = readonly string[] | 'failed'

export type StartInput = {
  readonly type: 'start'
  readonly inputs: JsonObject
  /** Who asked for the run. Of a child it is who asked for its parent, as the parent's journal says. */
  readonly actor: Identity
  /** Who else asked for it: of a child for its parent, by a rerun; of a fork for the run that it leaves. */
  readonly alsoRequestedBy?: readonly Identity[]
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly mocks: Readonly<Record<string, Mock>>
  /** Inputs that come from mocks of the run above, or of the one that is forked. */
  readonly mockedInputs?: readonly string[]
  /** Nodes above that people completed and on which it may rest: `PIPELINE/NODE`. */
  readonly byHandAbove?: readonly string[]
  /** What runs below it, in the revisions that are fixed for the whole run; absent: it runs no other pipeline. */
  readonly subPipelines?: SubPipelines
  /** The instant for which a schedule started it (milliseconds since the epoch); absent: no schedule did [G-16]. */
  readonly scheduledAt?: number
  /** The span for which somebody else asked for it, as W3C Trace Context writes it. */
  readonly traceParent?: string
  /** Whose node this execution works for; null: somebody asked for it. */
  readonly parent: { readonly executionId: string; readonly key: AttemptKey; readonly depth: number } | null
  /** Of a fork: the run that it leaves, the seq after which it does, and what it takes over. */
  readonly origin: { readonly executionId: string; readonly seq: number; readonly snapshot: Snapshot } | null
}

/** Everything that can happen to an execution, in the imperative. `decide` answers with entries or a rejection. */
export type EngineInput =
  | StartInput
  /** A worker has everything that the attempt needs: its work begins now, and its timeout counts from here. */
  | { readonly type: 'begin_attempt'; readonly key: AttemptKey }
  | {
      readonly type: 'complete_attempt'
      readonly key: AttemptKey
      readonly outputs: JsonObject
      /** Of a child: it completed although so many of its nodes failed. */
      readonly handledFailures?: number
      /** Of a child: nodes of it, or below it, that people completed. */
      readonly byHandBelow?: readonly string[]
    }
  | {
      readonly type: 'fail_attempt'
      readonly key: AttemptKey
      readonly error: NodeError
      /** The child that was to do the work could not begin: there is none. */
      readonly noChild?: true
      /** A person ended the work on purpose: no `retry` begins it again. */
      readonly final?: true
    }
  | { readonly type: 'lose_attempt'; readonly key: AttemptKey; readonly reason: string }
  | {
      readonly type: 'report_progress'
      readonly key: AttemptKey
      readonly ratio: number | null
      readonly message: string | null
    }
  /** Fires every timer that is due. */
  | { readonly type: 'tick' }
  /** Nothing happened; whatever follows from the state by itself is done. A wake-up means only this. */
  | { readonly type: 'look' }
  /** Admits a run that waits because of `policy.maxRunning`. */
  | { readonly type: 'schedule' }
  /** A slot is free for a queued node. */
  | { readonly type: 'admit'; readonly node: string }
  /** `POST /events` and the decision of an approval: one door. */
  | {
      readonly type: 'publish_event'
      readonly eventType: string
      readonly payload: JsonObject
      readonly actor: Principal
    }
  | { readonly type: 'cancel'; readonly reason: string | null; readonly actor: Principal }
  /**
   * Nothing new starts; what runs ends by itself, or with `hard` is stopped and done again later. `holder` parent: the run that
   * waits for this one holds the pause, and only its resume ends it; absent: a person does.
   */
  | {
      readonly type: 'pause'
      readonly reason: string | null
      readonly hard: boolean
      readonly actor: Principal
      readonly holder?: 'parent'
    }
  /** Ends the pause of a person, or with `holder` that of the parent; what somebody else holds stays paused. */
  | { readonly type: 'resume'; readonly actor: Principal; readonly holder?: 'parent' }
  /** Runs nodes again, with everything downstream, in the same run. */
  | { readonly type: 'rerun'; readonly nodes: Rerun; readonly actor: Principal }
  /** A person undoes what the run did, or a part of it; `made_by`: of an artifact, the node that made it. */
  | {
      readonly type: 'roll_back'
      readonly scope: RollbackScope
      readonly target: string | null
      readonly madeBy?: string
      /** The run begins again afterwards. */
      readonly restart: boolean
      readonly reason: string | null
      readonly actor: Principal
    }
  /** A person did the work of a node that failed, or waits for a retry, and gives its outputs. */
  | {
      readonly type: 'complete_by_hand'
      readonly node: string
      /** Its variables, as others read them; of a forEach lists. */
      readonly outputs: JsonObject
      readonly reason: string
      readonly actor: Principal
      /** What runs below it; absent: the node runs no other pipeline. */
      readonly subPipelines?: SubPipelines
    }

export type RejectionCode =
  | 'execution_finished'
  | 'stale_attempt'
  | 'not_waiting'
  | 'already_decided'
  | 'not_an_approver'
  | 'invalid_event_type'
  | 'payload_too_large'
  | 'invalid_form'
  | 'invalid_inputs'
  | 'unknown_mock'
  | 'not_queued'
  | 'too_many_running'
  | 'parent_paused'
  | 'unknown_node'
  | 'nothing_to_rerun'
  | 'not_completable'
  | 'invalid_outputs'
  | 'unknown_seq'
  | 'unknown_phase'
  | 'nothing_to_roll_back'
  | 'rolling_back'

/** A refusal is a value. Nothing changes. */
export type Rejection = {
  readonly code: RejectionCode
  readonly message: string
  readonly issues?: readonly {
    readonly path: readonly (string | number)[]
    readonly code: string
    readonly message: string
    readonly hint?: string
  }[]
}

export type { Json }
