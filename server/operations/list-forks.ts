import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import type { OperationContext } from './context'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'
import { forkSummary } from './schemas/execution'

const MOST_FORKS = 20

/** The latest executions that were forked from one, newest first. */
export async function forksOf({ executions }: OperationContext, executionId: string) {
  const rows = await executions.forksOf(executionId, MOST_FORKS)
  return rows.map((row) => ({
    execution_id: row.executionId,
    revision: row.revision,
    status: row.status,
    created_at: formatInstant(row.createdAt),
  }))
}

/** The latest forks of an execution: where it went on, with another revision or other inputs. */
export const listForks = operation({
  kind: 'query',
  summary: 'List the forks of an execution',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/forks' },
  request: z.strictObject({ execution_id: idField }),
  answer: z.strictObject({ items: z.array(forkSummary) }),
  errors: ['not_found'],
  example: {
    request: { execution_id: '01JDW3Q8' },
    answer: {
      items: [
        {
          execution_id: '01JDW9ZZ',
          revision: 4,
          status: 'completed',
          created_at: '2026-01-31T06:12:00.000Z',
        },
      ],
    },
  },
  run: async (ctx, _caller, { execution_id }) => {
    await executionRow(ctx, execution_id)
    return { items: await forksOf(ctx, execution_id) }
  },
})
