import { bucketOf, emptyHistogram } from '@/core/objectives/histogram'
import { WINDOWS, type Minute } from '@/core/objectives/promises'
import type { Clock } from '@/server/ports/clock'
import type { ObjectiveStore } from '@/server/ports/objectives'

export type ObjectivesPorts = {
  readonly store: ObjectiveStore
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Does the server take work now? */
  readonly isUp: () => boolean
  /** Runs that have not ended and are in memory. */
  readonly runs: () => number
  readonly warn: (what: string, error: unknown) => void
}

const MINUTE_MS = 60_000
/** How often is looked whether the server is up and how many runs there are. */
const LOOK_MS = 5_000
/** Minutes that stay stored: the longest window, and a day. */
const RETAINED = WINDOWS['30d'] + WINDOWS['1d']
/** How often old minutes are removed, in minutes. */
const PRUNE_EVERY = 60

type Open = { -readonly [field in keyof Minute]: Minute[field] } & { parse: number[]; transition: number[] }

const openMinute = (minute: number): Open => ({
  ...{ minute, upMs: 0, runs: 0, recoveryMs: null },
  parse: emptyHistogram(),
  transition: emptyHistogram(),
})

/**
 * Records what the promises are about, a row a minute: a minute is stored when it is over, and when the server stops. What is lost with a kill is
 * the minute that it happened in.
 */
export function recordObjectives({ store, clock, isUp, runs, warn }: ObjectivesPorts) {
  let current = openMinute(Math.floor(clock.now() / MINUTE_MS))
  let lookedAt = clock.now()
  let callOff: () => void = () => undefined
  let writing: Promise<void> = Promise.resolve()

  function look(): void {
    const now = clock.now()
    const minute = Math.floor(now / MINUTE_MS)
    // A clock that was set, or a machine that slept: that time was not up.
    const passed = Math.min(Math.max(0, now - lookedAt), 2 * LOOK_MS)
    lookedAt = now
    if (isUp()) {
      current.upMs = Math.min(MINUTE_MS, current.upMs + passed)
      current.runs = Math.max(current.runs, runs())
    }
    if (minute !== current.minute) {
      write(current)
      current = openMinute(minute)
      if (minute % PRUNE_EVERY === 0) queue(() => store.prune(minute - RETAINED))
    }
  }

  function queue(job: () => Promise<void>): void {
    writing = writing.then(job).catch((error: unknown) => warn('a measurement was not stored', error))
  }

  /** Adds to what is stored of the minute: the server may have started again in it. */
  function write(measured: Open): void {
    queue(async () => {
      const [before] = await store.list({ from: measured.minute, limit: 1 })
      await store.put(before?.minute === measured.minute ? merged(before, measured) : measured)
    })
  }

  const tick = () => {
    look()
    callOff = clock.after(LOOK_MS, tick)
  }
  callOff = clock.after(LOOK_MS, tick)

  return {
    parsed: (ms: number): void => void (current.parse[bucketOf(ms)]! += 1),
    transition: (ms: number): void => void (current.transition[bucketOf(ms)]! += 1),
    /** The process has gone on with its runs, so many milliseconds after it started. */
    recovered: (ms: number): void => void (current.recoveryMs = Math.round(ms)),
    /** Stores the minute that is open, and ends. */
    async close(): Promise<void> {
      callOff()
      look()
      write(current)
      await writing
    },
  }
}

const sumOf = (a: readonly number[], b: readonly number[]) => a.map((count, at) => count + (b[at] ?? 0))

function merged(a: Minute, b: Minute): Minute {
  return {
    minute: a.minute,
    upMs: Math.min(MINUTE_MS, a.upMs + b.upMs),
    runs: Math.max(a.runs, b.runs),
    recoveryMs: b.recoveryMs === null ? a.recoveryMs : Math.max(a.recoveryMs ?? 0, b.recoveryMs),
    parse: sumOf(a.parse, b.parse),
    transition: sumOf(a.transition, b.transition),
  }
}

export type Objectives = ReturnType<typeof recordObjectives>
