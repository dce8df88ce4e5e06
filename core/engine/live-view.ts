import type { Entry } from './event'
import { evolve } from './evolve'
import { viewOf, type ViewOptions } from './project'
import type { ExecutionState } from './state'
import type { ExecutionView, NodeView } from './view'

/** A run that is looked at again and again while it goes on. Its state is its own. */
export type LiveView = {
  /** Folds the next entry. */
  apply(entry: Entry): void
  /**
   * `viewOf` the state at `now`, made with what was seen before: a node to which nothing happened is the same object, so that
   * showing it again costs nothing.
   */
  view(now: number): ExecutionView
}

export function createLiveView(state: ExecutionState, options: Omit<ViewOptions, 'kept'> = {}): LiveView {
  const { pipeline } = state
  const kept = new Map<string, NodeView>()
  const forget = (ids: Iterable<string>) => {
    for (const id of ids) kept.delete(id)
  }

  /** Takes out whatever the entry may have changed: more than it did costs little, less would show what is not so. */
  function note({ event: { type, source } }: Entry): void {
    const { entity_type: level, entity_id: id } = source
    forget(pipeline.listeners.get(type) ?? [])
    if (level === 'pipeline') return kept.clear()
    // A vote is an event from outside that names the gate for people.
    if (level === 'external') return void kept.delete(type.split('.')[1] ?? '')
    kept.delete(id)
    // Those that can wait for it wait no more when it has ended; tries change nothing for them.
    if (level === 'node') forget(pipeline.gateDependents.get(id) ?? [])
  }

  return {
    apply(entry) {
      evolve(state, entry)
      note(entry)
      // Work lists for whoever acts on a run; nobody here does.
      state.dirty.clear()
      state.touched.clear()
    },
    view: (now) => viewOf(state, now, { ...options, kept }),
  }
}
