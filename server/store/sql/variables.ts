import type { Kysely } from 'kysely'
import { hiderOf } from '@/core/engine/fold/superseded'
import type { Variable, VariableStore } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { prepare, type Parameter } from './prepared'
import { valueOf } from './rows'
import type { VariableRecord } from './rows'
import type { Tables } from './tables'

/**
 * Variables of one execution: the write with the greatest seq is the value [N-2, N-5, R-7]. When that one is hidden by a reset, so are
 * all before it.
 */
export function createSqlVariableStore(db: Kysely<Tables>, tenantId: string): VariableStore {
  const latest = prepare((executionId: Parameter<string>, name: Parameter<string>) =>
    db
      .selectFrom('variables')
      .select(['name', 'seq', 'value', 'ref'])
      .where('tenant_id', '=', tenantId)
      .where('execution_id', '=', executionId)
      .where('name', '=', name)
      .orderBy('seq', 'desc')
      .limit(1),
  )
  const list = prepare((executionId: Parameter<string>) =>
    db
      .selectFrom('variables as v')
      .select(['v.name', 'v.seq', 'v.value', 'v.ref'])
      .where('v.tenant_id', '=', tenantId)
      .where('v.execution_id', '=', executionId)
      .where('v.seq', '=', (it) =>
        it
          .selectFrom('variables as w')
          .select((of) => of.fn.max('w.seq').as('last'))
          .whereRef('w.tenant_id', '=', 'v.tenant_id')
          .whereRef('w.execution_id', '=', 'v.execution_id')
          .whereRef('w.name', '=', 'v.name'),
      )
      .orderBy('v.name'),
  )
  const later = prepare((executionId: Parameter<string>, type: Parameter<string>, seq: Parameter<number>) =>
    db
      .selectFrom('events')
      .select('seq')
      .where('tenant_id', '=', tenantId)
      .where('execution_id', '=', executionId)
      .where('type', '=', type)
      .where('seq', '>', seq)
      .limit(1),
  )
  const came = async (executionId: string, type: string, afterSeq: number): Promise<boolean> =>
    (await db.executeQuery(later(executionId, type, afterSeq))).rows.length > 0

  async function isVisible(executionId: string, record: VariableRecord): Promise<boolean> {
    const hider = hiderOf(record.name)
    return hider === null || !(await came(executionId, hider, record.seq))
  }

  async function find(executionId: string, name: string): Promise<VariableRecord | undefined> {
    const [record] = (await db.executeQuery(latest(requireExecutionId(executionId), name))).rows
    return record !== undefined && (await isVisible(executionId, record)) ? record : undefined
  }

  return {
    async get(executionId, name) {
      const record = await find(executionId, name)
      return record === undefined ? null : variableOf(record)
    },
    async exists(executionId, name) {
      return (await find(executionId, name)) !== undefined
    },
    async list(executionId) {
      const records = (await db.executeQuery(list(requireExecutionId(executionId)))).rows
      // Without a restart nothing was reset: the usual case costs one look.
      if (!(await came(executionId, 'pipeline.restarted', 0))) return records.map(variableOf)
      const visible: Variable[] = []
      for (const record of records) {
        if (await isVisible(executionId, record)) visible.push(variableOf(record))
      }
      return visible
    },
  }
}

function variableOf(record: VariableRecord): Variable {
  return { name: record.name, ...valueOf(record), seq: record.seq }
}
