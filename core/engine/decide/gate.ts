import type { CompiledNode } from '@/core/pipeline/definition/compile'
import {
  evaluateStartWhen,
  type GateCause,
  type GateResult,
  type GateFacts,
  type Truth,
} from '@/core/pipeline/gate/evaluate'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { evaluateCondition } from '@/core/pipeline/expression/expression'
import type { ConditionAtom, StartWhen } from '@/core/pipeline/gate/start-when'
import { failureNamedBy } from '@/core/engine/fold/handlers'
import { scopeOf } from './scope'
import type { ExecutionState } from '@/core/engine/state'
import type { GateRecord, SkipReason } from '@/core/engine/typed-event'
import { isFinished, isTerminal } from '@/core/engine/state'
import { isStillPending, wideGateOf } from './wide-gate'

/** What is known of an event type for one node's gate: recorded, no longer possible, or open. */
export function truthOfEvent(state: ExecutionState, node: CompiledNode, type: string): Truth {
  const { level, node: source } = eventTypeOf(type)
  if (level === 'external') {
    const own = state.nodes.get(node.id)
    if (own?.status === 'pending' && own.startExpired.includes(type)) return 'dead'
  }
  if (state.events.has(type)) return 'true'
  if (level === 'external' || level === 'pipeline') return isFinished(state) ? 'dead' : 'pending'
  const producer = state.nodes.get(source)
  return producer === undefined || isTerminal(producer.status) ? 'dead' : 'pending'
}

/** A condition is asked only when every node that it names is terminal. */
export function readyCondition(state: ExecutionState, atom: ConditionAtom): boolean {
  return atom.expression.reads.every((read) => {
    const node = state.nodes.get(read.root)
    return node === undefined || isTerminal(node.status)
  })
}

/** What the evaluator asks, answered from the state. */
export function factsOf(state: ExecutionState, node: CompiledNode): GateFacts {
  return {
    event: (type) => truthOfEvent(state, node, type),
    condition(atom) {
      if (!readyCondition(state, atom)) return { truth: 'pending' }
      const answer = evaluateCondition(atom.expression, scopeOf(state))
      // Whatever went wrong, it went wrong in an expression of the gate.
      if (!answer.ok) return { error: { kind: 'expression_error', message: answer.error.message } }
      return { truth: answer.value ? 'true' : 'dead' }
    },
  }
}

/** The gate of a node against the state as it stands. Pure: the caller that acts on the result records it. */
export function evaluateGate(state: ExecutionState, node: CompiledNode): GateResult {
  return evaluateStartWhen(node.gate, factsOf(state, node))
}

const PENDING: GateResult = { truth: 'pending', trueEvents: [], conditions: [], onlyExternalPending: false }

/**
 * `evaluateGate` again after something happened: of a wide gate it evaluates only the part that this can have changed. What
 * it finds is remembered in the state's work lists.
 */
export function reevaluateGate(state: ExecutionState, node: CompiledNode): GateResult {
  const wide = wideGateOf(node)
  if (wide === null) return evaluateGate(state, node)
  const wait = state.wideWaits.get(node.id)
  if (wait !== undefined && isStillPending(wide, wait, (type) => truthOfEvent(state, node, type)))
    return PENDING
  const result = evaluateGate(state, node)
  if (result.truth === 'pending') state.wideWaits.set(node.id, { from: 0, touched: [] })
  else state.wideWaits.delete(node.id)
  return result
}

/** May this node start because of a failure? Then `failFast` keeps it waiting instead of skipping it. */
export function mayHandleFailures(gate: StartWhen, positive = true): boolean {
  switch (gate.kind) {
    case 'event':
      return positive && failureNamedBy(gate.type) !== null
    case 'condition':
      return false
    case 'not':
      return mayHandleFailures(gate.term, !positive)
    case 'and':
    case 'or':
      return gate.terms.some((term) => mayHandleFailures(term, positive))
  }
}

/** Characters of the events, and of the conditions, that the entry of a start records: the rest of a payload is small. */
const MOST_RECORDED = 24_000

/** What opened a gate, as the entry of the start records it. Of more than a payload can hold: the failures that it handles, then the first. */
export function recordOf({ trueEvents, conditions }: GateResult): GateRecord {
  return {
    events: recorded(
      trueEvents,
      (type) => type.length + 3,
      (type) => failureNamedBy(type) !== null,
    ),
    conditions: recorded(
      conditions,
      ({ source }) => 4 * source.length + 30,
      () => false,
    ),
  }
}

function recorded<T>(all: readonly T[], sizeOf: (one: T) => number, isNeeded: (one: T) => boolean): T[] {
  let left = MOST_RECORDED
  const take = (one: T) => {
    left -= sizeOf(one)
    return left >= 0
  }
  const needed = new Set(all.filter((one) => isNeeded(one) && take(one)))
  return all.filter((one) => needed.has(one) || (!isNeeded(one) && take(one)))
}

/** The word for a skip, from the atom that closed the gate. */
export function skipReasonOf(state: ExecutionState, cause: GateCause | undefined): SkipReason {
  if (cause === undefined || cause.kind === 'condition') return 'condition_not_met'
  const type = cause.atom.replace(/^event:/, '')
  const { level, node: source } = eventTypeOf(type)
  // Under `!` it is that the event came; nothing timed out.
  if (level === 'external') return cause.negated ? 'condition_not_met' : 'start_timeout'
  const producer = state.nodes.get(source)
  switch (producer?.status) {
    case 'failed':
      return 'upstream_failed'
    case 'skipped':
      return 'upstream_skipped'
    case 'cancelled':
      return 'upstream_cancelled'
    default:
      return 'condition_not_met'
  }
}
