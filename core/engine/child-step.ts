import type { PauseMode } from './pauses'
import { attemptId, isFinished, type ExecutionState } from './state'
import { effectAt, type ChildEffect } from './wanted'

/** What brings a child closer to what its parent wants of it. */
export type ChildStep =
  | { readonly do: 'cancel'; readonly reason: string }
  | { readonly do: 'pause'; readonly mode: PauseMode }
  | { readonly do: 'resume' }
  /** It has its outcome, and its parent waits for that. */
  | { readonly do: 'notify'; readonly effect: ChildEffect }

/** What a parent wants of this child, or null: it does not wait for it (any more). */
export function wantedOf(parent: ExecutionState, child: ExecutionState): ChildEffect | null {
  if (child.parent?.executionId !== parent.executionId) return null
  const { key } = child.parent
  const effect = effectAt(parent, attemptId(key.node, key.item))
  return effect?.kind === 'child' && effect.childId === child.executionId && effect.token === key.token
    ? effect
    : null
}

/**
 * The difference between what the parent wants of a child and what the child is, or null when there is none. Only these two
 * states count: whatever was lost before, asking again gives the step that is missing. `parent` null: it is gone.
 *
 * A child that nobody waits for is cancelled, unless somebody reran it by itself: then it is nobody's child, and only
 * the pause of its former parent is lifted. A person's pause of a child is never lifted here.
 */
export function childStep(parent: ExecutionState | null, child: ExecutionState): ChildStep | null {
  const effect = parent === null ? null : wantedOf(parent, child)
  if (isFinished(child)) return effect === null ? null : { do: 'notify', effect }
  if (child.cancelling !== null) return null
  const held = child.pauses.parent
  if (effect === null) {
    if (child.generation === 1) return { do: 'cancel', reason: 'its parent does not wait for it any more' }
    return held === null ? null : { do: 'resume' }
  }
  switch (effect.desired) {
    case 'stopped':
      return { do: 'cancel', reason: 'its parent was cancelled' }
    case 'paused':
      if (effect.pause === null || held === 'hard' || held === effect.pause) return null
      return { do: 'pause', mode: effect.pause }
    case 'running':
      return held === null ? null : { do: 'resume' }
  }
}
