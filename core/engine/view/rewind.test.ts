import { expect, it } from 'vitest'
import { EngineRun, heavy } from '@/testing/engine-run'
import { randomRun } from '@/testing/random-run'
import { Random } from '@/testing/simulation/random'
import { criticalChain } from '@/core/engine/timeline/chain'
import { evolve } from '@/core/engine/fold/evolve'
import { canonicalState } from '@/core/engine/invariants'
import { viewOf } from './project'
import { Rewind, type Folded } from './rewind'
import { emptyState } from '@/core/engine/state'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'

/** Many tries, so that the run is longer than what lies between copies. */
function longRun(): EngineRun {
  const retry = { maxAttempts: 400, strategy: 'fixed', delay: '1ms', jitter: 0 } as const
  const run = new EngineRun({ nodes: [heavy('a', undefined, { retry }), heavy('b', 'event:a.failed')] })
  while (run.node('a').status !== 'failed') {
    run.now += 1
    if (run.node('a').status === 'running') run.fail('a')
    else run.pass(1)
  }
  run.complete('b')
  return run
}

function cold(run: EngineRun, seq: number): Folded {
  const state = emptyState('x1', run.state.pipeline)
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries.slice(0, seq)) {
    evolve(state, entry)
    follow(timeline, entry)
  }
  return { state, timeline }
}

const shownOf = ({ state, timeline }: Folded, now: number) => ({
  state: canonicalState(state),
  view: viewOf(state, now, { timeline }),
  chain: criticalChain(timeline, now),
  intervals: [...timeline.nodes.values()].map(({ all, counts, spans }) => ({
    all,
    counts,
    spans: spans.length,
  })),
})

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'seed %i: going to any instant, in any order, gives the fold up to it',
  (seed) => {
    const random = new Random(seed)
    const run = seed === 8 ? longRun() : randomRun(seed)
    const rewind = new Rewind('x1', run.state.pipeline, run.entries)
    for (let turn = 0; turn < 40; turn += 1) {
      const seq = random.whole(0, run.entries.length)
      expect(shownOf(rewind.at(seq), run.now), `seq ${seq}`).toEqual(shownOf(cold(run, seq), run.now))
    }
  },
)

it('a step folds what lies between two copies at most, and one entry forward', () => {
  const { entries, state } = longRun()
  expect(entries.length).toBeGreaterThan(1_000)
  let reads = 0
  const counted = new Proxy(entries, {
    get(target, key) {
      if (typeof key === 'string' && /^[0-9]+$/.test(key)) reads += 1
      return Reflect.get(target, key) as unknown
    },
  })
  const rewind = new Rewind('x1', state.pipeline, counted)
  rewind.at(entries.length)
  reads = 0
  for (let seq = entries.length - 1; seq > entries.length - 100; seq -= 1) {
    const before = reads
    rewind.at(seq)
    expect(reads - before).toBeLessThanOrEqual(256)
  }
  rewind.at(700)
  reads = 0
  rewind.at(701)
  expect(reads).toBe(1)
})

it('goes on when the run does, and is at its last entry beyond it', () => {
  const run = new EngineRun({ nodes: [heavy('a')] })
  const rewind = new Rewind('x1', run.state.pipeline, run.entries)
  const before = run.entries.length
  expect(rewind.at(99).state.seq).toBe(before)
  run.complete('a')
  expect(rewind.at(99).state.lifecycle).toBe('COMMIT')
  expect(rewind.at(before).state.lifecycle).toBe('EXECUTING')
  expect(rewind.at(-1).state.seq).toBe(0)
})
