import { describe, expect, it } from 'vitest'
import { EngineRun, S, gate, heavy, noop } from '@/testing/engine-run'
import { snapshotOf } from '@/core/engine/decide/fork'
import { historyOf, profileOf, type RunProfile } from './run-profile'
import { follow, newTimeline } from './timeline'

function profile(run: EngineRun): RunProfile {
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries) follow(timeline, entry)
  return profileOf(run.state, timeline)
}

const nodes = [
  heavy('a', S),
  heavy('short', S),
  heavy('b', 'event:a.completed && event:short.completed', {
    retry: { maxAttempts: 2, delay: '10ms', jitter: 0 },
  }),
  noop('never', 'event:b.failed'),
]

function played(a: number, b: number, options: ConstructorParameters<typeof EngineRun>[1] = {}) {
  const run = new EngineRun({ nodes }, options)
  run.now += 1
  if (options.mocks === undefined) run.complete('short')
  run.now += a - 1
  run.complete('a')
  run.now += b
  run.complete('b')
  return run
}

describe('the profile of a run', () => {
  it('[H-4] has how long each node took, and what it added to the critical path', () => {
    expect(profile(played(40, 7)).nodes).toEqual({
      a: { status: 'completed', attempts: 1, duration: 40, run: 40, queue: 0, wait: 0 },
      short: { status: 'completed', attempts: 1, duration: 1, run: 0, queue: 0, wait: 0 },
      b: { status: 'completed', attempts: 1, duration: 7, run: 7, queue: 0, wait: 0 },
      never: { status: 'skipped', attempts: 0, duration: null, run: 0, queue: 0, wait: 0 },
    })
  })

  it('separates the time without a slot and the time between two tries from work', () => {
    const run = new EngineRun({ nodes: nodes.slice(0, 3) }, { slots: 1 })
    run.now += 5
    run.complete('a')
    run.take({ type: 'admit', node: 'short' })
    run.now += 6
    run.complete('short')
    run.begin('b')
    run.now += 7
    run.fail('b')
    run.pass(10)
    run.now += 8
    run.complete('b')
    const { short, b } = profile(run).nodes
    expect(short).toMatchObject({ run: 6, queue: 5, wait: 0 })
    expect(b).toMatchObject({ attempts: 2, run: 15, queue: 0, wait: 10 })
  })

  it('has no duration of a node that data stood in for', () => {
    const mocked = played(40, 7, { mocks: { short: { outputs: { result: 1 } } } })
    expect(profile(mocked).nodes['short']).toMatchObject({ status: 'completed', duration: null })
  })

  it('[R-78] has no duration of a node that a fork took over: it took that time in another run', () => {
    const run = new EngineRun({ nodes })
    run.now += 40
    run.complete('a')
    const snapshot = snapshotOf(run.state, run.state.pipeline, { newInputs: false })
    const fork = new EngineRun({ nodes }, { origin: { executionId: 'x1', seq: run.state.seq, snapshot } })
    fork.now += 3
    fork.complete('short')
    fork.complete('b')
    expect(profile(fork).nodes['a']).toMatchObject({ status: 'completed', duration: null, run: 0 })
    expect(profile(fork).nodes['short']).toMatchObject({ duration: 3, run: 3 })
  })
})

describe('the history of nodes', () => {
  it('sums what each added, worst first; the median is of those that completed', () => {
    const failed = new EngineRun({ nodes: nodes.slice(0, 2) })
    failed.complete('short')
    failed.begin('a')
    failed.now += 500
    failed.fail('a')
    const profiles = [played(40, 70), played(10, 90), played(20, 80)].map(profile)
    const [b, a, short, never] = historyOf([...profiles, profile(failed)])
    expect([b!.id, a!.id, short!.id, never!.id]).toEqual(['a', 'b', 'short', 'never'])
    expect(b).toMatchObject({ median: 20, onPath: 4, run: 570 })
    expect(a).toMatchObject({ median: 80, onPath: 3, run: 240 })
    expect(a!.cells.map((cell) => cell?.duration ?? null)).toEqual([70, 90, 80, null])
    expect(a!.cells[3]).toBeNull()
    expect(never!.median).toBeNull()
  })

  it('of no runs is none, and an id that objects have is an id', () => {
    expect(historyOf([])).toEqual([])
    const run = new EngineRun({ nodes: [gate('constructor')] })
    expect(historyOf([profile(run)]).map(({ id }) => id)).toEqual(['constructor'])
    expect(historyOf([profile(run), { nodes: {} }])[0]!.cells[1]).toBeNull()
  })
})
