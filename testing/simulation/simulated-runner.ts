import type { JsonObject } from '@/core/engine/event'
import type { AttemptHandle, AttemptRequest, AttemptResult, AttemptSink, Runner } from '@/server/ports/runner'
import type { World } from './world'

/** Where attempts run in a simulated world: results are a function of the request, times and losses are random. */
export class SimulatedRunner implements Runner {
  /** Idempotency keys whose work was done at least once, over all epochs. */
  readonly worked = new Set<string>()
  constructor(
    private readonly world: World,
    /** Probability that a worker is lost. */
    private readonly lossRate: number,
  ) {}

  dispatch(request: AttemptRequest, sink: AttemptSink): AttemptHandle {
    const { world } = this
    const epoch = world.epoch
    const heavy = request.task === 'script.javascript'
    let over = false
    const done = (result: AttemptResult) => {
      if (over || world.epoch !== epoch) return
      over = true
      sink.done(result)
    }
    world.schedule(world.now + world.random.whole(0, heavy ? 2_000 : 5), () => {
      if (over) return
      if (heavy && world.random.chance(0.2)) sink.progress({ ratio: world.random.next(), message: 'so far' })
      if (heavy && world.random.chance(this.lossRate)) return done({ ok: 'lost', reason: 'the worker died' })
      this.worked.add(request.idempotencyKey)
      done(resultOf(request))
    })
    return {
      abort: (reason) =>
        void world.schedule(world.now + world.random.whole(0, 50), () => {
          const kind = reason === 'timeout' ? 'timeout' : 'cancelled'
          done({ ok: false, error: { kind, message: reason } })
        }),
    }
  }

  async stop(): Promise<void> {}
}

function resultOf({ task, input }: AttemptRequest): AttemptResult {
  if (task === 'fail') return { ok: false, error: { kind: 'task_failed', message: String(input['message']) } }
  const outputs: JsonObject = task === 'set' ? input : task === 'script.javascript' ? { result: 1 } : {}
  return { ok: true, outputs }
}
