import type { TaskContract } from '@/tasks/contract'
import type { Engine, Feed, Runs } from '@/server/orchestrator/contract'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { AuditLog } from '@/server/ports/audit'
import type { Clock } from '@/server/ports/clock'
import type { DefinitionCheck } from '@/server/ports/definition-check'
import type { DraftStore } from '@/server/ports/drafts'
import type { CheckHookProof } from '@/server/ports/hook-proof'
import type { EventStore, Journal, VariableStore } from '@/server/ports/journal'
import type { ObjectiveStore } from '@/server/ports/objectives'
import type { People } from '@/server/ports/people'
import type {
  ApprovalInbox,
  ExecutionRegistry,
  IdempotencyStore,
  LogStore,
  PipelineRegistry,
} from '@/server/ports/registry'
import type { PoolRows } from '@/server/ports/pools'
import type { ScheduleStore } from '@/server/ports/schedules'
import type { SecretStore } from '@/server/ports/secrets'
import type { StorageGauge } from '@/server/ports/storage'
import type { Trials } from '@/server/ports/trials'
import type { Webhooks } from '@/server/ports/webhooks'

export type Example = {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly yaml: string
}

/** Everything that operations reach. The composition root builds it once; tests build it over an in-memory store. */
export type OperationContext = {
  readonly engine: Engine
  readonly runs: Runs
  readonly feed: Feed
  readonly journal: Pick<Journal, 'read'>
  readonly events: EventStore
  readonly variables: VariableStore
  readonly executions: ExecutionRegistry
  readonly pipelines: PipelineRegistry
  readonly approvals: ApprovalInbox
  readonly people: People
  readonly idempotency: IdempotencyStore
  readonly logs: LogStore
  readonly artifacts: ArtifactStore
  readonly audit: AuditLog
  readonly secrets: SecretStore
  readonly storage: StorageGauge
  /** As `process.version` says it. */
  readonly nodeVersion: string
  /** The address of a span in a tracing tool, with {trace_id} and {span_id}; null: the operator gave none. */
  readonly traceLink: string | null
  readonly webhooks: Webhooks
  readonly schedules: ScheduleStore
  readonly pools: PoolRows
  readonly drafts: DraftStore
  readonly objectives: Pick<ObjectiveStore, 'list' | 'first'>
  readonly checkHookProof: CheckHookProof
  readonly definitions: DefinitionCheck
  readonly trials: Trials
  readonly clock: Pick<Clock, 'now'>
  /** SHA-256 of a text (UTF-8), hex. */
  readonly sha256: (text: string) => string
  readonly tasks: ReadonlyMap<string, TaskContract>
  /** Types that are switched off, each with the setting that turns it on. */
  readonly disabledTasks: ReadonlyMap<string, string>
  /** The examples that come with the product, as YAML. */
  readonly examples: readonly Example[]
  /** The most nodes that a pipeline may have (PENSTOCK_MAX_NODES). */
  readonly maxNodes: number
}
