import type { Batch, Journal } from '@/server/ports/journal'
import type { Store } from '@/server/store/store'
import { StoreError } from '@/server/store/store-error'
import type { Random } from './random'
import type { World } from './world'

/** What goes wrong in one world: probabilities per call, and times in milliseconds. */
export type Faults = {
  /** The process dies before or after a call of the store, at any of them. */
  readonly crash: number
  /** It dies when only some executions of a batch have reached the disk. */
  readonly torn: number
  /** The disk refuses a commit, before or after it took effect. */
  readonly commitError: number
  /** Longest time that a call of the store takes. */
  readonly slowest: number
  readonly wakeUpsLost: number
  readonly wakeUpsDoubled: number
  readonly workersLost: number
  /** A result is handed over again, or comes from a worker that was given up. */
  readonly resultsDoubled: number
  /** A worker never answers; only its attempt's timeout ends it. */
  readonly workersHang: number
  /** A worker takes an attempt and never begins its work. */
  readonly workersStuck: number
  /** How often somebody sets the clock of the machine. */
  readonly clockJumps: number
  /** How likely people pause, resume or cancel a run that they look at. */
  readonly steering: number
}

/** A world in which nothing goes wrong. */
export const noFaults: Faults = {
  crash: 0,
  torn: 0,
  commitError: 0,
  slowest: 3,
  wakeUpsLost: 0,
  wakeUpsDoubled: 0,
  workersLost: 0,
  resultsDoubled: 0,
  workersHang: 0,
  workersStuck: 0,
  clockJumps: 0,
  steering: 0,
}

export function randomFaults(random: Random): Faults {
  const rate = (...choices: number[]) => random.pick(choices)
  return {
    crash: rate(0, 0, 0.002, 0.008),
    torn: rate(0, 0.01, 0.03),
    commitError: rate(0, 0, 0.01),
    slowest: rate(3, 3, 3, 40, 1_500),
    wakeUpsLost: rate(0, 0, 0.3, 1),
    wakeUpsDoubled: rate(0, 0.3),
    workersLost: rate(0.08, 0.08, 0.4),
    resultsDoubled: rate(0, 0.2),
    workersHang: rate(0, 0.2),
    workersStuck: rate(0, 0, 0.1),
    clockJumps: rate(0, 0, 0, 3),
    steering: rate(0.05, 0.05, 0.3),
  }
}

const injected = new StoreError('storage_failed', 'the disk is said to have failed')
/** Is it the failure that the world made up? Whoever meets it ends, as a process would; nobody may take it for an answer. */
export const isInjected = (error: unknown) => error === injected

export type FaultyStoreOptions = {
  readonly world: World
  readonly faults: Faults
  readonly troubled: () => boolean
  /** Ends the epoch; never resolves. */
  readonly crash: () => Promise<never>
}

/**
 * The store as one process of the world sees it: each call takes its time, and is a place to die at, before and after it took
 * effect. What the process left behind does nothing once its epoch is over.
 */
export function faultyStore(store: Store, options: FaultyStoreOptions): Store {
  const { world, faults, troubled, crash } = options
  const { random } = world
  const happens = (probability: number) => troubled() && random.chance(probability)

  async function call<T>(work: () => Promise<T>): Promise<T> {
    if (faults.slowest > 3 || random.chance(0.25)) await world.delay(faults.slowest)
    if (happens(faults.crash)) return crash()
    const result = await work()
    if (happens(faults.crash)) return crash()
    return result
  }

  /** A transaction is whole or not there. Across executions the engine needs less than that: some of them are enough. */
  async function commit(batch: Batch): ReturnType<Journal['commit']> {
    await world.delay(faults.slowest)
    if (happens(faults.torn)) {
      const some = batch.executions.slice(0, random.whole(0, batch.executions.length))
      await store.journal.commit({ ...batch, executions: some })
      return crash()
    }
    if (happens(faults.commitError)) {
      if (random.chance(0.5)) await store.journal.commit(batch)
      throw injected
    }
    return call(() => store.journal.commit(batch))
  }

  function faulty<T extends object>(port: T): T {
    const calls = new Proxy(port, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>
        return (...args: unknown[]) => call(() => method.apply(target, args))
      },
    })
    return world.guarded(calls)
  }

  const { read, claim } = faulty(store.journal)
  return {
    ...store,
    journal: world.guarded({ read, claim, commit }),
    executions: faulty(store.executions),
    pipelines: faulty(store.pipelines),
    statistics: faulty(store.statistics),
    profiles: faulty(store.profiles),
    approvals: faulty(store.approvals),
    idempotency: faulty(store.idempotency),
    attempts: faulty(store.attempts),
    logs: faulty(store.logs),
    retention: faulty(store.retention),
    schedules: faulty(store.schedules),
    pools: faulty(store.pools),
  }
}
