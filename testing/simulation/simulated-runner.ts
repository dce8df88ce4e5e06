import type { Json, JsonObject } from '@/core/engine/event'
import type { AttemptHandle, AttemptRequest, AttemptResult, AttemptSink, Runner } from '@/server/ports/runner'
import type { Faults } from './faults'
import type { World } from './world'

/** Where attempts run in a simulated world: results are a function of the request, times and losses are random. */
export class SimulatedRunner implements Runner {
  constructor(
    private readonly world: World,
    private readonly faults: Faults,
  ) {}

  dispatch(request: AttemptRequest, sink: AttemptSink): AttemptHandle {
    const { world, faults } = this
    const { random, epoch } = world
    const heavy = request.task === 'script.javascript'
    let over = false
    const done = (result: AttemptResult) => {
      if (over) return
      over = true
      sink.done(result)
      // A worker that was given up may still answer, and a message may arrive twice: the token is what counts.
      if (random.chance(faults.resultsDoubled))
        world.schedule(world.now + random.whole(0, 3_000), () => sink.done(resultOf(request)), epoch)
    }
    const hangs = request.deadline !== null && random.chance(faults.workersHang)
    if (!hangs) {
      world.schedule(world.now + random.whole(0, heavy ? 2_000 : 5), () => {
        if (over) return
        if (heavy && random.chance(0.2)) sink.progress({ ratio: random.next(), message: 'so far' })
        if (heavy && random.chance(faults.workersLost)) done({ ok: 'lost', reason: 'the worker died' })
        else done(resultOf(request))
      })
    }
    return {
      abort: (reason) =>
        void world.schedule(world.now + random.whole(0, 50), () => {
          const kind = reason === 'timeout' ? 'timeout' : 'cancelled'
          done({ ok: false, error: { kind, message: reason } })
        }),
    }
  }

  async stop(): Promise<void> {}
}

function resultOf({ task, input, attempt, item }: AttemptRequest): AttemptResult {
  if (task === 'fail') return { ok: false, error: { kind: 'task_failed', message: String(input['message']) } }
  if (task === 'set') return { ok: true, outputs: input }
  if (task !== 'script.javascript') return { ok: true, outputs: {} }
  const fails = failuresOf(input['input'] ?? null)
  return attempt <= (fails[(item ?? 0) % fails.length] ?? 0)
    ? { ok: false, error: { kind: 'task_failed', message: 'not yet' } }
    : { ok: true, outputs: { result: 1 } }
}

/** How many attempts fail first, by item: `{ fails: [2, 0] }` is what the author of a random script wrote. */
function failuresOf(input: Json): readonly number[] {
  const fails = (input as JsonObject | null)?.['fails']
  return (fails as readonly number[] | undefined) ?? [0]
}
