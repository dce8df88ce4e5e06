import {
  criticalPath,
  defaultEstimateMs,
  type CriticalPath,
  type NodeTiming,
} from '@/core/pipeline/critical-path'
import type { Json } from './event'
import { nextWakeOf } from './explain'
import { elapsedMs, formatInstant } from './instant'
import { isItemVariable } from './item-variable'
import type { ApprovalState, ExecutionState, NodeState } from './state'
import { attemptId, isFinished, isTerminal, nodeOf, statusOf } from './state'
import type { ApprovalView, ExecutionView, NodeView } from './view'
import { waitingFor } from './waiting-for'

export type ViewOptions = {
  /** Median duration per node in milliseconds, from history: used where the definition declares no estimate. */
  readonly estimates?: ReadonlyMap<string, number>
  /** Nodes as they were seen before. Whoever gives it takes out those to which something may have happened. */
  readonly kept?: Map<string, NodeView>
}

/** What people see of an execution at `now` (milliseconds since the epoch): a pure function of the folded state. */
export function viewOf(state: ExecutionState, now: number, options: ViewOptions = {}): ExecutionView {
  const path = criticalPathOf(state, now, options.estimates)
  const critical = new Set(path.path)
  const nodes: Record<string, NodeView> = {}
  let tasksTotal = 0
  let tasksCompleted = 0
  let tasksFailed = 0
  for (const [id, node] of state.nodes) {
    const kept = options.kept?.get(id)
    nodes[id] =
      kept === undefined
        ? nodeView(state, id, node, path, outputsOf(state, id, node))
        : onTime(kept, {
            critical: node.status !== 'skipped' && critical.has(id),
            slack_ms: slackOf(path, id),
          })
    options.kept?.set(id, nodes[id])
    tasksTotal += 1
    if (node.status === 'completed') tasksCompleted += 1
    if (node.status === 'failed') tasksFailed += 1
  }
  const status = statusOf(state)
  const end = state.finishedAt ?? now
  return {
    execution_id: state.executionId,
    pipeline_id: state.pipeline.definition.id,
    revision: state.pipeline.revision,
    status,
    lifecycle: state.lifecycle,
    paused: state.paused,
    priority: state.priority,
    labels: state.labels,
    requested_by: state.requestedBy,
    inputs: namespace(state, 'pipeline.input.'),
    outputs: state.lifecycle === 'COMMIT' ? namespace(state, 'pipeline.output.') : null,
    error: state.error,
    warnings: state.warnings,
    created_at: formatInstant(state.createdAt),
    updated_at: formatInstant(state.updatedAt),
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
    eta: status === 'running' ? formatInstant(Math.round((state.startedAt ?? now) + path.total)) : null,
    critical_path: path.path,
    checkpoints: [],
    nodes,
    metrics: {
      tasks_total: tasksTotal,
      tasks_completed: tasksCompleted,
      tasks_failed: tasksFailed,
      execution_duration_seconds: state.startedAt === null ? null : (end - state.startedAt) / 1000,
    },
  }
}

/**
 * The critical path with what really happened as far as it is known [H-4, R-29]: estimates are what a node declares,
 * else its median, else a second; a skipped node takes no time, and finally nodes do not delay the outcome.
 */
export function criticalPathOf(
  state: ExecutionState,
  now: number,
  estimates: ReadonlyMap<string, number> = new Map(),
): CriticalPath {
  const zero = state.startedAt ?? now
  const timings = new Map<string, NodeTiming>()
  const order: string[][] = []
  for (const level of state.pipeline.levels) {
    const run = level.filter((id) => !state.pipeline.nodes.get(id)?.finally)
    if (run.length > 0) order.push(run)
  }
  for (const [id, node] of state.nodes) {
    const compiled = state.pipeline.nodes.get(id)
    if (compiled === undefined || compiled.finally) continue
    const estimate =
      compiled.estimateMs ?? estimates.get(id) ?? (compiled.kind === 'approval' ? 0 : defaultEstimateMs)
    timings.set(id, timingOf(node, estimate, zero))
  }
  const at = (state.finishedAt ?? now) - zero
  return criticalPath(order, state.pipeline, timings, Math.max(0, at))
}

function timingOf(node: NodeState, estimate: number, zero: number): NodeTiming {
  switch (node.status) {
    case 'skipped':
      return { duration: 0 }
    case 'completed':
    case 'cancelled':
      return {
        duration: elapsedMs(node.startedAt, node.finishedAt),
        start: node.startedAt - zero,
        finish: node.finishedAt - zero,
      }
    case 'failed':
      return node.startedAt === null
        ? { duration: 0 }
        : {
            duration: elapsedMs(node.startedAt, node.finishedAt),
            start: node.startedAt - zero,
            finish: node.finishedAt - zero,
          }
    case 'running':
    case 'waiting':
    case 'retrying':
      return { duration: estimate, start: node.startedAt - zero }
    default:
      return { duration: estimate }
  }
}

/** What becomes another with the time of others, though nothing happens to the node. */
function onTime(kept: NodeView, time: Pick<NodeView, 'critical' | 'slack_ms'>): NodeView {
  return kept.critical === time.critical && kept.slack_ms === time.slack_ms ? kept : { ...kept, ...time }
}

function slackOf(path: CriticalPath, id: string): number | null {
  const schedule = path.nodes.get(id)
  return schedule === undefined ? null : Math.round(schedule.slack)
}

function nodeView(
  state: ExecutionState,
  id: string,
  node: NodeState,
  path: CriticalPath,
  outputs: Record<string, Json> | null,
): NodeView {
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
    outputs,
    waiting_for: open ? waitingFor(state, id) : null,
    next_wake_at: open ? nextWakeOf(state, id) : null,
    critical: node.status !== 'skipped' && path.path.includes(id),
    slack_ms: slackOf(path, id),
    child_execution_id: node.child,
    items: itemsView(node),
    progress: attempt?.progress ?? null,
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

function approvalView(approval: ApprovalState): ApprovalView {
  return {
    message: approval.message,
    approvers: approval.approvers,
    quorum: approval.quorum,
    reject_quorum: approval.rejectQuorum,
    due_at: instantOrNull(approval.dueAt),
    form: approval.form,
    votes: approval.votes.map(({ approver, decision, comment, at }) => ({
      approver,
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
