import type Database from 'better-sqlite3'
import { hiderOf } from '@/core/engine/fold/superseded'
import type { Variable, VariableStore } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { valueOf } from './rows'
import type { VariableRecord } from './rows'

/**
 * Variables of one execution: the write with the greatest seq is the value [N-2, N-5, R-7]. When that one is hidden by a reset, so are
 * all before it.
 */
export function createSqliteVariableStore(db: Database.Database, tenantId: string): VariableStore {
  const latest = db.prepare<[string, string, string], VariableRecord>(
    `SELECT name, seq, value, ref FROM variables WHERE tenant_id = ? AND execution_id = ? AND name = ?
     ORDER BY seq DESC LIMIT 1`,
  )
  // With a single max() SQLite takes the other columns from the row that holds the maximum.
  const list = db.prepare<[string, string], VariableRecord>(
    `SELECT name, max(seq) AS seq, value, ref FROM variables WHERE tenant_id = ? AND execution_id = ?
     GROUP BY name ORDER BY name`,
  )
  const hidden = db
    .prepare('SELECT 1 FROM events WHERE tenant_id = ? AND execution_id = ? AND type = ? AND seq > ? LIMIT 1')
    .pluck()

  function counts(executionId: string, record: VariableRecord): boolean {
    const hider = hiderOf(record.name)
    return hider === null || hidden.get(tenantId, executionId, hider, record.seq) === undefined
  }

  function find(executionId: string, name: string): VariableRecord | undefined {
    const record = latest.get(tenantId, requireExecutionId(executionId), name)
    return record !== undefined && counts(executionId, record) ? record : undefined
  }

  return {
    async get(executionId, name) {
      const record = find(executionId, name)
      return record === undefined ? null : variableOf(record)
    },
    async exists(executionId, name) {
      return find(executionId, name) !== undefined
    },
    async list(executionId) {
      const records = list.all(tenantId, requireExecutionId(executionId))
      // Without a restart nothing was reset: the usual case costs one look.
      const restarted = hidden.get(tenantId, executionId, 'pipeline.restarted', 0) !== undefined
      return (restarted ? records.filter((record) => counts(executionId, record)) : records).map(variableOf)
    },
  }
}

function variableOf(record: VariableRecord): Variable {
  return { name: record.name, ...valueOf(record), seq: record.seq }
}
