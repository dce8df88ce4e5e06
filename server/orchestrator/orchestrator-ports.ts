import type { TaskCatalog } from '@/core/pipeline/definition/task-description'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Ids } from '@/server/ports/ids'
import type { Journal } from '@/server/ports/journal'
import type { EngineObserver } from '@/server/ports/observer'
import type { RunProfileStore } from '@/server/ports/run-profiles'
import type { Retention } from '@/server/ports/retention'
import type { Runner } from '@/server/ports/runner'
import type { Outbox } from '@/server/ports/webhooks'
import type { StorageGauge } from '@/server/ports/storage'
import type { PoolRows } from '@/server/ports/pools'
import type { ScheduleStore } from '@/server/ports/schedules'
import type {
  ApprovalInbox,
  AttemptRecords,
  ExecutionRegistry,
  IdempotencyStore,
  LogStore,
  PipelineRegistry,
  StatisticsStore,
} from '@/server/ports/registry'

export type OrchestratorPorts = {
  readonly journal: Journal
  readonly executions: ExecutionRegistry
  readonly pipelines: PipelineRegistry
  readonly statistics: StatisticsStore
  readonly profiles: RunProfileStore
  readonly approvals: ApprovalInbox
  readonly idempotency: IdempotencyStore
  readonly attempts: AttemptRecords
  readonly logs: LogStore
  readonly retention: Retention
  readonly artifacts: Pick<
    ArtifactStore,
    'putBytes' | 'get' | 'list' | 'share' | 'digestOf' | 'contentOf' | 'discard'
  >
  readonly schedules: ScheduleStore
  readonly pools: Pick<PoolRows, 'list'>
  readonly runner: Runner
  readonly clock: Clock
  readonly ids: Ids
  readonly tasks: TaskCatalog
  /** Webhooks that events are sent to; absent: none. */
  readonly outbox?: Outbox
  /** What the database holds of what it may; absent: it may hold everything. */
  readonly storage?: StorageGauge
  /** Measures how long inputs take; absent: nobody does. */
  readonly observer?: EngineObserver
  /** Something went wrong that stops nobody. */
  readonly warn: (what: string, error: unknown) => void
  /** The journal cannot be written any more: end the process, non-zero. */
  readonly fatal: (error: unknown) => void
}

export type OrchestratorSettings = {
  /** A name that distinguishes this engine from others that may open the same store; absent: `engine`. */
  readonly owner?: string
  /** Attempts that may hold a slot at once, over all executions. */
  readonly maxConcurrentTasks: number
  /** Attempts of pure tasks that one commit may compute by itself, without a worker; absent: 1,024. */
  readonly mostComputed?: number
  /** Share of all traces that is exported, 0 to 1: what attempts hand on says so. Absent: nothing is traced. */
  readonly traceShare?: number | undefined
  /** Idle executions (parked or ended) that stay in memory. */
  readonly maxIdle?: number
  /** How often everything that is due is looked up, whatever wake-ups were lost. */
  readonly sweepEveryMs?: number
  /** Milliseconds that executions are retained after they were closed; absent: until somebody removes them [N-17]. */
  readonly retentionMs?: number
}
