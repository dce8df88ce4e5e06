import type { Effect, EffectKind } from '@/core/engine/wanted'
import { relationOf, type Children } from './children'
import type { Live } from './live-execution'
import type { Performer } from './performer'
import type { WakeUps } from './wake-ups'

/** One performer for every kind: a new kind of effect does not compile until it has one. */
export type Performers = { readonly [Kind in EffectKind]: Performer<Effect<Kind>> }

/** What children need is found by comparing two executions: whatever changes on either side asks for that. */
export function childPerformer({ align }: Pick<Children, 'align'>): Performer<Effect<'child'>> {
  const perform = ({ state }: Live, { childId, key }: Effect<'child'>) =>
    align({ parentId: state.executionId, childId, key })
  return { start: perform, stop: perform }
}

export function notifyPerformer({ align }: Pick<Children, 'align'>): Performer<Effect<'notify'>> {
  return {
    start: ({ state }, { parent }) => align(relationOf(parent, state.executionId)),
    // It runs again: its parent waits for the outcome of that.
    stop: () => undefined,
  }
}

export function timerPerformer({ set }: Pick<WakeUps, 'set'>): Performer<Effect<'timer'>> {
  return {
    start: ({ state }, { at }) => set(state.executionId, at),
    stop: ({ state }) => set(state.executionId, null),
  }
}
