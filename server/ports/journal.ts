import type { Entry, Event, Json, VariableWrite } from '@/core/engine/event'
import type { PendingDelivery } from './webhooks'

/** One row of the registry of executions: what lists show and what timers, sweep and recovery look at. */
export type ExecutionRow = {
  readonly executionId: string
  readonly pipelineId: string
  readonly revision: number
  /** What people see: pending, running, paused, waiting, verifying, rolling_back, rolled_back, completed, failed, cancelled. */
  readonly status: string
  readonly lifecycle: string
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  /** The name as it was shown. */
  readonly requestedBy: string
  /** The id of that principal; null where the journal holds names only. */
  readonly requestedById: string | null
  /** Milliseconds since the epoch, as all times of this row. */
  readonly createdAt: number
  /** When it began first: a rerun does not shorten what it took. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Set when nothing more can happen to the execution (`pipeline.closed`). */
  readonly closedAt: number | null
  /** When the engine looks at this execution again by itself; null: only an input moves it. */
  readonly nextWakeAt: number | null
  readonly error: { readonly kind: string; readonly message: string } | null
  /** Of a completed one: how many nodes failed all the same. */
  readonly handledFailures: number
  /** Values of it come from mocks: its own, or those of the run whose node it works for. Known from its first entry on. */
  readonly mocked: boolean
  /** For what people or the outside have to do it waits, in words; at most 200 characters. null: it moves by itself. */
  readonly waitingFor: string | null
  /** Of a child: the execution whose node it works for. */
  readonly parentId: string | null
  /** Of a fork: the execution that it left. */
  readonly originId: string | null
  /** Its inputs in short, for lists: each as text. null: a row of an earlier version. */
  readonly inputs: Readonly<Record<string, string>> | null
}

/** The first answer to a request that carried an idempotency key. */
export type IdempotencyRecord = {
  readonly scope: string
  readonly key: string
  /** SHA-256 of the canonical request, hex. */
  readonly requestDigest: string
  readonly answer: Json
}

export type NodeStatistics = {
  readonly pipelineId: string
  readonly nodeId: string
  readonly completed: number
  readonly failed: number
  /** The latest durations in milliseconds, oldest first, at most 50. */
  readonly durations: readonly number[]
}

export type PendingApproval = {
  readonly executionId: string
  readonly nodeId: string
  readonly pipelineId: string
  readonly openedAt: number
  readonly dueAt: number | null
  /** What the approver decides on: rendered message, approvers, quorum, form. */
  readonly request: Json
}

/** Which start of which engine writes. Of all that were ever claimed only the latest may write. */
export type Ownership = {
  /** Who it is, for people: a name that distinguishes engines. */
  readonly owner: string
  /** 1, 2, 3 … with every claim; 0: no engine has claimed the store yet. */
  readonly epoch: number
}

/** What one commit writes for one execution. */
export type ExecutionWrite = Ownership & {
  readonly executionId: string
  /** The last seq that the writer folded; 0 for a new execution. The first entry carries `expectedSeq + 1`. */
  readonly expectedSeq: number
  readonly entries: readonly Entry[]
  /**
   * The registry row when it changed (always on creation). Pipeline, labels, requester, parent and creation time are those of
   * the first row; later rows cannot change them.
   */
  readonly row?: ExecutionRow
  readonly idempotency?: readonly IdempotencyRecord[]
  /** Approvals opened and node ids whose approval ended in these entries: the inbox is an index over the journal. */
  readonly approvalsOpened?: readonly PendingApproval[]
  readonly approvalsClosed?: readonly string[]
  /** The outbox: each of these entries' events that a webhook has to receive. One that is deleted by then receives nothing. */
  readonly deliveries?: readonly PendingDelivery[]
}

export type Batch = {
  readonly executions: readonly ExecutionWrite[]
  readonly statistics?: readonly NodeStatistics[]
}

export type CommitResult = {
  /**
   * Executions whose `expectedSeq` was not the last stored seq, one of whose idempotency keys is taken (also by an earlier
   * write of the same batch), or whose writer is not the owner any more: nothing of theirs was written, everything else is durable.
   */
  readonly conflicts: readonly string[]
  /** The owner when it is another than a writer of this batch named; that writer may never write again. */
  readonly ownedBy?: Ownership
}

export type EventFilter = {
  /** Exact types or patterns in which `*` stands for exactly one segment. Any of them matches. */
  readonly types?: readonly string[]
  readonly entityType?: string
  readonly entityId?: string
  /** Inclusive bounds, milliseconds since the epoch. */
  readonly from?: number
  readonly to?: number
  /** Only events with a greater seq. */
  readonly after?: number
  /** Also events that a reset has superseded, marked as such. */
  readonly superseded?: boolean
  /** 1 to 10,000; absent: 1,000. Past that: an error with code `invalid_limit`. */
  readonly limit?: number
}

/**
 * The one write port. A commit is one transaction: after the promise resolves everything in it that is not in `conflicts`
 * is on disk. A rejection means that nothing may be acknowledged any more and the process has to end.
 */
export interface Journal {
  commit(batch: Batch): Promise<CommitResult>
  /**
   * From now on only writes that name this owner and the epoch that is answered are taken; those of every earlier claim are
   * conflicts. The epoch is durable when it is answered, and greater than all before.
   */
  claim(owner: string): Promise<number>
  /** Entries of one execution in order of seq, each with its variable writes in the order in which they were committed. */
  read(executionId: string, range?: { after?: number; limit?: number }): Promise<Entry[]>
}

/** An event as lists show it: marked when a reset has superseded it. The journal itself never changes. */
export type ListedEvent = Event & { readonly superseded?: true }

/**
 * Answers questions about the events of one execution; never about another's [E-5..E-7, E-11, N-6, N-7]. What a reset has superseded
 * does not count unless it is asked for.
 */
export interface EventStore {
  has(executionId: string, type: string, options?: { superseded?: boolean }): Promise<boolean>
  /** The latest event of that type (or the first), or null. */
  get(
    executionId: string,
    type: string,
    options?: { which?: 'latest' | 'first'; superseded?: boolean },
  ): Promise<ListedEvent | null>
  query(executionId: string, filter: EventFilter): Promise<ListedEvent[]>
}

export type Variable = VariableWrite & { readonly seq: number }

/**
 * Answers questions about the variables of one execution [N-5]. Variables are written by commits only; those of a reset node are hidden
 * until it writes them again.
 */
export interface VariableStore {
  get(executionId: string, name: string): Promise<Variable | null>
  exists(executionId: string, name: string): Promise<boolean>
  /** Latest value of every name, ordered by name. */
  list(executionId: string): Promise<Variable[]>
}
