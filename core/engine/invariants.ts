import { sumOf } from '@/core/pipeline/definition/demand'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { evolve } from './fold/evolve'
import type { Entry } from './event'
import type { ExecutionState, ItemsState } from './state'
import { attemptId, emptyState, isFinished, isRollingBack, isTerminal, nodeOf } from './state'
import { writerOf } from './fold/superseded'
import type { Timer } from './timers'
import { isHeld } from './pauses'
import { childStep } from './child-step'
import { waitingFor, type ChildOf } from './view/waiting-for'

/**
 * What must hold of every state between two steps. Answers with the violations, in words; none is the only good answer.
 * Indexes are compared with a rebuild from the nodes; every node that is not terminal must name who acts next. With `childOf` that
 * question goes on into children: give it those that nobody is about to bring to what their parent wants.
 */
export function violations(state: ExecutionState, childOf?: ChildOf): string[] {
  const found: string[] = []
  const expect = (holds: boolean, what: string) => {
    if (!holds) found.push(`${state.executionId}@${state.seq}: ${what}`)
  }
  let open = 0
  let openFinally = 0
  let active = 0
  for (const [id, node] of state.nodes) {
    const compiled = state.pipeline.nodes.get(id)
    if (!isTerminal(node.status)) {
      if (compiled?.finally) openFinally += 1
      else open += 1
      if (state.seq > 0)
        expect(waitingFor(state, id, childOf) !== null, `'${id}' is ${node.status} and nobody acts next`)
    }
    const timed = node.status === 'waiting' && node.approval === null
    if (node.status === 'queued' || node.status === 'running' || node.status === 'retrying' || timed)
      active += 1
    const attempt = state.inFlight.get(attemptId(id, null))
    const compensates = attempt?.compensates === true
    expect(
      (attempt !== undefined && !compensates) ===
        ((node.status === 'running' && node.items === null) || timed),
      `'${id}' is ${node.status} and ${attempt ? 'has' : 'has no'} attempt in flight`,
    )
    expect(
      compensates === (isRollingBack(state) && state.rollback?.steps.get(id)?.status === 'running'),
      `'${id}' is ${compensates ? '' : 'not '}being undone, and its step says otherwise`,
    )
    if (attempt !== undefined) {
      expect(attempt.token === node.token, `'${id}' has token ${node.token} and its attempt ${attempt.token}`)
      expect(
        attempt.deadline === (state.timers.get('attempt_timeout', id)?.dueAt ?? null),
        `the timeout of '${id}' is not armed as its attempt says`,
      )
      expect(
        attempt.beginBy === (state.timers.get('begin', id)?.dueAt ?? null),
        `the latest beginning of '${id}' is not armed as its attempt says`,
      )
      expect(
        attempt.beginBy === null || attempt.deadline === null,
        `the timeout of '${id}' runs before its work does`,
      )
    }
    if (node.status === 'running' && node.items !== null) itemsHold(state, id, node.items, expect)
    if (timed)
      expect(state.timers.get('wait', id) !== undefined, `'${id}' waits for a time that no timer holds`)
    const due = node.status === 'waiting' ? (node.approval?.dueAt ?? null) : null
    expect(
      due === (state.timers.get('approval', id)?.dueAt ?? null),
      `the deadline of approval '${id}' is not armed`,
    )
    if (state.closedAt !== null)
      expect(isTerminal(node.status), `the run is closed and '${id}' is ${node.status}`)
  }
  rollbackHolds(state, expect)
  if (childOf !== undefined) childrenHold(state, childOf, expect)
  expect(
    state.paused === isHeld(state.pauses),
    'the run is paused and nobody holds it, or the other way round',
  )
  const written = [...state.variables.keys()].filter((name) => state.nodes.has(writerOf(name)))
  const listed = [...state.writes].flatMap(([id, names]) => names.filter((name) => writerOf(name) === id))
  expect(
    written.toSorted().join() === listed.toSorted().join(),
    'variables are not listed with their writers',
  )
  expect(open === state.open, `open is ${state.open}, rebuilt ${open}`)
  expect(openFinally === state.openFinally, `openFinally is ${state.openFinally}, rebuilt ${openFinally}`)
  expect(active === state.active, `active is ${state.active}, rebuilt ${active}`)
  const held = new Map<string, number>()
  for (const { demands } of state.inFlight.values())
    for (const { pool, amount } of demands) held.set(pool, sumOf(held.get(pool) ?? 0, amount))
  const words = (pools: ReadonlyMap<string, number>) => JSON.stringify([...pools].sort())
  expect(words(held) === words(state.held), `held is ${words(state.held)}, rebuilt ${words(held)}`)
  for (const timer of state.timers.all())
    expect(timer.dueAt >= (state.timers.next()?.dueAt ?? Infinity), 'a timer is due before the next one')
  if (isFinished(state)) expect(state.open === 0, 'the run has its outcome and nodes of it are open')
  return found
}

