import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { placeText } from '@/core/pipeline/definition/pool-text'
import { evaluateGate } from '@/core/engine/decide/gate'
import { userEntries } from '@/core/engine/decide/is-approver'
import { formatInstant } from '@/core/engine/instant'
import type { ApprovalState, ExecutionState, ItemsState } from '@/core/engine/state'
import { attemptId, isFinished, isTerminal, nodeOf } from '@/core/engine/state'
import type { Timer } from '@/core/engine/timers'
import { preparationText } from './preparation'
import type { WaitingFor } from './view'

/** The state of a child, where it is at hand. */
export type ChildOf = (executionId: string) => ExecutionState | undefined

/**
 * Who must act next for a node that is not terminal: an attempt, a slot, a timer, people, an event or other nodes.
 * Every such node has an answer; that is an invariant [DESIGN: nothing is ever just stuck]. For a node that waits for a child the
 * answer says what the child waits for, when `childOf` gives its state.
 */
export function waitingFor(state: ExecutionState, id: string, childOf?: ChildOf): WaitingFor | null {
  const node = nodeOf(state, id)
  if (isTerminal(node.status)) return null
  switch (node.status) {
    case 'queued':
      return state.paused
        ? { kind: 'people', text: waitsForResume(state), names: [] }
        : {
            kind: 'slot',
            text: `waits for ${placeText(node.pool)}`,
            names: [],
          }
    case 'retrying': {
      const due = state.timers.get('retry', id)
      return due === undefined
        ? null
        : { kind: 'timer', text: `is tried again at ${formatInstant(due.dueAt)}`, names: [] }
    }
    case 'running':
      return node.items === null
        ? waitingForAttempt(state, id, node.attempts, childOf)
        : waitingForItems(state, id, node.items)
    case 'waiting': {
      if (node.approval === null) {
        const due = state.timers.get('wait', id)
        return due === undefined
          ? null
          : { kind: 'timer', text: `waits until ${formatInstant(due.dueAt)}`, names: [] }
      }
      return waitingForPeople(node.approval)
    }
    case 'pending':
      return pending(state, id)
    default:
      return null
  }
}

/** One vote each: who has decided is named in the text, and no longer waited for [R-51]. */
function waitingForPeople({ approvers, quorum, votes }: ApprovalState): WaitingFor {
  const missing = quorum - votes.filter((vote) => vote.decision === 'approved').length
  const decided = new Set(votes.flatMap((vote) => userEntries(vote.approver)))
  const names = approvers.filter((entry) => !decided.has(entry))
  const soFar = votes.map((vote) => `${vote.approver.name} ${vote.decision}`).join(', ')
  const text = `waits for ${missing === 1 ? 'a decision' : `${missing} decisions`} of ${names.join(', ')}`
  return { kind: 'people', text: soFar === '' ? text : `${text}; so far ${soFar}`, names }
}

function waitingForAttempt(
  state: ExecutionState,
  id: string,
  attempts: number,
  childOf: ChildOf | undefined,
): WaitingFor | null {
  const attempt = state.inFlight.get(attemptId(id, null))
  if (attempt === undefined) return null
  if (attempt.stopping) return { kind: 'attempt', text: 'is being stopped', names: [] }
  if (attempt.beginBy !== null)
    return { kind: 'worker', text: `attempt ${attempts} ${preparationText(null)}`, names: [] }
  if (attempt.child === null) return { kind: 'attempt', text: `attempt ${attempts} is running`, names: [] }
  const child = childOf?.(attempt.child)
  const then = child === undefined ? null : runWaitsFor(child, childOf)
  const text = `waits for ${attempt.child}${then === null ? '' : `, which ${then}`}`
  return { kind: 'attempt', text, names: [attempt.child] }
}

/** What a run as a whole waits for, in words: its pause, else what ends soonest by itself; null when it has its outcome. */
function runWaitsFor(state: ExecutionState, childOf: ChildOf | undefined): string | null {
  if (isFinished(state)) return null
  if (state.paused) return waitsForResume(state)
  const waits = [...state.nodes.keys()]
    .map((id) => waitingFor(state, id, childOf))
    .filter((one) => one !== null)
  const first = WAIT_ORDER.flatMap((kind) => waits.filter((one) => one.kind === kind))[0]
  return first?.text ?? null
}

