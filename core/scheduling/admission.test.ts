import { describe, expect, it } from 'vitest'
import type { EngineInput } from '@/core/engine/input'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import { CHILDREN, ONE_CHILD, ONE_SLOT, SLOTS } from '@/core/pipeline/definition/demand'
import { compiled, heavy, noop } from '@/testing/engine-run'
import { Admission, standingOf } from './admission'
import { AGEING_MS, turnOf } from './rank'

const pipeline = compiled({ nodes: [heavy('n'), noop('a')] })
const tick: EngineInput = { type: 'tick' }

const placesOf = (slots: number, children: number) =>
  new Map([
    [SLOTS, slots],
    [CHILDREN, children],
  ])

function run(id: string, changes: Partial<ExecutionState> = {}): ExecutionState {
  return { ...emptyState(id, pipeline), seq: 1, priority: 5, ...changes }
}
const going = (id: string, changes: Partial<ExecutionState> = {}) =>
  run(id, { lifecycle: 'EXECUTING', ...changes })
const holding = (id: string, slots: number) =>
  going(id, { held: new Map(slots === 0 ? [] : [[SLOTS, slots]]) })
const waitingForSlot = (id: string, changes: Partial<ExecutionState> = {}) =>
  going(id, { awaitingSlot: new Set(['n']), ...changes })

/** The pool without room for one more attempt of the execution. */
const shortageOf = (admission: Admission, state: ExecutionState, input: EngineInput = tick) =>
  admission.contextOf(state, input).shortage(ONE_SLOT, state.held)

describe('admission of nodes', () => {
  it('admits while slots are free and nobody waits', () => {
    const admission = new Admission(new Map([[SLOTS, 2]]))
    admission.update(holding('x', 1), [], 0)
    expect(shortageOf(admission, going('y'))).toBeNull()
    admission.update(holding('x', 2), [], 0)
    expect(shortageOf(admission, going('y'))).toMatchObject({
      pool: SLOTS,
      reason: 'full',
      used: 2,
      capacity: 2,
    })
    admission.update(waitingForSlot('y'), [], 0)
    admission.update(holding('x', 1), [], 0)
    expect(shortageOf(admission, going('z'))).toMatchObject({ reason: 'behind_others' })
    expect(admission.next(0)).toMatchObject({ kind: 'node', executionId: 'y', nodeId: 'n' })
    expect(shortageOf(admission, going('z'))).toBeNull()
    expect(admission.inUse).toBe(1)
  })

  it('who was admitted takes the one that it was given, past those who wait, and no more', () => {
    const admission = new Admission(new Map([[SLOTS, 2]]))
    admission.update(waitingForSlot('y'), [], 1)
    admission.update(waitingForSlot('z'), [], 2)
    expect(admission.next(0)).toMatchObject({ executionId: 'y' })
    const admit: EngineInput = { type: 'admit', node: 'n' }
    expect(shortageOf(admission, going('y'), admit)).toBeNull()
    expect(shortageOf(admission, holding('y', 1), admit)).toMatchObject({ reason: 'behind_others' })
  })

  it('an execution whose own slot became free in the same step may use it', () => {
    const admission = new Admission(new Map([[SLOTS, 1]]))
    admission.update(holding('x', 1), [], 0)
    expect(shortageOf(admission, holding('x', 1))).toMatchObject({ reason: 'full' })
    expect(shortageOf(admission, holding('x', 0))).toBeNull()
  })

  it('one that leaves memory gives back what it holds, and waits no more', () => {
    const admission = new Admission(new Map([[SLOTS, 1]]))
    admission.update(holding('x', 1), [], 0)
    admission.update(waitingForSlot('y'), [], 0)
    expect(admission.queue()).toHaveLength(1)
    admission.leave(going('y'), false)
    admission.leave(going('x'), false)
    expect(admission.queue()).toEqual([])
    expect([admission.next(0), admission.inUse]).toEqual([null, 0])
  })

  it('a step of priority is worth a minute of waiting: nobody starves', () => {
    const old = { priority: 0, since: 0, share: 0 }
    expect(turnOf({ ...old, priority: 5, since: 5 * AGEING_MS - 1 })).toBeLessThan(turnOf(old))
    expect(turnOf({ ...old, priority: 5, since: 5 * AGEING_MS + 1_000 })).toBeGreaterThan(turnOf(old))
  })
})

/** How the pipeline `p` is limited, and a question of a run that would begin. */
function limited(limit: number, whenFull: 'queue' | 'skip' | 'refuse' = 'queue') {
  const admission = new Admission(new Map([[SLOTS, 100]]))
  admission.limitRuns('p', { limit, whenFull })
  return { admission, ask: (id: string) => admission.contextOf(run(id), tick).admitRun() }
}

