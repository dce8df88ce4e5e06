import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { LIMITS } from '@/core/engine/event'
import type { Fact } from './fact'
import { taskFact } from './fact'
import { formatInstant } from '@/core/engine/instant'
import type { AttemptState } from '@/core/engine/state'
import type { PayloadOf } from '@/core/engine/typed-event'

type Clock = Pick<AttemptState, 'beginBy' | 'deadline'>

/**
 * What is timed of an attempt that a worker may take from `now` on. In the server its work begins with that. For a child process
 * files, the process and the end of an earlier attempt come first: they have a time of their own, and the timeout counts from
 * the report that the work begins.
 */
export function clockOf({ contract, timeoutMs }: CompiledNode, now: number): Clock {
  return contract.placement === 'child'
    ? { beginBy: now + LIMITS.beginMs, deadline: null }
    : { beginBy: null, deadline: timeoutMs === null ? null : now + timeoutMs }
}

/** The same as it stands in payloads. */
export function clockPayload({ beginBy, deadline }: Clock) {
  return {
    ...(beginBy === null ? {} : { begin_by: formatInstant(beginBy) }),
    ...(deadline === null ? {} : { timeout_at: formatInstant(deadline) }),
  }
}

/** The work of an attempt runs: it begins with this, or this is its progress. */
export function attemptRuns(
  attempt: AttemptState,
  { timeoutMs }: CompiledNode,
  progress: Pick<PayloadOf<'task', 'running'>, 'ratio' | 'message'>,
  now: number,
): Fact {
  const deadline = attempt.beginBy === null || timeoutMs === null ? null : now + timeoutMs
  return taskFact(attempt, 'running', { ...progress, ...clockPayload({ beginBy: null, deadline }) })
}
