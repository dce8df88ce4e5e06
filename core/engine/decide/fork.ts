import { canonicalJson } from '@/core/pipeline/canonical'
import type { CompiledNode, CompiledPipeline } from '@/core/pipeline/definition/compile'
import { eventTypeOf, isExternal } from '@/core/pipeline/gate/event-type'
import { formatStartWhen } from '@/core/pipeline/gate/start-when'
import type { VariableWrite } from '@/core/engine/event'
import { closureOf } from './reset'
import { isItemVariable } from './item-variable'
import { snapshotName, snapshotOfNode } from '@/core/engine/fold/snapshot'
import type { Snapshot } from '@/core/engine/input'
import type { ExecutionState, NodeState } from '@/core/engine/state'

export const EMPTY_SNAPSHOT: Snapshot = { events: [], variables: [] }

/**
 * The snapshot of a run at the instant that `state` was folded to, for a new run of `pipeline`.
 *
 * What had ended stays ended, with its outputs; what was in flight, or was ended by a cancel of the old run, is open again,
 * and so are all finally nodes. Gates cannot be bypassed: new inputs or another revision open every approval and what follows
 * it. Another revision also opens nodes that are new or do other work than before, with what follows them.
 */
export function snapshotOf(
  state: ExecutionState,
  pipeline: CompiledPipeline,
  { newInputs }: { readonly newInputs: boolean },
): Snapshot {
  const otherRevision = pipeline.revision !== state.pipeline.revision
  const opened: string[] = []
  for (const [id, compiled] of pipeline.nodes) {
    const before = state.pipeline.nodes.get(id)
    const node = state.nodes.get(id)
    const gateAgain = compiled.kind === 'approval' && (newInputs || otherRevision)
    const workAgain = before === undefined || (otherRevision && workOf(before) !== workOf(compiled))
    if (gateAgain || workAgain || (node !== undefined && endedByCancel(node))) opened.push(id)
  }
  const open = new Set(closureOf(pipeline, opened))
  const inherited = [...pipeline.nodes.keys()]
    .filter((id) => !open.has(id) && endOf(state, id) !== null)
    // In the order in which they ended: the first failure stays the first.
    .sort((a, b) => endOf(state, a)! - endOf(state, b)!)
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
  return node.status === 'cancelled' || (node.status === 'skipped' && node.reason === 'pipeline_cancelled')
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
    ...work
  } = definition
  return canonicalJson({ ...work, startWhen: formatStartWhen(gate) })
}