describe('admission of runs', () => {
  it('[R-68][R-74] counts from the start to the terminal event, and not children', () => {
    expect(standingOf(emptyState('x', pipeline))).toBe('none')
    expect(standingOf(run('x'))).toBe('waits')
    expect(standingOf(going('x'))).toBe('holds')
    expect(standingOf(run('x', { lifecycle: 'COMMIT', finishedAt: 1 }))).toBe('none')
    const parent = {
      executionId: 'y',
      key: { node: 'n', generation: 1, item: null, attempt: 1, token: 1 },
      depth: 1,
    }
    expect(standingOf(going('x', { parent }))).toBe('none')
    // A run that is taken up again counts again.
    expect(standingOf(run('x', { lifecycle: 'PENDING', finishedAt: null, generation: 2 }))).toBe('waits')
  })

  it('admits by priority, then age, and nobody passes those who wait', () => {
    const { admission, ask } = limited(1)
    expect(ask('a')).toBe('free')
    admission.update(going('a'), [], 0)
    expect(ask('b')).toBe('wait')
    admission.update(run('late', { createdAt: 2_000 }), [], 0)
    admission.update(run('early', { createdAt: 1_000 }), [], 0)
    admission.update(run('urgent', { createdAt: 3_000, priority: 9 }), [], 0)
    expect(admission.next(0)).toBeNull()
    expect(admission.runsOf('p')).toMatchObject({ holders: ['a'], waiting: ['urgent', 'early', 'late'] })
    admission.update(run('a', { lifecycle: 'FAILED', finishedAt: 5 }), [], 0)
    expect(ask('new')).toBe('wait')
    expect(admission.next(0)).toMatchObject({ kind: 'run', pipelineId: 'p', executionId: 'urgent' })
    // It counts before its step is made.
    expect(admission.next(0)).toBeNull()
    admission.update(run('urgent', { priority: 9 }), [], 0)
    expect(ask('urgent')).toBe('free')
    admission.leaveRun('p', 'urgent')
    admission.update(run('early', { lifecycle: 'CANCELLED', finishedAt: 5 }), [], 0)
    expect(admission.next(0)).toMatchObject({ executionId: 'late' })
  })

  it('a limit that goes lets all go that wait', () => {
    const { admission, ask } = limited(1, 'refuse')
    admission.update(going('a'), [], 0)
    expect(ask('b')).toBe('refuse')
    admission.limitRuns('p', { limit: 1, whenFull: 'queue' })
    admission.update(run('b', { createdAt: 1 }), [], 0)
    admission.update(run('c', { createdAt: 2 }), [], 0)
    admission.limitRuns('p', null)
    expect([admission.next(0), admission.next(0), admission.next(0)]).toMatchObject([
      { executionId: 'b' },
      { executionId: 'c' },
      null,
    ])
    for (const id of ['a', 'b', 'c']) admission.leaveRun('p', id)
    expect(admission.runsOf('p')).toEqual({ limit: null, whenFull: 'queue', holders: [], waiting: [] })
    expect(new Admission(new Map([[SLOTS, 1]])).contextOf(run('x'), tick).admitRun()).toBe('free')
  })
})

describe('admission of child processes', () => {
  const scripts = (id: string, children: number) =>
    going(id, {
      held: new Map([
        [SLOTS, children],
        [CHILDREN, children],
      ]),
    })

  it('[R-90] is one of the pools: whoever needs none passes those who wait for one', () => {
    const admission = new Admission(placesOf(10, 2))
    admission.update(scripts('x', 2), [], 0)
    const asked = admission.contextOf(going('y'), tick)
    expect(asked.shortage(ONE_CHILD, new Map())).toMatchObject({
      pool: CHILDREN,
      reason: 'full',
      capacity: 2,
    })
    admission.update(waitingForSlot('y'), [], 0)
    expect(admission.next(0)).toBeNull()
    expect(asked.shortage(ONE_SLOT, new Map())).toBeNull()
    expect(admission.poolOf(CHILDREN)).toMatchObject({ capacity: 2, used: 2, waiting: 1, executions: ['x'] })
    admission.update(scripts('x', 1), [], 0)
    expect(admission.next(0)).toMatchObject({ executionId: 'y', nodeId: 'n' })
  })

  it('[R-90] counts work that belongs to no run, until it has ended', () => {
    const admission = new Admission(placesOf(10, 1))
    const vacate = admission.occupy(ONE_CHILD, 'a trial')
    const other = admission.occupy(ONE_CHILD, 'a trial')
    expect(admission.poolOf(CHILDREN)).toMatchObject({
      used: 2,
      executions: [],
      others: [
        { what: 'a trial', amount: 1 },
        { what: 'a trial', amount: 1 },
      ],
    })
    expect(admission.inUse).toBe(2)
    admission.update(waitingForSlot('y'), [], 0)
    vacate()
    vacate()
    expect(admission.next(0)).toBeNull()
    other()
    expect(admission.next(0)).toMatchObject({ executionId: 'y' })
    expect(admission.poolOf('nobody knows it')).toMatchObject({
      capacity: null,
      used: 0,
      waiting: 0,
      others: [],
    })
  })
})
