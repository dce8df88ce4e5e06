import type { Json } from '@/core/engine/event'
import type { PlannedSchedule } from './schedules'
import type { ExecutionRow, IdempotencyRecord, NodeStatistics, PendingApproval } from './journal'
import type { Page } from './page'

export type ExecutionFilter = {
  readonly pipelineId?: string
  readonly statuses?: readonly string[]
  /** Only those with handled failures, or only those without. */
  readonly handledFailures?: boolean
  /** Only those with values from mocks, or only those without. */
  readonly mocked?: boolean
  readonly label?: { readonly key: string; readonly value: string }
  readonly revision?: number
  /** The id or the name of who started it, as its row has them. */
  readonly requestedBy?: string
  /** Words that all stand in its id, pipeline, labels, inputs, error or in who started it, as written, but for case. */
  readonly text?: string
  /** What it took, or has taken at `now`: inclusive bounds. Milliseconds. */
  readonly took?: { readonly least?: number; readonly most?: number; readonly now: number }
  /** Inclusive bounds of createdAt, milliseconds since the epoch. */
  readonly from?: number
  readonly to?: number
  readonly limit: number
  readonly cursor?: string
}

export type ClosedCount = {
  readonly slice: number
  readonly status: string
  readonly count: number
  /** How many of them have handled failures. */
  readonly handled: number
}

/** The registry of executions: only it can list them. Rows are written by commits only. */
export interface ExecutionRegistry {
  get(executionId: string): Promise<ExecutionRow | null>
  /**
   * Newest first (createdAt, then id); keyset cursors, opaque to callers. A malformed cursor rejects with code `invalid_cursor`. A list
   * looks at so many rows at a time: a page may hold fewer than `limit`, or none, and still have a next one.
   */
  list(filter: ExecutionFilter): Promise<Page<ExecutionRow>>
  /** Executions that are not closed, in order of id, for recovery and sweep: `after` pages through them. */
  open(range: { after?: string; limit: number }): Promise<ExecutionRow[]>
  /** Executions that are due: nextWakeAt <= now and not closed. */
  due(now: number, limit: number): Promise<ExecutionRow[]>
  /** Reads one index entry an execution: for pages that people look at, not for decisions. */
  countByStatus(): Promise<Readonly<Record<string, number>>>
  /**
   * Executions that were closed at or after `from` (milliseconds since the epoch), counted by status and by slice: `closedAt` divided
   * by `sliceMs`, whole. In order of both. Reads one index entry an execution.
   */
  closedSince(from: number, sliceMs: number): Promise<readonly ClosedCount[]>
  /** Executions of the pipeline that are not closed. */
  openCountOf(pipelineId: string): Promise<number>
  /** The latest forks of an execution, newest first. */
  forksOf(executionId: string, limit: number): Promise<ExecutionRow[]>
}

export type PipelineRow = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly labels: Readonly<Record<string, string>>
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

export type RevisionRow = {
  readonly pipelineId: string
  readonly revision: number
  /** The definition as written: `text` keeps YAML with its comments when it came as YAML, else null. */
  readonly definition: Json
  readonly text: string | null
  readonly digest: string
  readonly createdAt: number
  /** The name as it was shown, and the id of that principal; null: of an earlier version, and no person. */
  readonly createdBy: string
  readonly createdById: string | null
  /** What its author says of it. */
  readonly note: string | null
}

/** Its number is given when it is stored. */
export type NewRevision = Omit<RevisionRow, 'revision' | 'note'> & { readonly note?: string | null }

/** Pipelines and their immutable revisions. A deleted pipeline disappears from lists; its revisions stay readable for its executions. */
export interface PipelineRegistry {
  /** `exists` when a pipeline of that id is there. The author's draft goes when the revision comes. A deleted id may be used again: revisions go on counting. */
  create(pipeline: {
    name: string
    description: string | null
    labels: Record<string, string>
    revision: NewRevision
    /** The cron triggers that the revision declares: stored in the same transaction, replacing those before; absent: none. */
    schedules?: readonly PlannedSchedule[]
  }): Promise<{ revision: number } | 'exists'>
  /**
   * Adds a revision when `ifMatch` is the current one; the same digest keeps the revision, and takes its text when there is one, since
   * comments are no content and are not to be lost either. The author's draft goes each time.
   */
  update(
    pipeline: {
      name: string
      description: string | null
      labels: Record<string, string>
      revision: NewRevision
      schedules?: readonly PlannedSchedule[]
    },
    ifMatch: number,
  ): Promise<{ revision: number } | { stale: number } | 'missing'>
  get(id: string): Promise<PipelineRow | null>
  /** In order of id. `search`: words that stand in id, name or description as written, but for case. */
  list(range: { limit: number; cursor?: string; search?: string }): Promise<Page<PipelineRow>>
  revision(id: string, revision?: number): Promise<RevisionRow | null>
  revisions(
    id: string,
    range: { limit: number; cursor?: string },
  ): Promise<Page<Omit<RevisionRow, 'definition' | 'text'>>>
  /** Its schedules go with it. */
  remove(id: string): Promise<boolean>
}

export interface StatisticsStore {
  ofPipeline(pipelineId: string): Promise<readonly NodeStatistics[]>
}

export interface ApprovalInbox {
  /** The longest waiting first. */
  pending(range: { limit: number; cursor?: string; executionId?: string }): Promise<Page<PendingApproval>>
  count(): Promise<number>
}

export interface IdempotencyStore {
  find(scope: string, key: string): Promise<IdempotencyRecord | null>
  /** For requests that do not go through the journal (pipelines). False when the key is taken. */
  save(record: IdempotencyRecord): Promise<boolean>
}

export type LogLine = {
  readonly executionId: string
  readonly nodeId: string
  readonly generation: number
  readonly attempt: number
  readonly item: number | null
  /** 1, 2, 3 … per node of an execution. */
  readonly n: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly stream: 'stdout' | 'stderr' | 'log'
  readonly text: string
}

/**
 * Log lines of attempts. Appends are grouped and resolve when written; a lost tail after a crash is acceptable, order within
 * an attempt is stored. A line over 64 K characters is cut and a node keeps 100,000 lines, both visibly.
 */
export interface LogStore {
  append(lines: readonly Omit<LogLine, 'n'>[]): Promise<void>
  read(
    executionId: string,
    nodeId: string,
    range: { attempt?: number; item?: number; after?: number; limit: number },
  ): Promise<LogLine[]>
}

export type ArtifactRow = {
  readonly artifactId: string
  readonly executionId: string
  readonly nodeId: string
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  /** SHA-256 of the content, hex: the address of the file in the store. */
  readonly digest: string
  readonly createdAt: number
}

/** Results that arrived for something that is over: recorded, never as an event. */
export type RefusedResult = {
  readonly executionId: string
  readonly nodeId: string
  readonly generation: number
  readonly attempt: number
  readonly item: number | null
  readonly token: number
  readonly reason: string
  readonly at: number
}

export interface AttemptRecords {
  refused(result: RefusedResult): Promise<void>
  listRefused(executionId: string, nodeId: string): Promise<RefusedResult[]>
}
