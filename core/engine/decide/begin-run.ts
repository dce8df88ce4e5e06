import type { Fact } from './fact'
import { pipelineFact } from './fact'
import type { Rejection } from '@/core/engine/input'
import { formatInstant } from '@/core/engine/instant'
import type { ExecutionState } from '@/core/engine/state'

/** The run is admitted and begins: from here on it is timed, and its nodes can start. */
export function beginRun(
  state: ExecutionState,
  now: number,
  more: Pick<Partial<Fact>, 'variables' | 'generation'> = {},
): readonly Fact[] {
  const { generation = state.generation, ...started } = more
  const { timeoutMs } = state.pipeline
  const payload = timeoutMs === null ? {} : { timeout_at: formatInstant(now + timeoutMs) }
  return [
    pipelineFact(state, 'scheduled', {}, { generation }),
    pipelineFact(state, 'started', payload, { generation, ...started }),
  ]
}

export function tooManyRunning({ pipeline }: ExecutionState): Rejection {
  const limit = pipeline.runsLimit?.limit
  const message = `'${pipeline.definition.id}' already has as many runs as it may have at once${limit === undefined ? '' : ` (${limit})`}; try again when a run has ended`
  return { code: 'too_many_running', message }
}
