import { describe, expect, it } from 'vitest'
import type { AttemptSink } from '@/server/ports/runner'
import type { Trial } from '@/server/ports/trials'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import { verdictOf } from './attempt-result'
import { createTrials } from './trials'

const trial: Trial = {
  person: 'ada',
  nodeId: 'n',
  task: 'script.javascript',
  input: {},
  timeoutMs: 5_000,
  executions: [],
}

/** Trials on a virtual clock, of which the test plays the worker. */
function opened() {
  const world = new World(new Random(1))
  const occupied = new Set<string>()
  const sinks: AttemptSink[] = []
  const trials = createTrials({
    runner: {
      dispatch(_request, sink) {
        sinks.push(sink)
        return { abort: (reason) => sink.done(verdictOf(reason)) }
      },
    },
    artifacts: { get: async () => null, pathOf: () => '' },
    clock: world.clock(),
    ids: { execution: () => 'x', artifact: () => 'a' },
    occupy(_task, what) {
      occupied.add(what)
      return () => void occupied.delete(what)
    },
  })
  return { world, trials, occupied, sink: () => sinks[0]! }
}

async function whileTimePasses<T>({ world }: ReturnType<typeof opened>, promise: Promise<T>): Promise<T> {
  let over = false
  const end = promise.finally(() => (over = true))
  while (!over) await world.advance()
  return end
}

describe('the clock of a trial', () => {
  it('[R-90] runs from when its work begins, and its place is counted until it has ended', async () => {
    const at = opened()
    const run = at.trials.run(trial)
    expect([...at.occupied]).toEqual(["a trial of 'n'"])
    at.world.schedule(at.world.now + 40_000, () => at.sink().begun())
    expect(await whileTimePasses(at, run)).toMatchObject({
      result: { ok: false, error: { kind: 'timeout' } },
      durationMs: 5_000,
    })
    expect(at.occupied.size).toBe(0)
  })

  it('[R-90] does not run out before it begins: a trial that does not begin in its own time is lost', async () => {
    const at = opened()
    expect(await whileTimePasses(at, at.trials.run(trial))).toMatchObject({
      result: { ok: 'lost', reason: 'its work did not begin within 60 s: every child process is busy' },
      durationMs: 60_000,
    })
    expect(at.occupied.size).toBe(0)
  })
})
