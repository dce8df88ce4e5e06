import type { Entry } from '@/core/engine/event'
import type { RunProfile } from '@/core/engine/timeline/run-profile'
import type {
  ExecutionRow,
  IdempotencyRecord,
  NodeStatistics,
  Ownership,
  PendingApproval,
} from '@/server/ports/journal'
import type { Minute } from '@/core/objectives/promises'
import type { AuditRecord } from '@/server/ports/audit'
import type { DraftRow } from '@/server/ports/drafts'
import type { ScheduleRow } from '@/server/ports/schedules'
import type { ArtifactRow, LogLine, PipelineRow, RefusedResult, RevisionRow } from '@/server/ports/registry'
import type { PoolRow } from '@/server/ports/pools'
import type { SecretRow } from '@/server/ports/secrets'
import type { DeliveryRow, WebhookRow } from '@/server/ports/webhooks'

/**
 * The contents of a store in memory. They outlive the store that wrote them: a simulation crashes one and opens the next on the
 * same disk.
 */
export type MemoryDisk = {
  /** Who may write. */
  owner: Ownership
  /** Entries by execution id; index + 1 is the seq. */
  readonly journals: Map<string, Entry[]>
  readonly executions: Map<string, ExecutionRow>
  /** With the execution that the answer belongs to. */
  readonly idempotency: Map<string, IdempotencyRecord & { readonly executionId: string | null }>
  readonly statistics: Map<string, NodeStatistics>
  readonly profiles: Map<string, { readonly seq: number; readonly profile: RunProfile }>
  readonly approvals: Map<string, PendingApproval>
  readonly pipelines: Map<string, PipelineRow & { readonly deleted: boolean }>
  readonly revisions: Map<string, RevisionRow[]>
  readonly logs: Map<string, LogLine[]>
  readonly artifacts: Map<string, ArtifactRow[]>
  readonly refused: Map<string, RefusedResult[]>
  readonly schedules: Map<string, ScheduleRow>
  readonly drafts: Map<string, DraftRow>
  readonly pools: Map<string, PoolRow>
  readonly secrets: Map<string, SecretRow & { readonly sealed: string }>
  readonly audit: AuditRecord[]
  /** By minute. */
  readonly objectives: Map<number, Minute>
  /** Executions that are being removed, and digests of contents that lost their last row. */
  readonly removals: { readonly executions: Set<string>; readonly contents: Set<string> }
  readonly webhooks: Map<string, WebhookRow>
  readonly deliveries: Map<string, DeliveryRow>
}

export function createMemoryDisk(): MemoryDisk {
  return {
    owner: { owner: '', epoch: 0 },
    journals: new Map(),
    executions: new Map(),
    idempotency: new Map(),
    statistics: new Map(),
    profiles: new Map(),
    approvals: new Map(),
    pipelines: new Map(),
    revisions: new Map(),
    logs: new Map(),
    artifacts: new Map(),
    refused: new Map(),
    schedules: new Map(),
    drafts: new Map(),
    pools: new Map(),
    secrets: new Map(),
    audit: [],
    objectives: new Map(),
    removals: { executions: new Set(), contents: new Set() },
    webhooks: new Map(),
    deliveries: new Map(),
  }
}

/** One text for several ids, without two lists of ids sharing one. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

/** What goes to a disk and comes back is a copy: nobody can change what is stored by changing what they hold [N-12]. */
export function copyOf<T>(value: T): T {
  return structuredClone(value)
}

type Key = string | number

/** Orders by keys, one after the other. */
export function compareKeys(a: readonly Key[], b: readonly Key[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at]
    if (right === undefined || left === right) continue
    return left < right ? -1 : 1
  }
  return 0
}
