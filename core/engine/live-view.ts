import type { Entry } from './event'
import { evolve } from './evolve'
import { outlookOf, viewOf, type Outlook, type ViewOptions } from './project'
import { isFinished, type ExecutionState } from './state'
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

type LiveViewOptions = Omit<ViewOptions, 'kept' | 'outlook'> & {
  /**
   * How long an outlook holds, in milliseconds: until then the end that is expected, the critical path, slack and waits are as they
   * were found last, unless somebody acts on the run or it ends. Without it they are found anew for every view.
   */
  readonly outlookMs?: number
}

export function createLiveView(
  state: ExecutionState,
  { outlookMs = 0, ...options }: LiveViewOptions = {},
): LiveView {
  const { pipeline } = state
  const kept = new Map<string, NodeView>()
  let outlook: (Outlook & { readonly at: number }) | null = null
  const forget = (ids: Iterable<string>) => {
    for (const id of ids) kept.delete(id)
  }

  /** Takes out whatever the entry may have changed: more than it did costs little, less would show what is not so. */
  function note({ event: { type, source } }: Entry): void {
    const { entity_type: level, entity_id: id } = source
    forget(pipeline.listeners.get(type) ?? [])
    if (level === 'pipeline' || level === 'external') outlook = null
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
    view(now) {
      // A clock that is set back must not hold it for longer.
      if (outlook === null || Math.abs(now - outlook.at) >= outlookMs || isFinished(state))
        outlook = { at: now, ...outlookOf(state, now, options) }
      return viewOf(state, now, { ...options, kept, outlook })
    },
  }
}
