import { chainNodes } from '@/core/engine/timeline/chain'
import type { Json } from '@/core/engine/event'
import { checksView } from './checks'
import { nextWakeOf } from './explain'
import { forecast, type Forecast, type Known } from '@/core/engine/timeline/forecast'
import { elapsedMs, formatInstant } from '@/core/engine/instant'
import { isItemVariable } from '@/core/engine/decide/item-variable'
import type { ApprovalState, ExecutionState, NodeState } from '@/core/engine/state'
import { failsRun } from '@/core/engine/decide/propagate'
import { attemptId, isFinished, isTerminal, nodeOf, statusOf } from '@/core/engine/state'
import { rollbackView } from './rollback'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { ApprovalView, ExecutionView, NodeView } from './view'
import { isMocked } from '@/core/engine/mocked-values'
import { waitingFor } from './waiting-for'

export type ViewOptions = Known & {
  /** The fold of what happened, up to the same entry: the critical path goes through it. Without it only the ends of nodes are known. */
  readonly timeline?: Timeline
}

/** What is to come, and the critical path through what happened to it. */
export type Outlook = {
  readonly expected: Forecast
  readonly path: readonly string[]
  /** The members of the path. */
  readonly critical: ReadonlySet<string>
  readonly waits: ExecutionView['waits_for']
}

/** The outlook at `now`. Of all that is seen of a run this costs the most: every node has a part in it. */
export function outlookOf(state: ExecutionState, now: number, options: ViewOptions): Outlook {
  const expected = forecast(state, now, options)
  const path = pathOf(expected, options.timeline)
  return { expected, path, critical: new Set(path), waits: waitView(expected) }
}

/** What of a view grows with the run: repeated views reuse what has not changed. */
export type Parts = {
  readonly nodes: ExecutionView['nodes']
  readonly completed: number
  readonly failed: number
  readonly inputs: Record<string, Json>
  readonly outputs: Record<string, Json>
}

/** What people see of an execution at `now` (milliseconds since the epoch): a pure function of the folded state. */
export function viewOf(state: ExecutionState, now: number, options: ViewOptions = {}): ExecutionView {
  const outlook = outlookOf(state, now, options)
  const nodes: Record<string, NodeView> = {}
  const counts = { completed: 0, failed: 0 }
  for (const [id, node] of state.nodes) {
    nodes[id] = nodeView(state, id, node, besideOf(state, id, node, outlook))
    if (node.status === 'completed' || node.status === 'failed') counts[node.status] += 1
  }
  return assemble(state, now, outlook, { nodes, ...counts, ...valuesOf(state) })
}

/** Inputs and outputs of the run. */
export function valuesOf(state: ExecutionState): Pick<Parts, 'inputs' | 'outputs'> {
  return { inputs: namespace(state, 'pipeline.input.'), outputs: namespace(state, 'pipeline.output.') }
}

/** The view that these parts belong to. */
export function assemble(
  state: ExecutionState,
  now: number,
  { expected, path, waits }: Outlook,
  { nodes, completed, failed, inputs, outputs }: Parts,
): ExecutionView {
  const status = statusOf(state)
  const end = state.finishedAt ?? now
  const isKnown = status === 'running' && state.cancelling === null && expected.known
  return {
    execution_id: state.executionId,
    pipeline_id: state.pipeline.definition.id,
    revision: state.pipeline.revision,
    sub_pipelines: state.subPipelines === null ? null : Object.fromEntries(state.subPipelines),
    status,
    lifecycle: state.lifecycle,
    paused: state.paused,
    priority: state.priority,
    labels: state.labels,
    requested_by: state.requestedBy.name,
    requested_by_id: state.requestedBy.id,
    inputs,
    outputs: state.lifecycle === 'COMMIT' ? outputs : null,
    error: state.error,
    checks: checksView(state),
    rollback: rollbackView(state),
    handled_failures: state.handledFailures,
    mocked: isMocked(state),
    mocks: Object.keys(state.mocks),
    mocked_inputs: state.mockedInputs,
    warnings: state.warnings,
    created_at: formatInstant(state.createdAt),
    updated_at: formatInstant(state.updatedAt),
    first_started_at: instantOrNull(state.firstStartedAt),
    started_at: instantOrNull(state.startedAt),
    finished_at: instantOrNull(state.finishedAt),
    closed_at: instantOrNull(state.closedAt),
    generation: state.generation,
    phase: currentPhase(state),
    parent:
      state.parent === null
        ? null
        : { execution_id: state.parent.executionId, node_id: state.parent.key.node },
    origin: state.origin === null ? null : { execution_id: state.origin.executionId, seq: state.origin.seq },
    last_seq: state.seq,
    eta: isKnown ? formatInstant(Math.round(expected.end)) : null,
    eta_p90: isKnown && expected.end90 !== null ? formatInstant(Math.round(expected.end90)) : null,
    waits_for: isFinished(state) ? null : waits,
    critical_path: path,
    checkpoints: [],
    nodes,
    metrics: {
      tasks_total: state.nodes.size,
      tasks_completed: completed,
      tasks_failed: failed,
      execution_duration_seconds: state.firstStartedAt === null ? null : (end - state.firstStartedAt) / 1000,
    },
  }
}

/** What happened by the chain of it, what is to come by estimates: one path. */
function pathOf({ ahead, path, schedule }: Forecast, timeline: Timeline | undefined): readonly string[] {
  if (timeline === undefined) return path
  const left = new Set(ahead)
  const before = chainNodes(timeline, { ahead, placeFrom: schedule.placeFrom })
  return [...before.filter((id) => !left.has(id)), ...ahead]
}

