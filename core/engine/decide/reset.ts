import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { didYouMean } from '@/core/pipeline/suggest'
import { beginRun, tooManyRunning } from './begin-run'
import type { Decision } from './decision'
import type { Fact } from './fact'
import { nodeFact, pipelineFact } from './fact'
import type { Rejection, Rerun } from '@/core/engine/input'
import { formatInstant } from '@/core/engine/instant'
import type { Identity } from '@/core/engine/principal'
import type { ExecutionState } from '@/core/engine/state'
import { isFinished, isRollingBack, nodeOf } from '@/core/engine/state'
import type { NodeStatus } from '@/core/engine/view/view'
import type { StepContext } from './step-context'

/**
 * The nodes named and everything downstream: what waits for one of their events, or reads one of their variables in a
 * condition, a binding, an output or a list; directly or not. Finally nodes always, because they follow the end. In the
 * order of the definition.
 */
export function closureOf(pipeline: CompiledPipeline, nodes: Iterable<string>): string[] {
  const found = new Set<string>()
  const open = [...nodes, ...pipeline.finallyNodes]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...(pipeline.successors.get(id) ?? []))
  }
  return [...pipeline.nodes.keys()].filter((id) => found.has(id))
}

/** These nodes and all that lies before them, at any distance. */
export function ancestorsOf(pipeline: CompiledPipeline, nodes: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...nodes]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue
    found.add(id)
    open.push(...(pipeline.predecessors.get(id) ?? []))
  }
  return found
}

const ENDED_BY_THE_RUN: ReadonlySet<string> = new Set(['pipeline_cancelled', 'fail_fast', 'rolled_back'])

/** Ended by what happened to the run, not by its own gate: it is part of what "rerun failed" means. */
export function wasStopped(status: NodeStatus, skipReason: string | null): boolean {
  if (status === 'skipped') return ENDED_BY_THE_RUN.has(skipReason ?? '')
  return status === 'failed' || status === 'cancelled' || status === 'rolled_back'
}

/**
 * What a rerun would reset, or why it is refused. A dry run and the rerun itself ask this, so that they cannot differ.
 * Refuses a run that is being cancelled, nodes that do not exist (it names all of them) and a rerun of failures where nothing failed.
 */
export function resetSetOf(
  state: ExecutionState,
  asked: Rerun,
): { readonly ok: true; readonly nodes: readonly string[] } | { readonly ok: false; rejection: Rejection } {
  const refuse = (rejection: Rejection) => ({ ok: false as const, rejection })
  const { pipeline } = state
  const ending = refusedWhileCancelling(state)
  if (ending !== null) return refuse(ending)
  if (asked === 'failed') {
    const stopped = stoppedNodes(state)
    return stopped.length > 0
      ? { ok: true, nodes: closureOf(pipeline, stopped) }
      : refuse({ code: 'nothing_to_rerun', message: NOTHING_FAILED })
  }
  const unknown = unknownNodes(pipeline, asked)
  return unknown === null
    ? { ok: true, nodes: closureOf(pipeline, [...asked, ...undoneNodes(state)]) }
    : refuse(unknown)
}

export const NOTHING_FAILED =
  'no node failed, was cancelled, or was skipped because of either: name the nodes to rerun'

/** Nodes whose work was undone: whatever goes on in their run, they run again with it, since nothing of them is left [H-O7]. */
export function undoneNodes({ nodes }: ExecutionState): string[] {
  return [...nodes].flatMap(([id, { status }]) => (status === 'rolled_back' ? [id] : []))
}

/** Nodes that a run ended, in the order of its definition. */
export function stoppedNodes(state: ExecutionState): string[] {
  return [...state.nodes]
    .filter(([, node]) => wasStopped(node.status, node.status === 'skipped' ? node.reason : null))
    .map(([id]) => id)
}

export function refusedWhileCancelling(state: ExecutionState): Rejection | null {
  if (isRollingBack(state)) return { code: 'rolling_back', message: 'the execution is being rolled back' }
  if (state.cancelling === null || isFinished(state)) return null
  const message = 'the execution is being cancelled; it can be rerun when it has ended'
  return { code: 'execution_finished', message }
}

/** Names all nodes that the pipeline does not have, or null. */
export function unknownNodes(pipeline: CompiledPipeline, asked: readonly string[]): Rejection | null {
  const issues = asked.flatMap((id, index) => {
    if (pipeline.nodes.has(id)) return []
    const hint = didYouMean(id, pipeline.nodes.keys())
    const message = `there is no node '${id}'`
    return [
      { path: ['nodes', index], code: 'unknown_node', message, ...(hint === undefined ? {} : { hint }) },
    ]
  })
  return issues[0] === undefined ? null : { code: 'unknown_node', message: issues[0].message, issues }
}

/**
 * Runs nodes again in the same run: what they did is superseded, what they are at ends, and all of them open again under the
 * next generation. A run that is over begins again, when its pipeline may have another run; one that is running continues.
 */
export function rerun(state: ExecutionState, asked: Rerun, actor: Identity, context: StepContext): Decision {
  const set = resetSetOf(state, asked)
  if (!set.ok) return set
  return goOn(state, { asked, reset: set.nodes, actor }, context)
}

/** Who goes on with a run, and what is reset for it. `done`: what happened with the reset, in the generation that it opens. */
type GoingOn = {
  readonly asked: Rerun
  readonly reset: readonly string[]
  readonly actor: Identity
  readonly done?: (generation: number) => readonly Fact[]
}

/** One commit: the next generation, the resets, what happened with them; a run that was over begins again as its pipeline admits it. */
export function goOn(
  state: ExecutionState,
  { asked, reset, actor, done = () => [] }: GoingOn,
  context: StepContext,
): Decision {
  const { now } = context
  const over = isFinished(state)
  const admission = over && state.parent === null ? context.admitRun() : 'free'
  if (admission === 'refuse') return { ok: false, rejection: tooManyRunning(state) }
  const generation = state.generation + 1
  const { timeoutMs } = state.pipeline
  // What begins again is timed from when it does.
  const timed = timeoutMs !== null && !over && state.startedAt !== null
  const payload = {
    nodes: asked === 'failed' ? asked : [...new Set(asked)],
    ...(timed ? { timeout_at: formatInstant(now + timeoutMs) } : {}),
  }
  const facts: Fact[] = [pipelineFact(state, 'restarted', payload, { generation, actor })]
  for (const id of reset)
    facts.push(nodeFact({ node: id, generation }, 'reset', { token: nodeOf(state, id).token + 1 }))
  facts.push(...done(generation))
  if (over && admission === 'free') facts.push(...beginRun(state, now, { generation }))
  return { ok: true, facts }
}
