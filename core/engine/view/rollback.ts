import { formatInstant } from '@/core/engine/instant'
import { isRollingBack, type ExecutionState, type RollbackStep } from '@/core/engine/state'
import type { RollbackView } from './view'
import { placeText } from '@/core/pipeline/definition/pool-text'

/** The latest rollback as people see it. */
export function rollbackView(state: ExecutionState): RollbackView | null {
  const { rollback } = state
  if (rollback === null) return null
  const { plan, actor, startedAt, steps } = rollback
  const { trigger, scope, target, then, reason = null, order, irreversible, uncompensated } = plan
  return {
    ...{ trigger, scope, target, then, reason },
    actor: actor.name,
    started_at: formatInstant(startedAt),
    ...{ order, irreversible, uncompensated },
    steps: Object.fromEntries(
      [...steps].map(([id, step]) => {
        const { status, attempt, error } = step
        return [id, { status, attempt, error, waiting_for: waitsFor(state, id, step) }]
      }),
    ),
  }
}

/** Who acts next for a compensation: the stop of what runs, those before it, a slot, a worker or a timer. */
function waitsFor(state: ExecutionState, id: string, { status, attempt, pool }: RollbackStep): string | null {
  if (!isRollingBack(state)) return null
  switch (status) {
    case 'pending': {
      if (state.open > 0) return 'waits until what runs has stopped'
      const { after, steps } = state.rollback!
      const before = (after.get(id) ?? []).filter((other) => steps.get(other)?.status !== 'completed')
      return before.length === 0 ? null : `waits until ${before.join(', ')} is undone`
    }
    case 'queued':
      return `waits for ${placeText(pool)}`
    case 'running':
      return `attempt ${attempt} is running`
    case 'retrying': {
      const due = state.timers.get('retry', id)
      return due === undefined ? null : `is tried again at ${formatInstant(due.dueAt)}`
    }
    case 'completed':
    case 'skipped':
    case 'failed':
      return null
  }
}
