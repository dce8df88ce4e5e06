import type Database from 'better-sqlite3'
import type { RunProfile } from '@/core/engine/timeline/run-profile'
import type { RunProfileStore } from '@/server/ports/run-profiles'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { EXECUTION_COLUMNS, executionOf } from './rows'
import type { ExecutionRecord } from './rows'
import type { WriteQueue } from './write-queue'

const LATEST_MAX = 250

export function createSqliteRunProfiles(
  db: Database.Database,
  queue: WriteQueue,
  tenantId: string,
): RunProfileStore {
  const latest = db.prepare<[string, string, number], ExecutionRecord>(
    `SELECT ${EXECUTION_COLUMNS} FROM executions
     WHERE tenant_id = ? AND pipeline_id = ? AND closed_at IS NOT NULL ORDER BY closed_at DESC, execution_id DESC LIMIT ?`,
  )
  const kept = db
    .prepare<[string, string], string>(
      `SELECT profile FROM run_profiles p WHERE tenant_id = ? AND execution_id = ?
       AND seq = (SELECT max(seq) FROM events e WHERE e.tenant_id = p.tenant_id AND e.execution_id = p.execution_id)`,
    )
    .pluck()
  // Of a run that was removed meanwhile nothing may stay behind.
  const keep = db.prepare<[number, string, string, string]>(
    `INSERT INTO run_profiles (tenant_id, execution_id, seq, profile)
     SELECT tenant_id, execution_id, ?, ? FROM executions WHERE tenant_id = ? AND execution_id = ?
     ON CONFLICT (execution_id) DO UPDATE SET seq = excluded.seq, profile = excluded.profile
     WHERE tenant_id = excluded.tenant_id`,
  )
  return {
    async latest(pipelineId, limit) {
      return latest.all(tenantId, pipelineId, requireLimit(limit, LATEST_MAX)).map((record) => {
        const profile = kept.get(tenantId, record.execution_id)
        return {
          row: executionOf(record),
          profile: profile === undefined ? null : (JSON.parse(profile) as RunProfile),
        }
      })
    },
    async keep(executionId, seq, profile) {
      requireExecutionId(executionId)
      await queue.run(() => keep.run(seq, JSON.stringify(profile), tenantId, executionId))
    },
  }
}
