import type Database from 'better-sqlite3'
import type { Variable, VariableStore } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { valueOf } from './rows'
import type { VariableRecord } from './rows'

/** Variables of one execution: the write with the greatest seq is the value [N-2, N-5, R-7]. */
export function createSqliteVariableStore(db: Database.Database, tenantId: string): VariableStore {
  const latest = db.prepare<[string, string, string], VariableRecord>(
    `SELECT name, seq, value, ref FROM variables WHERE tenant_id = ? AND execution_id = ? AND name = ?
     ORDER BY seq DESC LIMIT 1`,
  )
  const exists = db
    .prepare('SELECT 1 FROM variables WHERE tenant_id = ? AND execution_id = ? AND name = ? LIMIT 1')
    .pluck()
  // With a single max() SQLite takes the other columns from the row that holds the maximum.
  const list = db.prepare<[string, string], VariableRecord>(
    `SELECT name, max(seq) AS seq, value, ref FROM variables WHERE tenant_id = ? AND execution_id = ?
     GROUP BY name ORDER BY name`,
  )

  return {
    async get(executionId, name) {
      const record = latest.get(tenantId, requireExecutionId(executionId), name)
      return record === undefined ? null : variableOf(record)
    },
    async exists(executionId, name) {
      return exists.get(tenantId, requireExecutionId(executionId), name) !== undefined
    },
    async list(executionId) {
      return list.all(tenantId, requireExecutionId(executionId)).map(variableOf)
    },
  }
}

function variableOf(record: VariableRecord): Variable {
  return { name: record.name, ...valueOf(record), seq: record.seq }
}
