import type { Store } from '@/server/store/store'
import { createMemoryAudit } from './audit'
import { createMemoryDisk } from './disk'
import type { MemoryDisk } from './disk'
import { createMemoryDrafts } from './drafts'
import { createMemoryEventStore, createMemoryJournal, createMemoryVariableStore } from './journal'
import { createMemoryPools } from './pools'
import { createMemoryArtifactRows, createMemoryAttemptRecords, createMemoryLogs } from './records'
import {
  createMemoryApprovals,
  createMemoryExecutions,
  createMemoryIdempotency,
  createMemoryPipelines,
  createMemoryStatistics,
} from './registries'
import { createMemoryRetention } from './retention'
import { createMemoryObjectives } from './objectives'
import { createMemoryRunProfiles } from './run-profiles'
import { createMemorySchedules } from './schedules'
import { createMemorySecretRows } from './secrets'
import { createMemoryWebhooks } from './webhooks'

/** The store of simulations and rehearsals: the same ports, on a disk of maps. */
export function openMemoryStore(disk: MemoryDisk = createMemoryDisk()): Store {
  return {
    journal: createMemoryJournal(disk),
    events: createMemoryEventStore(disk),
    variables: createMemoryVariableStore(disk),
    executions: createMemoryExecutions(disk),
    pipelines: createMemoryPipelines(disk),
    statistics: createMemoryStatistics(disk),
    profiles: createMemoryRunProfiles(disk),
    approvals: createMemoryApprovals(disk),
    idempotency: createMemoryIdempotency(disk),
    logs: createMemoryLogs(disk),
    attempts: createMemoryAttemptRecords(disk),
    artifactRows: createMemoryArtifactRows(disk),
    audit: createMemoryAudit(disk),
    objectives: createMemoryObjectives(disk),
    retention: createMemoryRetention(disk),
    pools: createMemoryPools(disk),
    secretRows: createMemorySecretRows(disk),
    webhookRows: createMemoryWebhooks(disk),
    schedules: createMemorySchedules(disk),
    drafts: createMemoryDrafts(disk),
    async readiness() {},
    size: async () => ({ databaseBytes: 0, walBytes: 0 }),
    async close() {},
  }
}
