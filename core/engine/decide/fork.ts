import { canonicalJson } from '@/core/pipeline/canonical'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { formatStartWhen } from '@/core/pipeline/gate/start-when'
import type { VariableWrite } from '@/core/engine/event'
import type { SubPipelines } from './gate-below'
import { ancestorsOf, closureOf, refusedWhileCancelling, stoppedNodes, unknownNodes } from './reset'
import { isItemVariable } from './item-variable'
import { snapshotName, snapshotOfNode } from '@/core/engine/fold/snapshot'
import type { Rejection, Rerun, Snapshot } from '@/core/engine/input'
import type { ExecutionState, NodeState } from '@/core/engine/state'

export const EMPTY_SNAPSHOT: Snapshot = { events: [], variables: [] }

/** How a new run differs from the one that it leaves. */
export type ForkChange = {
  readonly newInputs: boolean
  /** What the new run has below it, where that is chosen anew; absent: the revisions that the old run had fixed. */
  readonly below?: SubPipelines
  /** A rerun that goes on under other revisions: what it asks to do again. */
  readonly asked?: Rerun
}

/**
 * The snapshot of a run at the instant that `state` was folded to, for a new run of `pipeline`: what had ended stays ended, with its
 * outputs, unless `inheritedBy` leaves it out.
 */
export function snapshotOf(state: ExecutionState, pipeline: CompiledPipeline, change: ForkChange): Snapshot {
  const inherited = inheritedBy(state, pipeline, change)
  const stays = new Set(inherited)
  const words = wordsByNode(state)
  const variables: VariableWrite[] = []
  for (const id of inherited) {
    variables.push({ name: snapshotName(id), value: inheritedNode(state, id, words.get(id) ?? [], stays) })
    for (const name of state.writes.get(id) ?? [])
      if (!isItemVariable(name)) variables.push(writeOf(state, name))
  }
  return { events: outsideEvents(state, pipeline), variables }
}

/**
 * The nodes whose ends a new run takes over, in the order in which they ended: the first failure stays the first.
 *
 * What was in flight, or was ended by a cancel of the old run, is open again, and so are all finally nodes. Another revision, of the pipeline
 * or of one below it, opens nodes that are new or do other work than before, with what follows them. Gates cannot be bypassed: new inputs
 * or another revision open every approval and what follows it.
 *
 * A rerun that goes on under other revisions opens what it names and whatever failed or was stopped; of approvals those after a change,
 * and those before one: what they let through is not what it was.
 */
export function inheritedBy(
  state: ExecutionState,
  pipeline: CompiledPipeline,
  { newInputs, below, asked }: ForkChange,
): string[] {
  const otherRevision = pipeline.revision !== state.pipeline.revision
  const changed: string[] = []
  for (const [id, compiled] of pipeline.nodes) {
    const before = state.pipeline.nodes.get(id)
    const other = before === undefined || (otherRevision && workOf(before) !== workOf(compiled))
    if (other || runsOthers(state, compiled, below)) changed.push(id)
  }
  const beforeChange = asked === undefined ? null : ancestorsOf(pipeline, changed)
  const opened = [...changed]
  for (const [id, compiled] of pipeline.nodes) {
    const node = state.nodes.get(id)
    const gateAgain = compiled.kind === 'approval' && (newInputs || (beforeChange?.has(id) ?? otherRevision))
    if (gateAgain || (node !== undefined && endedByCancel(node))) opened.push(id)
  }
  if (asked !== undefined) opened.push(...stoppedNodes(state).filter((id) => pipeline.nodes.has(id)))
  if (asked !== undefined && asked !== 'failed') opened.push(...asked)
  const open = new Set(closureOf(pipeline, opened))
  return [...pipeline.nodes.keys()]
    .filter((id) => !open.has(id) && endOf(state, id) !== null)
    .sort((a, b) => endOf(state, a)! - endOf(state, b)!)
}

