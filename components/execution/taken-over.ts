import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'

/**
 * What ended before this instant was taken over: by the latest rerun from before it, by a fork from another run. ISO 8601; null:
 * everything happened in this run, in one generation.
 */
export function takenOverBefore({
  view,
  milestones,
}: {
  readonly view: Pick<ExecutionView, 'origin' | 'created_at'>
  readonly milestones: readonly Event[]
}): string | null {
  const restarted = milestones.findLast(({ type }) => type === 'pipeline.restarted')
  if (restarted !== undefined) return restarted.timestamp
  return view.origin !== null && view.origin.seq > 0 ? view.created_at : null
}