/** Of several waits the first of these is named: work first, since it ends by itself; other nodes last. */
const WAIT_ORDER = ['attempt', 'worker', 'timer', 'engine', 'slot', 'people', 'event', 'nodes'] as const

function waitsForResume({ pauses, parent }: ExecutionState): string {
  return pauses.parent !== null && parent !== null
    ? `waits for its parent ${parent.executionId} to be resumed`
    : 'waits for the run to go on'
}

/** What the items of a forEach that are not over wait for: those at work first, as they end by themselves. */
function waitingForItems(state: ExecutionState, id: string, items: ItemsState): WaitingFor {
  const left = items.total - items.completed - items.errors.length
  const children = [...state.inFlight.values()].flatMap(({ node, child }) =>
    node === id && child !== null ? [child] : [],
  )
  const timed = [...state.timers.all()].filter(
    ({ node, kind }) => node === id && (kind === 'wait' || kind === 'retry'),
  )
  const next = timed.reduce<Timer | null>(
    (first, at) => (first && first.dueAt <= at.dueAt ? first : at),
    null,
  )
  const waits = timed.filter(({ kind }) => kind === 'wait').length
  const waitsFor = (kind: WaitingFor['kind'], what: string, names: readonly string[] = []): WaitingFor => ({
    kind,
    text: `${left} of ${items.total} items are to come, ${what}`,
    names,
  })
  if (children.length > 0) {
    const more =
      children.length > MOST_CHILDREN_NAMED ? ` and ${children.length - MOST_CHILDREN_NAMED} more` : ''
    const named = `${children.slice(0, MOST_CHILDREN_NAMED).join(', ')}${more}`
    return waitsFor('attempt', `${items.running} of them running: waits for ${named}`, children)
  }
  if (items.running > waits) {
    const unbegun = [...state.inFlight.values()].filter(
      (one) => one.node === id && one.beginBy !== null,
    ).length
    const then = unbegun === 0 ? '' : `, ${unbegun} of these still to begin`
    return waitsFor('attempt', `${items.running} of them running${then}`)
  }
  if (next !== null) {
    const what = next.kind === 'wait' ? 'the next waits until' : 'the next is tried again at'
    return waitsFor('timer', `${what} ${formatInstant(next.dueAt)}`)
  }
  return state.paused
    ? waitsFor('people', 'and wait for the run to go on')
    : waitsFor('slot', 'and wait for a free slot')
}

const MOST_CHILDREN_NAMED = 10

/** What a run waits for before it starts: its pipeline has `maxRunning` runs already. */
export function waitsForRun({ pipeline }: ExecutionState): string {
  const limit = pipeline.runsLimit?.limit
  const most = limit === undefined ? '' : ` (at most ${limit} at once)`
  return `waits for a run of pipeline ${pipeline.definition.id} to end${most}`
}

function pending(state: ExecutionState, id: string): WaitingFor | null {
  const compiled = state.pipeline.nodes.get(id)
  if (compiled === undefined) return null
  if (state.startedAt === null && !isFinished(state)) {
    const then = state.paused ? ', and then for the run to go on' : ''
    return { kind: 'slot', text: `${waitsForRun(state)}${then}`, names: [] }
  }
  if (compiled.finally && !isFinished(state))
    return { kind: 'nodes', text: 'runs after the end of the run', names: [] }
  const producers = new Set<string>()
  const external = new Set<string>()
  const note = (type: string) => {
    const { level, node: source } = eventTypeOf(type)
    if (state.events.has(type)) return
    if (level === 'external') external.add(type)
    else if (level !== 'pipeline' && !isTerminal(nodeOf(state, source).status)) producers.add(source)
  }
  for (const type of compiled.gateEvents) note(type)
  const asked = new Set(compiled.gateConditions.flatMap(({ reads }) => reads.map(({ root }) => root)))
  if (asked.size > 0)
    for (const source of state.pipeline.conditionReaders.keys())
      if (asked.has(source) && !isTerminal(nodeOf(state, source).status)) producers.add(source)
  if (evaluateGate(state, compiled).onlyExternalPending && external.size > 0) {
    return { kind: 'event', text: `waits for ${[...external].join(' or ')}`, names: [...external] }
  }
  if (producers.size === 0)
    return state.paused ? { kind: 'people', text: waitsForResume(state), names: [] } : null
  return { kind: 'nodes', text: `waits for ${[...producers].join(', ')}`, names: [...producers] }
}
