import { elapsedMs } from '@/core/engine/instant'
import { attemptId, isTerminal, type ExecutionState } from '@/core/engine/state'
import type { SkipReason } from '@/core/engine/typed-event'
import { nodeFact, taskFact, type Fact } from './fact'

/** What has not started is skipped, what nobody works on ends at once; what runs stops because of what was said before, and is awaited. */
export function endEverything(
  state: ExecutionState,
  reason: string | null,
  now: number,
  skipped: SkipReason = 'pipeline_cancelled',
): readonly Fact[] {
  const facts: Fact[] = []
  for (const [id, node] of state.nodes) {
    if (isTerminal(node.status) || state.pipeline.nodes.get(id)?.finally) continue
    const started = 'startedAt' in node && node.startedAt !== null
    if (!started) {
      facts.push(
        nodeFact({ node: id, generation: node.generation }, 'skipped', {
          reason: skipped,
          cause: null,
        }),
      )
    } else if (node.status !== 'running') {
      const attempt = state.inFlight.get(attemptId(id, null))
      const error = { kind: 'cancelled', message: 'the run was cancelled' }
      if (attempt !== undefined)
        facts.push(
          taskFact(attempt, 'failed', { error, duration_ms: elapsedMs(attempt.startedAt, now), final: true }),
        )
      facts.push(nodeFact({ node: id, generation: node.generation }, 'cancelled', { reason }))
    } else if (node.items !== null) {
      // Waiting items have no worker that could confirm.
      for (const attempt of state.inFlight.values()) {
        if (attempt.node !== id || state.timers.get('wait', id, attempt.item) === undefined) continue
        const error = { kind: 'cancelled', message: 'the run was cancelled' }
        facts.push(
          taskFact(attempt, 'failed', { error, duration_ms: elapsedMs(attempt.startedAt, now), final: true }),
        )
      }
    }
  }
  return facts
}
