import { effectAt, isSameEffect, notifyOf, timerOf, type Effect, type EffectKind } from '@/core/engine/wanted'
import type { Live } from './live-execution'
import type { Performer } from './performer'
import type { Performers } from './performers'

/**
 * Compares what an execution wants with what is in effect for it, and starts or stops the difference. Looks only at the timer,
 * at the notification and at the attempts that the last entries touched: the cost follows what changed, not the size of the run.
 * Called after the commit that made the entries durable, never before; and for all attempts when an execution is taken up.
 */
export function createReconcile(performers: Performers) {
  function compare(live: Live, key: string, effect: Effect | null): void {
    const before = live.effects.get(key)
    if (before !== undefined && effect !== null && isSameEffect(before, effect)) return
    if (before !== undefined && (effect === null || isOtherWork(before, effect)))
      performerOf(performers, before.kind).stop(live, before)
    if (effect === null) {
      live.effects.delete(key)
      return
    }
    live.effects.set(key, effect)
    performerOf(performers, effect.kind).start(live, effect)
  }

  return function reconcile(live: Live): void {
    const { state } = live
    for (const key of state.touched) compare(live, key, effectAt(state, key))
    compare(live, ':timer', timerOf(state))
    compare(live, ':notify', notifyOf(state))
    state.touched.clear()
  }
}

export type Reconcile = ReturnType<typeof createReconcile>

/** Under another token it is other work: what was there has to end. Otherwise the same work is wanted in another way. */
function isOtherWork(before: Effect, effect: Effect): boolean {
  const tokenOf = (one: Effect) => (one.kind === 'timer' ? null : one.token)
  return before.kind !== effect.kind || tokenOf(before) !== tokenOf(effect)
}

/** An effect and its own performer; the kind is a parameter so that the compiler sees that they belong together. */
const performerOf = <Kind extends EffectKind>(performers: Performers, kind: Kind): Performer<Effect<Kind>> =>
  performers[kind]