function waitView({ waits, next, then, end }: Forecast): ExecutionView['waits_for'] {
  const first = waits ?? next
  if (first === null) return null
  const instant = (ms: number) => formatInstant(Math.round(ms))
  return {
    node_id: first.node,
    kind: first.kind,
    from: instant(first.at),
    // What is left after another wait is not known.
    after_ms: then === null ? Math.max(0, Math.round(end - first.at)) : null,
    then: then === null ? null : { node_id: then.node, kind: then.kind, from: instant(then.at) },
  }
}

/** Between an end and what it let begin lies the time of a commit. On the critical path that is no slack, however many there are. */
const COMMITS_MS = 1_000

/** What becomes another by what happens to others. */
export type Beside = Pick<NodeView, 'critical' | 'slack_ms' | 'handled'>

export function besideOf(
  state: ExecutionState,
  id: string,
  node: NodeState,
  { expected, critical }: Outlook,
): Beside {
  const isFinally = state.pipeline.nodes.get(id)?.finally
  const isCritical = node.status !== 'skipped' && critical.has(id)
  const slack = slackOf(expected, id)
  return {
    critical: isCritical,
    slack_ms: isCritical && slack !== null && slack < COMMITS_MS ? 0 : slack,
    handled: node.status === 'failed' && !isFinally && !failsRun(state, id, node),
  }
}

function slackOf({ schedule }: Forecast, id: string): number | null {
  const own = schedule.nodes.get(id)
  return own === undefined ? null : Math.round(own.slack)
}

/** A node as it is seen, with what others make of it. */
export function nodeView(state: ExecutionState, id: string, node: NodeState, beside: Beside): NodeView {
  const startedAt = 'startedAt' in node ? node.startedAt : null
  const finishedAt = 'finishedAt' in node ? node.finishedAt : null
  const attempt = state.inFlight.get(attemptId(id, null))
  const open = !isTerminal(node.status)
  return {
    status: node.status,
    phase: state.pipeline.nodes.get(id)?.phase ?? '',
    attempts: node.attempts,
    started_at: instantOrNull(startedAt),
    finished_at: instantOrNull(finishedAt),
    duration_ms: startedAt === null || finishedAt === null ? null : elapsedMs(startedAt, finishedAt),
    skip_reason: node.status === 'skipped' ? node.reason : null,
    skip_cause: node.status === 'skipped' ? node.cause : null,
    error: node.status === 'failed' ? node.error : null,
    outputs: outputsOf(state, id, node),
    waiting_for: open ? waitingFor(state, id) : null,
    next_wake_at: open ? nextWakeOf(state, id) : null,
    critical: beside.critical,
    slack_ms: beside.slack_ms,
    handled: beside.handled,
    handled_below: node.status === 'completed' && state.handledBelow.has(id),
    child_execution_id: node.child,
    items: itemsView(node),
    progress: attempt?.progress ?? null,
    by_hand: byHandView(node),
    approval: 'approval' in node && node.approval !== null ? approvalView(node.approval) : null,
  }
}

function itemsView({ items }: NodeState): NodeView['items'] {
  if (items === null) return null
  return {
    total: items.total,
    completed: items.completed,
    failed: items.errors.length,
    running: items.running,
  }
}

function byHandView(node: NodeState): NodeView['by_hand'] {
  if (node.status !== 'completed' || node.byHand === null) return null
  const { actor, reason } = node.byHand
  return { actor: actor.name, actor_id: actor.id, reason }
}

function approvalView(approval: ApprovalState): ApprovalView {
  return {
    message: approval.message,
    approvers: approval.approvers,
    quorum: approval.quorum,
    reject_quorum: approval.rejectQuorum,
    due_at: instantOrNull(approval.dueAt),
    form: approval.form,
    mocked: approval.mocked,
    by_hand: approval.byHand,
    votes: approval.votes.map(({ approver, decision, comment, at }) => ({
      approver: approver.name,
      approver_id: approver.id,
      decision,
      comment,
      at: formatInstant(at),
    })),
  }
}

/** Variables `{node}.{output}` of a node; of a large value its reference. null: none, and it has not completed. */
function outputsOf(state: ExecutionState, id: string, node: NodeState): Record<string, Json> | null {
  const outputs = Object.create(null) as Record<string, Json>
  let some = node.status === 'completed'
  for (const name of state.writes.get(id) ?? []) {
    const variable = isItemVariable(name) ? undefined : state.variables.get(name)
    if (variable === undefined) continue
    some = true
    outputs[name.slice(id.length + 1)] = variable.ref ?? variable.value
  }
  return some ? outputs : null
}

function namespace(state: ExecutionState, prefix: string): Record<string, Json> {
  const values: Record<string, Json> = Object.create(null) as Record<string, Json>
  for (const [name, { value, ref }] of state.variables)
    if (name.startsWith(prefix)) values[name.slice(prefix.length)] = ref ?? value
  return values
}

/** The phase of the first node (in topological order) that is at work or still to come; null when the run is over. */
function currentPhase(state: ExecutionState): string | null {
  if (isFinished(state)) return null
  for (const level of state.pipeline.levels) {
    for (const id of level) {
      const compiled = state.pipeline.nodes.get(id)
      if (compiled !== undefined && !compiled.finally && !isTerminal(nodeOf(state, id).status))
        return compiled.phase
    }
  }
  return null
}

function instantOrNull(ms: number | null): string | null {
  return ms === null ? null : formatInstant(ms)
}
