import { modeOf, type PauseMode } from './pauses'
import type { AttemptState, ExecutionState, Parent } from './state'
import { isFinished } from './state'

/** An attempt that a worker has to be at, or that has to be stopped: its end is awaited in both cases. */
export type AttemptEffect = {
  readonly kind: 'attempt'
  /** `node` or `node/item`. */
  readonly key: string
  /** The fencing token: another one is other work. */
  readonly token: number
  readonly desired: 'running' | 'stopped'
  readonly attempt: AttemptState
}

/** An execution that does the work of a node: it has to exist, and to be in the desired state. */
export type ChildEffect = {
  readonly kind: 'child'
  /** `node` or `node/item`. */
  readonly key: string
  readonly token: number
  readonly desired: 'running' | 'paused' | 'stopped'
  /** How firmly it is paused; null when it is not. */
  readonly pause: PauseMode | null
  readonly childId: string
  readonly attempt: AttemptState
}

/** The engine looks at the execution again at `at` (milliseconds since the epoch). */
export type TimerEffect = { readonly kind: 'timer'; readonly key: ':timer'; readonly at: number }

/** The parent has to learn how this child ended. */
export type NotifyEffect = {
  readonly kind: 'notify'
  readonly key: ':notify'
  /** Of the parent's attempt. */
  readonly token: number
  /** The generation that ended: after a rerun there is another outcome. */
  readonly generation: number
  readonly parent: Parent
}

type EffectTypes = {
  readonly attempt: AttemptEffect
  readonly child: ChildEffect
  readonly timer: TimerEffect
  readonly notify: NotifyEffect
}

export type EffectKind = keyof EffectTypes
/** Everything that the engine does to the outside. A new kind does not compile until it has a performer. */
export type Effect<Kind extends EffectKind = EffectKind> = { [K in Kind]: EffectTypes[K] }[Kind]

/**
 * All that should be in effect now, in no particular order. What is not in it is not done after a crash: whoever performs
 * compares it with what is in effect, and starts or stops the difference.
 */
export function wanted(state: ExecutionState): Effect[] {
  const effects: (Effect | null)[] = [timerOf(state), notifyOf(state)]
  for (const key of state.inFlight.keys()) effects.push(effectAt(state, key))
  return effects.filter((effect) => effect !== null)
}

/** What the attempt in flight under `key` (`node` or `node/item`) wants, or null: nothing, or the engine times it itself. */
export function effectAt(state: ExecutionState, key: string): AttemptEffect | ChildEffect | null {
  const attempt = state.inFlight.get(key)
  if (attempt === undefined) return null
  const { token, stopping, child: childId } = attempt
  if (childId !== null) {
    const pause = stopping ? null : modeOf(state.pauses)
    const desired = stopping ? 'stopped' : pause === null ? 'running' : 'paused'
    return { kind: 'child', key, token, desired, pause, childId, attempt }
  }
  if (attempt.placement === 'engine') return null
  return { kind: 'attempt', key, token, desired: stopping ? 'stopped' : 'running', attempt }
}

/** When the engine looks again by itself, or null. */
export function timerOf(state: ExecutionState): TimerEffect | null {
  const at = wakeAt(state)
  return at === null ? null : { kind: 'timer', key: ':timer', at }
}

/** The same as a number of milliseconds since the epoch, for the registry row. */
export function wakeAt(state: ExecutionState): number | null {
  return state.closedAt === null ? (state.timers.next()?.dueAt ?? null) : null
}

/** A child that has its outcome has to notify its parent; null for everything else. */
export function notifyOf(state: ExecutionState): NotifyEffect | null {
  const { parent, generation } = state
  if (parent === null || !isFinished(state)) return null
  return { kind: 'notify', key: ':notify', token: parent.key.token, generation, parent }
}

/** Whether two effects under the same key ask for the same. */
export function isSameEffect(one: Effect, other: Effect): boolean {
  switch (one.kind) {
    case 'attempt':
      return other.kind === 'attempt' && one.token === other.token && one.desired === other.desired
    case 'child':
      return (
        other.kind === 'child' &&
        one.token === other.token &&
        one.desired === other.desired &&
        one.pause === other.pause
      )
    case 'timer':
      return other.kind === 'timer' && one.at === other.at
    case 'notify':
      return other.kind === 'notify' && one.token === other.token && one.generation === other.generation
  }
}
