import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { CHILDREN, partsOfPool, SLOTS, sumOf } from '@/core/pipeline/definition/demand'
import { amountText, placeText } from '@/core/pipeline/definition/pool-text'
import { evaluateStartWhen, type Truth } from '@/core/pipeline/gate/evaluate'
import { evaluateCondition } from '@/core/pipeline/expression/expression'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { formatStartWhen, type StartWhen } from '@/core/pipeline/gate/start-when'
import { readyCondition, truthOfEvent, factsOf } from '@/core/engine/decide/gate'
import { formatInstant } from '@/core/engine/instant'
import { scopeOf } from '@/core/engine/decide/scope'
import type { ExecutionState } from '@/core/engine/state'
import { attemptId, isTerminal, nodeOf } from '@/core/engine/state'
import { checksView } from './checks'
import { preparationText, type Preparation } from './preparation'
import type { ExplainNode, Explanation, PoolView, WaitingFor } from './view'
import { waitingFor } from './waiting-for'

/**
 * Why the node is, or is not, running: its start condition with every leaf true, dead or pending and who can still
 * change it, then what it waits for. Made of the predicates that `propagate` decides with, so that both agree.
 */
export function explain(
  state: ExecutionState,
  id: string,
  around: {
    readonly scheduling?: Explanation['scheduling']
    /** The running runs of the pipeline, for one of which this run waits. */
    readonly holders?: readonly string[]
    /** What the attempt that has not begun waits for. */
    readonly preparation?: Preparation | null
    /** Why the approval that it waits for is never given: more votes are missing than people may give. */
    readonly unreachable?: string | null
  } = {},
): Explanation {
  const compiled = state.pipeline.nodes.get(id)
  if (compiled === undefined) throw new Error(`invariant: node '${id}' is not part of ${state.executionId}`)
  const node = nodeOf(state, id)
  const { scheduling = null, holders = [], preparation = null, unreachable = null } = around
  const possible = withHolders(
    withPool(withPreparation(state, id, waitingFor(state, id), preparation), scheduling),
    holders,
  )
  const waits = possible === null || unreachable === null ? possible : { ...possible, text: unreachable }
  return {
    node: id,
    status: node.status,
    summary: summary(state, id, waits?.text ?? null),
    start_when: explainGate(state, compiled, compiled.gate),
    waiting_for: waits,
    next_wake_at: nextWakeOf(state, id),
    checks: checksView(state, id),
    scheduling,
    unreachable,
  }
}

function withPreparation(
  state: ExecutionState,
  id: string,
  waits: WaitingFor | null,
  preparation: Preparation | null,
): WaitingFor | null {
  const attempt = state.inFlight.get(attemptId(id, null))
  if (waits === null || preparation === null || attempt?.beginBy == null) return waits
  return { ...waits, text: `attempt ${attempt.attempt} ${preparationText(preparation)}` }
}

/** Whether a pool has no room for what the node demands of it. */
export const isShort = ({ amount, capacity, in_use }: PoolView): boolean =>
  capacity !== null && sumOf(in_use, amount) > capacity

/** Which pool has no room, and how much of it is held by whom. */
function withPool(waits: WaitingFor | null, scheduling: Explanation['scheduling']): WaitingFor | null {
  if (waits?.kind !== 'slot') return waits
  const short = scheduling?.pools.find(isShort)
  if (short === undefined) return waits
  const { pool, amount, capacity, in_use, holders, others, more } = short
  const text = (of: number) => amountText(pool, of)
  if (amount > capacity!) {
    const why = `it needs ${text(amount)} and there ${capacity === 0 ? 'is none' : `are only ${text(capacity!)}`}`
    const what = `waits for ${placeText(pool)}: ${why}, until an admin changes the pool`
    return { ...waits, text: what, names: [pool] }
  }
  const names = holders.map(({ execution_id, node_id }) => `${execution_id}/${node_id}`)
  const times = holders.map(({ attempts }) => (attempts === 1 ? '' : ` (${attempts})`))
  const by = [
    ...names.map((name, at) => name + times[at]),
    ...others,
    ...(more > 0 ? [`${text(more)} more`] : []),
  ]
  const needs = amount === 1 && isWhole(pool) ? '' : `needs ${text(amount)}, and `
  const held = `${needs}${text(in_use)} of ${text(capacity!)} are held by ${by.join(', ')}`
  return { ...waits, text: `waits for ${placeText(pool)}: ${held}`, names }
}

/** Of these an attempt always takes one. */
const isWhole = (pool: string): boolean => [SLOTS, CHILDREN].includes(partsOfPool(pool).pool)

