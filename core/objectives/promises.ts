import { addInto, countOf, emptyHistogram, quantile, type Histogram } from './histogram'

/** What was measured in one minute. */
export type Minute = {
  /** Minutes since the epoch. */
  readonly minute: number
  /** Milliseconds of it in which the server took work. */
  readonly upMs: number
  /** The most runs at once that had not ended. */
  readonly runs: number
  /** Milliseconds from the start of the process until it went on with its runs; null: it did not start then. */
  readonly recoveryMs: number | null
  /** Reading and checking a definition. */
  readonly parse: Histogram
  /** From an input to its being durable. */
  readonly transition: Histogram
}

/** The promises of the server [H-15]. */
export const PROMISES = {
  parse: { share: 0.95, belowMs: 120 },
  transition: { share: 0.9, belowMs: 50 },
  recovery: { belowMs: 30_000 },
  availability: { percent: 99.9 },
  concurrency: { runs: 1_000 },
} as const

/** The windows over which they are measured, in minutes. */
export const WINDOWS = { '1h': 60, '1d': 1_440, '30d': 43_200 } as const
export type Window = keyof typeof WINDOWS

/** `met` is null where nothing was measured that could break the promise. */
export type Measured = {
  readonly value: number | null
  readonly samples: number
  readonly met: boolean | null
}

export type Promised = keyof typeof PROMISES

/**
 * What a window measured.
 * @param minutes those of the window that were recorded, in any order
 * @param elapsedMs of the window since the first minute that was ever recorded: what was before is nobody's downtime
 */
export function measure(minutes: readonly Minute[], elapsedMs: number): Readonly<Record<Promised, Measured>> {
  const parse = emptyHistogram()
  const transition = emptyHistogram()
  const busy = emptyHistogram()
  let upMs = 0
  let runs = 0
  const recoveries: number[] = []
  for (const minute of minutes) {
    addInto(parse, minute.parse)
    addInto(transition, minute.transition)
    if (minute.runs >= PROMISES.concurrency.runs) addInto(busy, minute.transition)
    upMs += minute.upMs
    runs = Math.max(runs, minute.runs)
    if (minute.recoveryMs !== null) recoveries.push(minute.recoveryMs)
  }
  const up = elapsedMs === 0 ? null : Math.min(100, (100 * upMs) / elapsedMs)
  const slowest = recoveries.length === 0 ? null : Math.max(...recoveries)
  return {
    parse: latency(parse, PROMISES.parse),
    transition: latency(transition, PROMISES.transition),
    recovery: {
      value: slowest,
      samples: recoveries.length,
      met: slowest === null ? null : slowest < PROMISES.recovery.belowMs,
    },
    availability: {
      value: up,
      samples: minutes.length,
      met: up === null ? null : up > PROMISES.availability.percent,
    },
    // Whether so many run at once is a question of how quickly each of them goes on meanwhile.
    concurrency: { value: runs, samples: minutes.length, met: latency(busy, PROMISES.transition).met },
  }
}

function latency(
  histogram: Histogram,
  { share, belowMs }: { readonly share: number; readonly belowMs: number },
): Measured {
  const value = quantile(histogram, share)
  return { value, samples: countOf(histogram), met: value === null ? null : value < belowMs }
}

/** What to do as the error budget is used up [H-O12]. */
export type BudgetAction = 'none' | 'review' | 'careful' | 'fixes_only' | 'freeze'

const ACTIONS: readonly (readonly [usedShare: number, action: BudgetAction])[] = [
  [0.9, 'freeze'],
  [0.75, 'fixes_only'],
  [0.5, 'careful'],
  [0.25, 'review'],
]

/** The downtime that the promise of availability leaves in 30 days, and how much of it is used. Minutes. */
export function errorBudget(downMinutes: number) {
  const allowed = (WINDOWS['30d'] * (100 - PROMISES.availability.percent)) / 100
  const usedShare = downMinutes / allowed
  return {
    allowedMinutes: Math.round(allowed * 10) / 10,
    usedMinutes: downMinutes,
    usedShare,
    action: ACTIONS.find(([from]) => usedShare >= from)?.[1] ?? ('none' as const),
  }
}
