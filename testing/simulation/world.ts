import type { Clock } from '@/server/ports/clock'
import type { Random } from './random'

type Scheduled = { at: number; order: number; epoch: number; run: () => void }

/** What may go wrong with wake-ups of the clock, as probabilities. */
export type WakeUpFaults = {
  readonly lost: number
  readonly doubled: number
}

/**
 * A single-threaded world on a virtual clock. Everything that happens is an event in its queue; events of the same
 * instant come in random order. A crash ends an epoch: nothing that belongs to it happens any more. `now` only grows; what
 * people read off the wall is `wall()`, which can be set forwards and back.
 */
export class World {
  now = Date.UTC(2026, 5, 1)
  skew = 0
  epoch = 0
  events = 0
  #queue: Scheduled[] = []
  #scheduled = 0

  constructor(readonly random: Random) {}

  wall(): number {
    return this.now + this.skew
  }

  /** Schedules something that dies with the present epoch, or (`epoch: -1`) survives crashes. */
  schedule(at: number, run: () => void, epoch = this.epoch): () => void {
    // What is left of a dead process may still ask.
    if (epoch !== -1 && epoch !== this.epoch) return () => undefined
    // Those of an instant overtake each other, but nobody for ever.
    const order = this.#scheduled++ + this.random.whole(0, 50)
    const scheduled = { at: Math.max(at, this.now), order, epoch, run }
    this.#queue.push(scheduled)
    return () => {
      this.#queue = this.#queue.filter((other) => other !== scheduled)
    }
  }

  /** The clock of the present epoch: as the machine's, it counts a delay down and looks at the wall before it wakes. */
  clock(faults: WakeUpFaults = { lost: 0, doubled: 0 }): Clock {
    const { epoch, random } = this
    return {
      now: () => this.wall(),
      at: (at, wake) => {
        if (random.chance(faults.lost)) return () => undefined
        let cancel = () => {}
        const set = () => {
          cancel = this.schedule(
            this.now + Math.max(0, at - this.wall()),
            () => {
              if (this.wall() < at) return set()
              if (random.chance(faults.doubled)) this.schedule(this.now + random.whole(0, 500), wake, epoch)
              wake()
            },
            epoch,
          )
        }
        set()
        return () => cancel()
      },
      // The sweep, the net under all wake-ups, is never lost.
      after: (ms, wake) => this.schedule(this.now + ms, wake, epoch),
      defer: (run) => void this.schedule(this.now, run, epoch),
    }
  }

  /** Resolves after a random delay, or never when the epoch has ended by then. */
  delay(most: number): Promise<void> {
    return new Promise((resolve) => this.schedule(this.now + this.random.whole(0, most), resolve))
  }

  /** Wraps a port: when the epoch is over its calls neither happen nor return. */
  guarded<T extends object>(port: T): T {
    const epoch = this.epoch
    return new Proxy(port, {
      get: (target, property) => {
        const value = Reflect.get(target, property) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) =>
          this.epoch === epoch
            ? (value as (...args: unknown[]) => unknown).apply(target, args)
            : new Promise(() => undefined)
      },
    })
  }

  /** Everything of the present epoch is gone. */
  crash(): void {
    this.epoch += 1
    this.#queue = this.#queue.filter((scheduled) => scheduled.epoch === -1)
  }

  /** Lets the next event happen, and all that follows from it in promises. False when nothing is left. */
  async advance(): Promise<boolean> {
    await settled()
    let best = -1
    for (let index = 0; index < this.#queue.length; index++) {
      const one = this.#queue[index]!
      const other = this.#queue[best]
      if (other === undefined || one.at < other.at || (one.at === other.at && one.order < other.order))
        best = index
    }
    const next = this.#queue[best]
    if (next === undefined) return false
    this.#queue.splice(best, 1)
    this.now = Math.max(this.now, next.at)
    this.events += 1
    next.run()
    await settled()
    return true
  }
}

/** All promises that can resolve have resolved: a turn of the real event loop. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
