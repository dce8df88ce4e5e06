import type {
  AttemptFiles,
  AttemptRequest,
  AttemptResult,
  AttemptSink,
  WorkerPool,
} from '@/server/ports/runner'
import type { Order } from './worker-protocol'

/** An attempt from its dispatch to its end. */
export type Lease = {
  readonly request: AttemptRequest
  readonly sink: AttemptSink
  readonly files: AttemptFiles
  readonly pool: Pool
  /** blocked: an earlier attempt of the same work has not ended. waiting: for a worker. running: a worker holds it. */
  state: 'blocked' | 'waiting' | 'running' | 'ended'
  /** Why it was ended from outside. The first verdict stands, whatever the worker still reports. */
  verdict: AttemptResult | null
  /** Whether its work has begun, as its worker says. */
  begun: boolean
  worker: Connection | null
  expiresAt: number
  forgetExpiry: (() => void) | null
  /** The next attempt of the same work. */
  next: Lease | null
}

/** The workers that run the same tasks, and the attempts that wait for them, oldest first. */
export class Pool {
  readonly connections = new Set<Connection>()
  readonly waiting = new WaitingLine()

  constructor(
    readonly name: string,
    readonly tasks: readonly string[],
  ) {}

  view(): WorkerPool {
    let capacity: number | null = 0
    let used = 0
    for (const connection of this.connections) {
      used += connection.held.size
      capacity = capacity === null || connection.capacity === null ? null : capacity + connection.capacity
    }
    return { name: this.name, tasks: this.tasks, capacity, used, waiting: this.waiting.size }
  }
}

/** A queue that an attempt may leave from anywhere: it is marked, and skipped when its turn comes. */
class WaitingLine {
  #leases: Lease[] = []
  #head = 0
  #left = new Set<Lease>()

  get size(): number {
    return this.#leases.length - this.#head - this.#left.size
  }

  add(lease: Lease): void {
    this.#leases.push(lease)
  }

  /** Only for an attempt that is in the queue. */
  delete(lease: Lease): void {
    this.#left.add(lease)
  }

  take(): Lease | null {
    while (this.#head < this.#leases.length) {
      const lease = this.#leases[this.#head++]!
      if (this.#head > 1_000 && this.#head * 2 > this.#leases.length) this.#trim()
      if (!this.#left.delete(lease)) return lease
    }
    this.#trim()
    return null
  }

  /** Forgets what was taken; now and then, so that it costs nothing for each. */
  #trim(): void {
    this.#leases = this.#leases.slice(this.#head)
    this.#head = 0
  }
}

/** A worker that has joined a pool. */
export class Connection {
  readonly held = new Set<Lease>()
  readonly stops: Order[] = []
  #answer: ((orders: readonly Order[] | null) => void) | null = null
  #closed = false

  constructor(
    readonly pool: Pool,
    readonly leaseMs: number | null,
    /** As its latest claim says. */
    public capacity: number | null,
  ) {}

  claim(capacity: number | null): Promise<readonly Order[] | null> {
    if (this.#closed) return Promise.resolve(null)
    this.capacity = capacity
    this.#answer?.([])
    return new Promise((resolve) => {
      this.#answer = resolve
    })
  }

  claims(): boolean {
    return this.#answer !== null
  }

  hasRoom(): boolean {
    return this.capacity === null || this.held.size < this.capacity
  }

  takeStops(): Order[] {
    return this.stops.splice(0)
  }

  answer(orders: readonly Order[]): void {
    const answer = this.#answer
    this.#answer = null
    answer?.(orders)
  }

  close(): void {
    this.#closed = true
    this.#answer?.(null)
    this.#answer = null
  }
}
