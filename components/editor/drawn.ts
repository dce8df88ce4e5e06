import {
  BARE,
  gateMarks,
  isOutcome,
  signal,
  type DrawnEdge,
  type DrawnNode,
  type Outcome,
} from '@/components/graph/drawing'
import { parseStartWhen } from '@/core/pipeline/start-when'
import type { Mark } from './use-marks'
import { START, type Flow, type FlowEdge, type FlowNode } from './flow'

/** The cards and lines of a draft, as the graph draws them: every outcome of a node has its handle. Pure. */

const OF_A_TASK: readonly Outcome[] = ['completed', 'failed', 'skipped']
const OF_AN_APPROVAL: readonly Outcome[] = ['approved', 'rejected', 'timeout']

/** The handle at which an edge begins: events within a run of a node (its attempts, its queue) leave where it started. */
export const portOf = ({ outcome }: Pick<FlowEdge, 'outcome'>): Outcome =>
  outcome === 'event' ? 'completed' : isOutcome(outcome) ? outcome : 'started'

const textOr = (value: unknown, other: string): string =>
  typeof value === 'string' && value !== '' ? value : other

export function drawnNode({ id, fields }: FlowNode, flow: Flow, mark?: Mark): DrawnNode {
  const task = textOr(fields['task'], textOr(fields['pipeline'], '') === '' ? 'no task' : 'pipeline')
  const own = task === 'approval' ? OF_AN_APPROVAL : OF_A_TASK
  const used = flow.edges.filter((edge) => edge.source === id).map(portOf)
  const gateText = textOr(fields['startWhen'], START)
  const gate = parseStartWhen(gateText)
  return {
    ...BARE,
    id,
    kind: 'task',
    name: textOr(fields['name'], id),
    task,
    child: typeof fields['pipeline'] === 'string' ? { pipeline: fields['pipeline'], execution: null } : null,
    gate: gate.ok ? gateMarks(gate.value) : [],
    gateText,
    outcomes: [...new Set([...own, ...used])],
    finally: fields['finally'] === true,
    note: flow.unreadable.has(id) ? 'its start condition cannot be read' : null,
    ...mark,
  }
}

/** The events from outside that some gate waits for: each is a port of its own. */
export function drawnSignals(flow: Flow): DrawnNode[] {
  const types = new Set(flow.edges.filter(({ outcome }) => outcome === 'event').map(({ source }) => source))
  return [...types].map(signal)
}

export function drawnEdge(edge: FlowEdge): DrawnEdge {
  const outcome = portOf(edge)
  const words = [
    edge.negated ? 'not' : '',
    edge.outcome === 'completed' || edge.outcome === 'event' ? '' : edge.outcome,
    ...edge.conditions.map((condition) => `if ${condition}`),
  ].filter((word) => word !== '')
  return {
    id: edge.id,
    from: edge.source,
    to: edge.target,
    outcome,
    port: outcome,
    label: words.length === 0 ? null : words.join(' '),
    critical: false,
    state: 'open',
    flowing: false,
  }
}
