import { CHILDREN } from '@/core/pipeline/definition/demand'
import type { Json, JsonObject } from '@/core/engine/event'
import type {
  AttemptFiles,
  AttemptHandle,
  AttemptRequest,
  AttemptResult,
  AttemptSink,
  Runner,
} from '@/server/ports/runner'
import { reportEnd, verdictOf } from '@/server/runner/attempt-result'
import { WorkQueue } from '@/server/runner/work-queue'
import { startWorkerLoop } from '@/server/runner/worker-loop'
import type { RunOrder, StopReason, WorkerLink } from '@/server/runner/worker-protocol'
import { taskCatalog } from '@/tasks/contracts'
import type { Faults } from './faults'
import type { World } from './world'

const tasksOf = (where: 'server' | 'child') =>
  [...taskCatalog.values()].filter(({ placement }) => placement === where).map(({ type }) => type)

/** No simulated task reads or makes a file. */
const NO_FILES: AttemptFiles = {
  get: async () => null,
  pathOf: () => '/nowhere',
  putFile: () => Promise.reject(new Error('no simulated task makes a file')),
}

/** A worker elsewhere that is silent for so long is given up. */
const LEASE_MS = 1_500

/**
 * Where attempts run in a simulated world: the real queue of work, and workers elsewhere whose results are a function of the order and whose
 * times and losses are random. It lives as long as the process of the server: a crash ends it, and the next one may take more or fewer
 * at once unless `capacity` says how many.
 */
export class SimulatedRunner implements Runner {
  #queue: WorkQueue | null = null
  #epoch = -1

  constructor(
    private readonly world: World,
    private readonly faults: Faults,
    private readonly capacity: number | null = null,
  ) {}

  dispatch(request: AttemptRequest, sink: AttemptSink): AttemptHandle {
    const { world, faults } = this
    const { random, epoch } = world
    const doubled: AttemptSink = {
      begun: () => sink.begun(),
      progress: (progress) => sink.progress(progress),
      log: (stream, text) => sink.log(stream, text),
      done(result) {
        sink.done(result)
        // A result may reach the engine twice all the same: the token is what counts.
        if (random.chance(faults.resultsDoubled))
          world.schedule(world.now + random.whole(0, 3_000), () => sink.done(resultOf(request)), epoch)
      },
    }
    return this.#current().dispatch(request, doubled)
  }

  preparation: Runner['preparation'] = (work, token) => this.#current().preparation(work, token)

  pools: Runner['pools'] = () => this.#current().pools()

  async stop(): Promise<void> {
    await this.#queue?.stop()
  }

  /** The queue of the present process. */
  #current(): WorkQueue {
    const { world, faults } = this
    if (this.#queue !== null && this.#epoch === world.epoch) return this.#queue
    this.#epoch = world.epoch
    this.#queue = new WorkQueue({
      clock: { now: () => world.now, at: (at, wake) => world.schedule(at, wake, world.epoch) },
      artifacts: NO_FILES,
      filesDir: '/nowhere',
      spoolDir: '/nowhere',
    })
    const capacity = this.capacity ?? world.random.whole(1, 4)
    const children = { pool: CHILDREN, tasks: tasksOf('child'), leaseMs: LEASE_MS, capacity }
    const server = { pool: 'server', tasks: tasksOf('server'), leaseMs: LEASE_MS, capacity: null }
    for (const hello of [children, server])
      startSimulatedWorker(this.#queue.connect(hello), { world, faults, capacity: hello.capacity })
    return this.#queue
  }
}

type Surroundings = { readonly world: World; readonly faults: Faults; readonly capacity: number | null }

function startSimulatedWorker(link: WorkerLink, { world, faults, capacity }: Surroundings): void {
  const { random, epoch } = world
  const loop = startWorkerLoop(link, capacity, (order) => {
    const { work, token } = order
    const heavy = order.task === 'script.javascript'
    let over = false
    const after = (most: number, run: () => void) =>
      world.schedule(world.now + random.whole(0, most), run, epoch)
    const end = (result: AttemptResult) => {
      if (over) return
      over = true
      loop.finished(order)
      void reportEnd(link, order, result)
      // A worker that was given up may still answer, and a message may arrive twice.
      if (random.chance(faults.resultsDoubled))
        after(3_000, () => void reportEnd(link, order, resultOf(order)))
    }
    const beat = () => {
      if (over) return
      void link.report({ type: 'heartbeat', work, token })
      world.schedule(world.now + LEASE_MS / 3, beat, epoch)
    }
    beat()
    const begins = !heavy || !random.chance(faults.workersStuck)
    if (begins) void link.report({ type: 'begin', work, token })
    const hangs = order.timeoutMs !== null && random.chance(faults.workersHang)
    if (begins && !hangs) {
      after(heavy ? 2_000 : 5, () => {
        if (over) return
        if (heavy && random.chance(0.2))
          void link.report({ type: 'progress', work, token, ratio: random.next(), message: 'so far' })
        if (!heavy || !random.chance(faults.workersLost)) return end(resultOf(order))
        // Either somebody notices that the worker died, or it is never heard of again.
        if (random.chance(0.5)) return end({ ok: 'lost', reason: 'the worker died' })
        over = true
        loop.finished(order)
      })
    }
    return { end: (reason: StopReason) => void after(50, () => end(verdictOf(reason))) }
  })
}

/** What comes of an attempt: its number and its item are in the work that the author of a random pipeline wrote. */
function resultOf({
  task,
  input,
  attempt,
  item,
}: Pick<RunOrder, 'task' | 'input' | 'attempt' | 'item'>): AttemptResult {
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