/** Whether a node would run other pipelines than it did, at any depth; so does one of which nobody knows what it ran. */
function runsOthers(
  state: ExecutionState,
  { child }: CompiledNode,
  below: SubPipelines | undefined,
): boolean {
  if (child === null || below === undefined) return false
  const open = [child]
  const seen = new Set(open)
  for (const id of open) {
    const pipeline = below.get(id)
    if (pipeline?.revision !== state.subPipelines?.get(id)) return true
    for (const node of pipeline?.nodes.values() ?? []) {
      if (node.child === null || seen.has(node.child)) continue
      seen.add(node.child)
      open.push(node.child)
    }
  }
  return state.subPipelines === null
}

/** Returns why a rerun under other revisions is refused, or null. Besides the refusals of every rerun: nothing would run again. */
export function refusalUnder(
  state: ExecutionState,
  pipeline: CompiledPipeline,
  change: ForkChange & { readonly asked: Rerun },
): Rejection | null {
  const ending = refusedWhileCancelling(state)
  if (ending !== null) return ending
  const { asked } = change
  const unknown = asked === 'failed' ? null : unknownNodes(pipeline, asked)
  if (unknown !== null) return unknown
  const inherited = new Set(inheritedBy(state, pipeline, change))
  const runs = [...pipeline.nodes.values()].some((node) => !node.finally && !inherited.has(node.id))
  return runs ? null : { code: 'nothing_to_rerun', message: NOTHING_RUNS }
}

const NOTHING_RUNS =
  'nothing would run: everything has completed, and the revision does the same work; name the nodes to rerun'

function writeOf(state: ExecutionState, name: string): VariableWrite {
  const { value, ref } = state.variables.get(name)!
  return ref === undefined ? { name, value } : { name, value, ref }
}

function inheritedNode(
  state: ExecutionState,
  id: string,
  words: readonly string[],
  stays: ReadonlySet<string>,
): VariableWrite['value'] {
  // A handler that is open again says so itself when it starts.
  const handlers = (state.handlers.get(id) ?? []).filter((handler) => stays.has(handler))
  return snapshotOfNode(state, id, { events: words, handlers })
}

/** The seq at which the node ended for good, or null when it has not. */
function endOf(state: ExecutionState, id: string): number | null {
  const node = state.nodes.get(id)
  const ended = node?.status === 'completed' || node?.status === 'failed' || node?.status === 'skipped'
  return ended ? (state.events.get(`${id}.${node.status}`) ?? null) : null
}

function endedByCancel(node: NodeState): boolean {
  if (node.status === 'skipped') return node.reason === 'pipeline_cancelled' || node.reason === 'rolled_back'
  return node.status === 'cancelled' || node.status === 'rolled_back'
}

function wordsByNode(state: ExecutionState): Map<string, string[]> {
  const words = new Map<string, string[]>()
  for (const type of state.events.keys()) {
    const { level, node, word: name } = eventTypeOf(type)
    if ((level !== 'node' && level !== 'task') || !state.nodes.has(node)) continue
    const word = level === 'task' ? `task.${name}` : name
    const own = words.get(node)
    if (own === undefined) words.set(node, [word])
    else own.push(word)
  }
  return words
}

/** Decisions of approvals are not among them: an approval that has ended says its outcome itself. */
function outsideEvents(state: ExecutionState, pipeline: CompiledPipeline): string[] {
  return [...pipeline.listeners.keys()].filter((type) => isExternal(type) && state.events.has(type))
}

/** Everything of a node that decides when it runs and what it does; how it is named, drawn and planned does not. */
function workOf({ definition, gate }: CompiledNode): string {
  const {
    name: _name,
    description: _description,
    phase: _phase,
    estimate: _estimate,
    priority: _priority,
    resources: _resources,
    risk: _risk,
    workerGroup: _workerGroup,
    rollback: _rollback,
    ...work
  } = definition
  return canonicalJson({ ...work, startWhen: formatStartWhen(gate) })
}
