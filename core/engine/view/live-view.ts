import type { Entry } from '@/core/engine/event'
import { evolve } from '@/core/engine/fold/evolve'
import {
  assemble,
  besideOf,
  nodeView,
  outlookOf,
  valuesOf,
  type Beside,
  type Outlook,
  type Parts,
  type ViewOptions,
} from './project'
import { isFinished, isTerminal, nodeOf, type ExecutionState } from '@/core/engine/state'
import { typedEvent, unreachable, type PipelineEvent } from '@/core/engine/typed-event'
import type { ExecutionView, NodeView } from './view'

/** A run that is looked at again and again while it goes on. Its state is its own. */
export type LiveView = {
  /** Folds the next entry. */
  apply(entry: Entry): void
  /**
   * `viewOf` the state at `now`, made with what was seen before: a node to which nothing happened is the same object, and so are all
   * of them where nothing happened to any, so that showing it again costs nothing.
   */
  view(now: number): ExecutionView
  /**
   * Finds what is to come beforehand, where it holds for a while and the next view would have to: of all that a view needs it costs the
   * most. false: there was nothing to do.
   */
  prepare(now: number): boolean
  /** Whether the last view still had slack of an earlier outlook: the next views have the rest. */
  isBehind(): boolean
}

/**
 * The slack of at most so many nodes follows a new outlook in one view, where an outlook holds for a while: of all nodes at once it would be
 * most of the work of that view, and of drawing it.
 */
const SLACK_AT_ONCE = 100

type LiveViewOptions = ViewOptions & {
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
  let outlook: (Outlook & { readonly at: number; readonly seq: number }) | null = null
  let isNew = false
  const seen = createSeen(state, outlookMs > 0 ? SLACK_AT_ONCE : Infinity)
  let values: Pick<Parts, 'inputs' | 'outputs'> | null = null

  /** Notes whatever the entry may have changed: more than it did costs little, less would show what is not so. */
  function note({ event, variables }: Entry): void {
    const { type } = event
    const typed = typedEvent(event)
    const { level, node: id } = typed
    if (level === 'pipeline' || variables.some(({ name }) => name.startsWith('pipeline.'))) values = null
    for (const listener of pipeline.listeners.get(type) ?? []) seen.doubt(listener)
    if (level === 'pipeline' || level === 'external') outlook = null
    if (typed.level === 'pipeline') return seen.doubtAll(changesWhatHasEnded(typed))
    // Of an event from outside the node is the approval that it votes on.
    seen.doubt(id)
    // Those that can wait for it wait no more when it has ended; what happens before changes nothing for them.
    if (level === 'node' && !BEFORE_THE_END.has(typed.word))
      for (const after of pipeline.gateDependents.get(id) ?? []) seen.doubt(after)
  }

  function outlookAt(now: number): Outlook {
    // A clock that is set back must not hold it for longer.
    const holds =
      outlook !== null &&
      (isFinished(state) ? outlook.seq === state.seq : Math.abs(now - outlook.at) < outlookMs)
    if (outlook !== null && holds) return outlook
    isNew = true
    outlook = { ...outlookOf(state, now, options), at: now, seq: state.seq }
    return outlook
  }

  return {
    apply(entry) {
      evolve(state, entry)
      note(entry)
      // Work lists for the engine; nothing here acts on the run.
      state.dirty.clear()
      state.touched.clear()
    },
    view(now) {
      const found = outlookAt(now)
      const nodes = seen.look(found, isNew)
      isNew = false
      values ??= valuesOf(state)
      return assemble(state, now, found, { ...nodes, ...values })
    },
    prepare(now) {
      const before = outlook
      return outlookMs > 0 && outlookAt(now) !== before
    },
    isBehind: seen.isBehind,
  }
}

/** Events of a node that has not ended. */
const BEFORE_THE_END: ReadonlySet<string> = new Set(['queued', 'started', 'waiting', 'retrying'])

/** Whether a node that has ended may be shown otherwise after what happened to the run. */
function changesWhatHasEnded(typed: PipelineEvent): boolean {
  switch (typed.word) {
    case 'created':
    case 'scheduled':
    case 'cancelling':
    case 'restarted':
    case 'rolling_back':
      return true
    case 'started':
    case 'paused':
    case 'resumed':
    case 'verifying':
    case 'completed':
    case 'failed':
    case 'cancelled':
    case 'rolled_back':
    case 'closed':
      return false
    default:
      return unreachable(typed)
  }
}

/** The nodes as they were seen last. `slackAtOnce`: of how many the slack alone may change in one view. */
function createSeen(state: ExecutionState, slackAtOnce: number) {
  const doubted = new Set<string>(state.nodes.keys())
  const failed = new Set<string>()
  let nodes: Record<string, NodeView> = Object.create(null) as Record<string, NodeView>
  /** Some slack is of an earlier outlook. */
  let isBehind = false
  let completed = 0

  function put(id: string, next: NodeView): void {
    const before = nodes[id]
    completed += Number(next.status === 'completed') - Number(before?.status === 'completed')
    if (next.status === 'failed') failed.add(id)
    else failed.delete(id)
    nodes[id] = next
  }

  return {
    /** Something may have happened to it. */
    doubt(id: string): void {
      if (state.nodes.has(id)) doubted.add(id)
    },
    /** The same of all, or of all that has not ended. */
    doubtAll(withEnded: boolean): void {
      for (const id of state.nodes.keys()) {
        const last = nodes[id]
        if (withEnded || last === undefined || !isTerminal(last.status)) doubted.add(id)
      }
    },
    /** `isNew`: what is to come was found anew, which may concern any of them. */
    look(outlook: Outlook, isNew: boolean): Pick<Parts, 'nodes' | 'completed' | 'failed'> {
      // What was given away stays as it is.
      let isOwn = false
      const own = () => {
        // Much faster than a spread of so many properties.
        if (!isOwn) nodes = Object.assign(Object.create(null), nodes) as typeof nodes
        isOwn = true
      }
      const besides = (id: string) => besideOf(state, id, nodeOf(state, id), outlook)
      for (const id of doubted) {
        own()
        put(id, nodeView(state, id, nodeOf(state, id), besides(id)))
      }
      const all = isNew || isBehind
      isBehind = false
      let left = slackAtOnce
      for (const id of all ? state.nodes.keys() : failed) {
        const [last, beside] = [nodes[id]!, besides(id)]
        if (isSame(last, beside)) continue
        if (last.critical === beside.critical && last.handled === beside.handled) {
          left -= 1
          if (left < 0) {
            isBehind = true
            continue
          }
        }
        own()
        put(id, { ...last, ...beside })
      }
      doubted.clear()
      return { nodes, completed, failed: failed.size }
    },
    isBehind: () => isBehind,
  }
}

const isSame = (a: Beside, b: Beside): boolean =>
  a.critical === b.critical && a.slack_ms === b.slack_ms && a.handled === b.handled