const HOLDERS_TOLD = 10

function withHolders(waits: WaitingFor | null, holders: readonly string[]): WaitingFor | null {
  if (waits === null || holders.length === 0) return waits
  const more = holders.length > HOLDERS_TOLD ? ` and ${holders.length - HOLDERS_TOLD} more` : ''
  const text = `${waits.text}; holders: ${holders.slice(0, HOLDERS_TOLD).join(', ')}${more}`
  return { ...waits, text, names: holders }
}

/** When the engine itself looks at the node again, or at the first of its items; or null. */
export function nextWakeOf(state: ExecutionState, id: string): string | null {
  const due =
    nodeOf(state, id).items === null
      ? NODE_TIMERS.flatMap((kind) => state.timers.get(kind, id) ?? [])
      : [...state.timers.all()].filter(({ node }) => node === id)
  return due.length === 0 ? null : formatInstant(due.reduce((at, { dueAt }) => Math.min(at, dueAt), Infinity))
}

const NODE_TIMERS = ['begin', 'attempt_timeout', 'wait', 'approval', 'start', 'retry'] as const

function summary(state: ExecutionState, id: string, waits: string | null): string {
  const node = nodeOf(state, id)
  switch (node.status) {
    case 'completed':
      return node.byHand === null
        ? `${id} completed after ${node.finishedAt - node.startedAt} ms`
        : `${id} was completed by hand by ${node.byHand.actor.name}: ${node.byHand.reason}`
    case 'failed':
      return `${id} failed: ${node.error.message}`
    case 'skipped':
      return `${id} was skipped (${node.reason}${node.cause === null ? '' : `: ${node.cause}`})`
    case 'cancelled':
      return `${id} was cancelled`
    default:
      return `${id} ${waits ?? node.status}`
  }
}

function explainGate(state: ExecutionState, compiled: CompiledNode, gate: StartWhen): ExplainNode {
  const text = formatStartWhen(gate)
  switch (gate.kind) {
    case 'event': {
      const truth = truthOfEvent(state, compiled, gate.type)
      const waitedTooLong = startExpired(state, compiled.id)
      return { kind: 'event', text, truth, why: whyEvent(state, gate.type, truth, waitedTooLong), terms: [] }
    }
    case 'condition': {
      if (!readyCondition(state, gate)) {
        const open = gate.expression.reads
          .map((read) => read.root)
          .filter((root) => {
            const node = state.nodes.get(root)
            return node !== undefined && !isTerminal(node.status)
          })
        return {
          kind: 'condition',
          text,
          truth: 'pending',
          why: `decided when ${[...new Set(open)].map((root) => nameIn(state, root)).join(', ')} has ended`,
          terms: [],
        }
      }
      const answer = evaluateCondition(gate.expression, scopeOf(state))
      if (!answer.ok)
        return { kind: 'condition', text, truth: 'pending', why: answer.error.message, terms: [] }
      return { kind: 'condition', text, truth: answer.value ? 'true' : 'dead', why: null, terms: [] }
    }
    case 'not':
    case 'and':
    case 'or': {
      const terms = (gate.kind === 'not' ? [gate.term] : gate.terms).map((term) =>
        explainGate(state, compiled, term),
      )
      return {
        kind: gate.kind,
        text,
        truth: evaluateStartWhen(gate, factsOf(state, compiled)).truth,
        why: null,
        terms,
      }
    }
  }
}

function startExpired(state: ExecutionState, id: string): boolean {
  const node = nodeOf(state, id)
  return node.status === 'pending'
    ? node.startExpired.length > 0
    : node.status === 'skipped' && node.reason === 'start_timeout'
}

const nameIn = (state: ExecutionState, id: string): string =>
  state.pipeline.nodes.get(id)?.definition.name ?? id

function whyEvent(state: ExecutionState, type: string, truth: Truth, waitedTooLong: boolean): string | null {
  const { level, node: source } = eventTypeOf(type)
  if (truth === 'true') return `event ${state.events.get(type)} of this run`
  if (level === 'external')
    return truth === 'pending'
      ? `${type} can still come: from another system, or sent by hand`
      : waitedTooLong
        ? 'its start timeout has expired'
        : 'it was not sent while it could still count'
  if (level === 'pipeline')
    return truth === 'pending' ? 'the run has not come to it' : 'the run ended otherwise'
  const stands = `${nameIn(state, source)} is ${state.nodes.get(source)?.status}`
  return truth === 'pending' ? `${stands}: it can still happen` : `${stands}: it did not happen`
}
