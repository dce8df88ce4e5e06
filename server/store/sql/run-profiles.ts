import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { RunProfile } from '@/core/engine/timeline/run-profile'
import type { RunProfileStore } from '@/server/ports/run-profiles'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { prepare, type Parameter } from './prepared'
import { executionOf } from './rows'
import type { Tables } from './tables'

const LATEST_MAX = 250

export function createSqlRunProfiles(db: Kysely<Tables>, tenantId: string): RunProfileStore {
  const current = prepare((executionId: Parameter<string>) =>
    db
      .selectFrom('run_profiles as p')
      .select('p.profile')
      .where('p.tenant_id', '=', tenantId)
      .where('p.execution_id', '=', executionId)
      .where('p.seq', '=', (it) =>
        it
          .selectFrom('events as e')
          .select((of) => of.fn.max('e.seq').as('last'))
          .whereRef('e.tenant_id', '=', 'p.tenant_id')
          .whereRef('e.execution_id', '=', 'p.execution_id'),
      ),
  )
  return {
    async latest(pipelineId, limit) {
      const records = await db
        .selectFrom('executions')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('pipeline_id', '=', pipelineId)
        .where('closed_at', 'is not', null)
        .orderBy('closed_at', 'desc')
        .orderBy('execution_id', 'desc')
        .limit(requireLimit(limit, LATEST_MAX))
        .execute()
      return Promise.all(
        records.map(async (record) => {
          const [found] = (await db.executeQuery(current(record.execution_id))).rows
          return {
            row: executionOf(record),
            profile: found === undefined ? null : (JSON.parse(found.profile) as RunProfile),
          }
        }),
      )
    },
    async keep(executionId, seq, profile) {
      // Of a run that was removed meanwhile nothing may stay behind: the row is made of its registry row.
      await db
        .insertInto('run_profiles')
        .columns(['tenant_id', 'execution_id', 'seq', 'profile'])
        .expression((it) =>
          it
            .selectFrom('executions')
            .select([
              'tenant_id',
              'execution_id',
              sql<number>`cast(${seq} as integer)`.as('seq'),
              it.val(JSON.stringify(profile)).as('profile'),
            ])
            .where('tenant_id', '=', tenantId)
            .where('execution_id', '=', requireExecutionId(executionId)),
        )
        .onConflict((it) =>
          it
            .column('execution_id')
            .doUpdateSet((row) => ({ seq: row.ref('excluded.seq'), profile: row.ref('excluded.profile') }))
            .whereRef('run_profiles.tenant_id', '=', 'excluded.tenant_id'),
        )
        .execute()
    },
  }
}
