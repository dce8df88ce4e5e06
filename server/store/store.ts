import type { ArtifactRows } from '@/server/ports/artifacts'
import type { AuditLog } from '@/server/ports/audit'
import type { DraftStore } from '@/server/ports/drafts'
import type { EventStore, Journal, VariableStore } from '@/server/ports/journal'
import type { ObjectiveStore } from '@/server/ports/objectives'
import type {
  ApprovalInbox,
  AttemptRecords,
  ExecutionRegistry,
  IdempotencyStore,
  LogStore,
  PipelineRegistry,
  StatisticsStore,
} from '@/server/ports/registry'
import type { RunProfileStore } from '@/server/ports/run-profiles'
import type { Retention } from '@/server/ports/retention'
import type { ScheduleStore } from '@/server/ports/schedules'
import type { PoolRows } from '@/server/ports/pools'
import type { SecretRows } from '@/server/ports/secrets'
import type { WebhookStore } from '@/server/ports/webhooks'

/** Everything that is stored, behind its ports. */
export type Store = {
  readonly journal: Journal
  readonly events: EventStore
  readonly variables: VariableStore
  readonly executions: ExecutionRegistry
  readonly pipelines: PipelineRegistry
  readonly statistics: StatisticsStore
  readonly profiles: RunProfileStore
  readonly approvals: ApprovalInbox
  readonly idempotency: IdempotencyStore
  readonly logs: LogStore
  readonly attempts: AttemptRecords
  readonly artifactRows: ArtifactRows
  readonly audit: AuditLog
  readonly retention: Retention
  readonly pools: PoolRows
  readonly secretRows: SecretRows
  readonly webhookRows: WebhookStore
  readonly schedules: ScheduleStore
  readonly drafts: DraftStore
  readonly objectives: ObjectiveStore
  /** Resolves when a row was written durably just now; rejects when the store cannot be written. */
  readiness(): Promise<void>
  /** Bytes of the database that hold something, and of its log. */
  size(): Promise<{ readonly databaseBytes: number; readonly walBytes: number }>
  /** Takes no new writes, lets those under way end, closes the files and gives up the lock. */
  close(): Promise<void>
}
