import type { Kysely } from 'kysely'
import type { Store } from '@/server/store/store'
import { createSqlAudit } from './audit'
import { createSqlDrafts } from './drafts'
import { createSqlEventStore } from './events'
import { createSqlExecutions } from './executions'
import { createSqlIdempotency } from './idempotency'
import { createSqlLogs } from './logs'
import { createSqlPipelines } from './pipelines'
import { createSqlPools } from './pools'
import {
  createSqlApprovals,
  createSqlArtifactRows,
  createSqlAttemptRecords,
  createSqlStatistics,
} from './records'
import { createSqlObjectives } from './objectives'
import { createSqlRunProfiles } from './run-profiles'
import { createSqlSchedules } from './schedules'
import { createSqlSecretRows } from './secrets'
import type { SqlDialect } from './dialect'
import type { Tables } from './tables'
import { createSqlVariableStore } from './variables'
import { createSqlWebhooks } from './webhooks'

export type SqlStores = Omit<Store, 'journal' | 'retention' | 'readiness' | 'size' | 'close'>

/** All stores that are SQL alone, for whichever database answers it. */
export function createSqlStores(db: Kysely<Tables>, dialect: SqlDialect, tenantId: string): SqlStores {
  return {
    events: createSqlEventStore(db, dialect, tenantId),
    variables: createSqlVariableStore(db, tenantId),
    executions: createSqlExecutions(db, dialect, tenantId),
    pipelines: createSqlPipelines(db, dialect, tenantId),
    statistics: createSqlStatistics(db, tenantId),
    profiles: createSqlRunProfiles(db, tenantId),
    approvals: createSqlApprovals(db, dialect, tenantId),
    idempotency: createSqlIdempotency(db, tenantId),
    logs: createSqlLogs(db, tenantId),
    attempts: createSqlAttemptRecords(db, tenantId),
    artifactRows: createSqlArtifactRows(db, tenantId),
    audit: createSqlAudit(db, tenantId),
    objectives: createSqlObjectives(db, tenantId),
    pools: createSqlPools(db, tenantId),
    secretRows: createSqlSecretRows(db, tenantId),
    webhookRows: createSqlWebhooks(db, tenantId),
    schedules: createSqlSchedules(db, tenantId),
    drafts: createSqlDrafts(db, tenantId),
  }
}