/** While a run rolls back somebody acts next: a node that is being stopped, a compensation, or the timer of one or of the run. */
function rollbackHolds(state: ExecutionState, expect: (holds: boolean, what: string) => void): void {
  const { rollback } = state
  if (!isRollingBack(state)) return
  expect(rollback !== null, 'the run rolls back and has no plan')
  if (rollback === null) return
  const { steps, after, ended } = rollback
  const moving = [...steps.values()].filter(({ status }) => MOVING.has(status))
  expect(
    state.open > 0 || moving.length > 0 || (ended && state.timers.get('restart', '') !== undefined),
    'the run rolls back and nobody acts next',
  )
  for (const [id, { status }] of steps) {
    const isUndone = nodeOf(state, id).status === 'rolled_back'
    expect(
      isUndone === (status === 'completed'),
      `'${id}' is ${isUndone ? '' : 'not '}undone and its step ${status}`,
    )
    expect(
      (status === 'retrying') === (state.open === 0 && state.timers.get('retry', id) !== undefined),
      `the next try to undo '${id}' is not armed as its step says`,
    )
    const begun = status !== 'pending'
    const early = begun ? (after.get(id) ?? []).filter((other) => !OVER.has(steps.get(other)!.status)) : []
    expect(early.length === 0, `'${id}' is undone before ${early.join(', ')}, which may have used it`)
  }
}

const MOVING: ReadonlySet<string> = new Set(['running', 'queued', 'retrying'])
const OVER: ReadonlySet<string> = new Set(['completed', 'skipped'])

/** A child that is not as its parent wants it: nobody would act next for it, or it works although nobody wants it to. */
function childrenHold(
  state: ExecutionState,
  childOf: ChildOf,
  expect: (holds: boolean, what: string) => void,
): void {
  for (const attempt of state.inFlight.values()) {
    const child = attempt.child === null ? undefined : childOf(attempt.child)
    const missing = child === undefined ? null : childStep(state, child)
    const what = `'${attempt.node}' waits for ${attempt.child}, and nobody does what it needs: ${missing?.do}`
    expect(missing === null, what)
  }
}

/** Every item has exactly one state, and those that run have an attempt. */
function itemsHold(
  state: ExecutionState,
  id: string,
  items: ItemsState,
  expect: (holds: boolean, what: string) => void,
): void {
  const running = [...state.inFlight.values()].filter((attempt) => attempt.node === id).length
  expect(running === items.running, `'${id}' has ${items.running} items running, ${running} in flight`)
  const begun =
    items.running + items.retries.size + items.queued.length + items.completed + items.errors.length
  expect(begun === items.next, `'${id}' has begun ${items.next} items, and ${begun} are somewhere`)
  for (const item of items.retries.keys())
    expect(state.timers.get('retry', id, item) !== undefined, `item ${item} of '${id}' has no timer`)
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'skipped', 'cancelled'])

/**
 * What must hold of every log: seq without gaps, one terminal event and one completion of a node per generation, no
 * start after the outcome but of finally nodes, nothing after `closed` but a restart. What a restart resets is of its generation.
 */
export function logViolations(entries: readonly Entry[], finallyNodes: readonly string[]): string[] {
  const found: string[] = []
  const terminal = new Set([
    'pipeline.completed',
    'pipeline.failed',
    'pipeline.cancelled',
    'pipeline.rolled_back',
  ])
  const once = new Map<string, number>()
  let outcomeAt: number | null = null
  let closedAt: number | null = null
  entries.forEach(({ event }, index) => {
    const say = (what: string) => found.push(`${event.execution_id}@${event.seq}: ${what}`)
    if (event.seq !== index + 1) say(`seq ${event.seq} stands at position ${index + 1}`)
    if (event.type === 'pipeline.restarted' || event.type === 'pipeline.rolling_back')
      outcomeAt = closedAt = null
    if (closedAt !== null) say(`${event.type} after the end`)
    const source = event.source.entity_id
    const { level, word } = eventTypeOf(event.type)
    const ends = level === 'node' && ENDS.has(word)
    const key = terminal.has(event.type)
      ? `outcome/${event.generation}`
      : ends
        ? `end of ${source}/${event.generation}`
        : level === 'node' && word === 'started'
          ? `start of ${source}/${event.generation}`
          : null
    if (key !== null) {
      const before = once.get(key)
      if (before !== undefined) say(`second ${key} (first at ${before})`)
      once.set(key, event.seq)
    }
    if (outcomeAt !== null && event.source.entity_type === 'node' && !finallyNodes.includes(source))
      say(`${event.type} after the outcome`)
    if (terminal.has(event.type)) outcomeAt = event.seq
    if (event.type === 'pipeline.closed') closedAt = event.seq
  })
  return found
}

const orderOf = (timer: Timer) => `${timer.kind}/${timer.node}/${timer.item}`

/** The state as plain data, for comparing a cold replay with the live state byte by byte. Work lists are left out. */
export function canonicalState(state: ExecutionState): string {
  const {
    pipeline: _pipeline,
    values: _values,
    dirty: _dirty,
    touched: _touched,
    awaitingSlot: _awaitingSlot,
    itemLists: _lists,
    wideWaits: _waits,
    timers,
    ...rest
  } = state
  const armed = [...timers.all()].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return JSON.stringify({ ...rest, timers: armed }, (_key, value: unknown) =>
    value instanceof Map
      ? [...(value as Map<string, unknown>)].sort((a, b) => (a[0] < b[0] ? -1 : 1))
      : value,
  )
}

/** Does a cold replay of the log give the state that is there? */
export function replayDiffers(state: ExecutionState, entries: readonly Entry[]): boolean {
  const cold = emptyState(state.executionId, state.pipeline)
  for (const entry of entries) evolve(cold, entry)
  return canonicalState(cold) !== canonicalState(state)
}
