import type { Preparation } from '@/core/engine/view/preparation'
import type { Clock } from '@/server/ports/clock'
import type {
  AttemptFiles,
  AttemptHandle,
  AttemptRequest,
  AttemptResult,
  AttemptSink,
  WorkerPool,
} from '@/server/ports/runner'
import { verdictOf } from './attempt-result'
import { openFile, storeFile } from './serve-files'
import type { Order, Receipt, Report, StopReason, WorkerHello, WorkerLink } from './worker-protocol'
import { Connection, Pool, type Lease } from './worker-pools'

export type WorkQueueOptions = {
  readonly clock: Pick<Clock, 'now' | 'at'>
  readonly artifacts: AttemptFiles
  /** Folder of the files that pipelines may read by relative path. */
  readonly filesDir: string
  /** Folder for files that arrive from a worker elsewhere, until they are artifacts. */
  readonly spoolDir: string
}

/**
 * The server's side of the worker protocol: attempts wait here for workers, and each ends exactly once. Two attempts of the same work are
 * never with workers at once: the later one waits until the earlier one has ended or its lease is over.
 * `done` never comes inside `dispatch` or `abort`.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #pools = new Map<string, Pool>()
  readonly #poolOfTask = new Map<string, Pool>()
  /** The attempt of each work that waits or runs; later ones follow it by `next`. */
  readonly #current = new Map<string, Lease>()
  #open = 0
  #stopped = false
  #allEnded: (() => void) | null = null

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** A worker joins. Its tasks are fixed by the first worker of its pool. */
  connect(hello: WorkerHello): WorkerLink {
    const pool = this.#pools.get(hello.pool) ?? new Pool(hello.pool, hello.tasks)
    this.#pools.set(hello.pool, pool)
    for (const task of hello.tasks) this.#poolOfTask.set(task, pool)
    const connection = new Connection(pool, hello.leaseMs, hello.capacity === undefined ? 0 : hello.capacity)
    pool.connections.add(connection)
    return {
      claim: ({ capacity }) => {
        const claimed = connection.claim(capacity)
        this.#serve(pool)
        return claimed
      },
      report: (report) => this.#report(connection, report),
      open: async (file) => {
        const lease = this.#held(connection, file)
        if (typeof lease === 'string') return refusedFile(lease)
        return openFile(lease, this.#options.filesDir, file)
      },
      store: async (file, content) => {
        const lease = this.#held(connection, file)
        if (typeof lease === 'string') return refusedFile(lease)
        return storeFile(lease, this.#options.spoolDir, { ...file, content })
      },
      close: (reason) => this.#close(connection, reason),
    }
  }

  /** Hands an attempt to whichever worker claims it. A task that no worker knows fails. */
  dispatch(
    request: AttemptRequest,
    sink: AttemptSink,
    files: AttemptFiles = this.#options.artifacts,
  ): AttemptHandle {
    const pool = this.#poolOfTask.get(request.task)
    if (pool === undefined || this.#stopped) {
      const result = this.#stopped ? verdictOf('shutdown') : unknownTask(request.task)
      queueMicrotask(() => sink.done(result))
      return { abort: () => undefined }
    }
    const lease: Lease = {
      request,
      sink,
      files,
      pool,
      state: 'waiting',
      verdict: null,
      begun: false,
      worker: null,
      expiresAt: Infinity,
      forgetExpiry: null,
      next: null,
    }
    this.#open += 1
    const earlier = this.#current.get(request.idempotencyKey)
    if (earlier === undefined) {
      this.#current.set(request.idempotencyKey, lease)
      this.#wait(lease)
    } else {
      lease.state = 'blocked'
      lastOf(earlier).next = lease
    }
    return { abort: (reason) => this.#abort(lease, reason) }
  }

  /** What the workers of each pool can hold at once, what they hold, and what waits for them. */
  pools(): readonly WorkerPool[] {
    return [...this.#pools.values()].map((pool) => pool.view())
  }

  /** What an attempt that has not begun waits for. */
  preparation(work: string, token: number): Preparation | null {
    const current = this.#current.get(work)
    for (let lease = current ?? null; lease !== null; lease = lease.next) {
      if (lease.request.token !== token) continue
      if (lease.state === 'blocked') return { waitsFor: 'earlier_attempt', attempt: current!.request.attempt }
      if (lease.state === 'waiting') return { waitsFor: 'worker' }
      return lease.state === 'running' && !lease.begun ? { waitsFor: 'process' } : null
    }
    return null
  }

  /** Ends every attempt as lost; resolves when no worker holds one any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    for (const head of [...this.#current.values()])
      for (let lease: Lease | null = head; lease !== null; lease = lease.next) this.#abort(lease, 'shutdown')
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#allEnded = resolve))
    for (const pool of this.#pools.values())
      for (const connection of [...pool.connections]) this.#close(connection, 'the server is shutting down')
  }

  #wait(lease: Lease): void {
    lease.state = 'waiting'
    lease.pool.waiting.add(lease)
    this.#serve(lease.pool)
  }

  /** Answers the claims of a pool's workers, as far as there are orders for them. */
  #serve(pool: Pool): void {
    for (const connection of pool.connections) {
      if (!connection.claims()) continue
      const orders: Order[] = connection.takeStops()
      while (connection.hasRoom()) {
        const lease = pool.waiting.take()
        if (lease === null) break
        orders.push(this.#grant(lease, connection))
      }
      if (orders.length > 0) connection.answer(orders)
    }
  }

  #grant(lease: Lease, connection: Connection): Order {
    lease.state = 'running'
    lease.worker = connection
    connection.held.add(lease)
    const { leaseMs } = connection
    if (leaseMs !== null) this.#renew(lease, leaseMs)
    const { idempotencyKey: work, token, task, attempt, item, input, timeoutMs, traceparent } = lease.request
    const traced = traceparent === undefined ? {} : { traceparent }
    return { type: 'run', work, token, task, attempt, item, input, timeoutMs, leaseMs, ...traced }
  }

  #renew(lease: Lease, leaseMs: number): void {
    const { clock } = this.#options
    lease.expiresAt = clock.now() + leaseMs
    lease.forgetExpiry ??= clock.at(lease.expiresAt, () => this.#expire(lease, leaseMs))
  }

  #expire(lease: Lease, leaseMs: number): void {
    lease.forgetExpiry = null
    if (lease.state !== 'running') return
    const { clock } = this.#options
    if (clock.now() < lease.expiresAt)
      lease.forgetExpiry = clock.at(lease.expiresAt, () => this.#expire(lease, leaseMs))
    else this.#end(lease, { ok: 'lost', reason: `the worker has not reported for ${leaseMs} ms` })
  }

  /** The attempt of a message, when this worker holds it under this token. */
  #held(
    connection: Connection,
    { work, token }: { work: string; token: number },
  ): Lease | 'old_token' | 'unknown' {
    const lease = this.#current.get(work)
    if (lease === undefined) return 'unknown'
    if (lease.request.token !== token) return 'old_token'
    return lease.worker === connection && lease.state === 'running' ? lease : 'unknown'
  }

  #report(connection: Connection, report: Report): Receipt {
    const lease = this.#held(connection, report)
    if (typeof lease === 'string') return { accepted: false, why: lease }
    if (connection.leaseMs !== null) this.#renew(lease, connection.leaseMs)
    switch (report.type) {
      case 'heartbeat':
        break
      case 'begin':
        this.#begin(lease)
        break
      case 'log':
        for (const { stream, text, agoMs } of report.lines) lease.sink.log(stream, text, agoMs)
        break
      case 'progress':
        lease.sink.progress({ ratio: report.ratio, message: report.message })
        break
      case 'complete':
        this.#end(lease, { ok: true, outputs: report.outputs })
        break
      case 'fail':
        this.#end(lease, { ok: false, error: report.error })
        break
      case 'lose':
        this.#end(lease, { ok: 'lost', reason: report.reason })
        break
    }
    return ACCEPTED
  }

  /** One that was ended from outside meanwhile does not begin any more. */
  #begin(lease: Lease): void {
    if (lease.begun || lease.verdict !== null) return
    lease.begun = true
    lease.sink.begun()
  }

  #abort(lease: Lease, reason: StopReason): void {
    if (lease.state === 'ended' || lease.verdict !== null) return
    lease.verdict = verdictOf(reason)
    const { idempotencyKey: work, token } = lease.request
    if (lease.worker !== null) {
      lease.worker.stops.push({ type: 'stop', work, token, reason })
      this.#serve(lease.pool)
    } else {
      if (lease.state === 'waiting') lease.pool.waiting.delete(lease)
      queueMicrotask(() => this.#end(lease, verdictOf(reason)))
    }
  }

  #end(lease: Lease, result: AttemptResult): void {
    const { state, pool, worker, request, sink } = lease
    if (state === 'ended') return
    lease.state = 'ended'
    lease.forgetExpiry?.()
    worker?.held.delete(lease)
    if (this.#current.get(request.idempotencyKey) === lease) this.#follow(lease)
    this.#open -= 1
    sink.done(lease.verdict ?? result)
    this.#serve(pool)
    if (this.#open === 0) this.#allEnded?.()
  }

  /** The work goes on with the next attempt that has not ended meanwhile. */
  #follow({ request, next }: Lease): void {
    let heir = next
    while (heir?.state === 'ended') heir = heir.next
    if (heir === null) {
      this.#current.delete(request.idempotencyKey)
      return
    }
    this.#current.set(request.idempotencyKey, heir)
    // One with a verdict is about to end, and then its own follower goes on.
    if (heir.verdict === null) this.#wait(heir)
  }

  #close(connection: Connection, reason: string): void {
    if (!connection.pool.connections.delete(connection)) return
    connection.close()
    for (const lease of [...connection.held]) this.#end(lease, { ok: 'lost', reason })
  }
}

const ACCEPTED: Receipt = { accepted: true }

function lastOf(lease: Lease): Lease {
  let last = lease
  while (last.next !== null) last = last.next
  return last
}

function unknownTask(task: string): AttemptResult {
  const message = `there is no task ${JSON.stringify(task.slice(0, 80))} that a worker could run`
  return { ok: false, error: { kind: 'invalid_input', message } }
}

function refusedFile(why: 'old_token' | 'unknown') {
  const message =
    why === 'old_token' ? 'the work goes on under another token' : 'the worker holds no such attempt'
  return { ok: false as const, error: { kind: 'stale_attempt', message } }
}
