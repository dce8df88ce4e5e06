import { expect } from 'vitest'
import { simulate } from './simulate'

const [first, last] = (process.env['PENSTOCK_SEEDS'] ?? '1-500').split('-').map(Number) as [number, number]
const middle = Math.floor((first + last) / 2)

/** Seeds of one run of the suite, in two files so that two workers share them; `PENSTOCK_SEEDS=1-10000` chooses others. */
export const HALVES = [
  { first, last: middle },
  { first: middle + 1, last },
] as const

/** Longest time for them, on a machine that does other things too (milliseconds). */
export const patienceMs = 120_000 + (last - first) * 400

/**
 * Worlds that found something: each fails again when what it found is put back. A change of the generator changes the worlds;
 * what they found is therefore also held by a test of its own, next to the code.
 */
export const CORPUS: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 3, found: 'an event after the start timeout closed a gate that the timeout had opened' },
  { seed: 7, found: 'durations were negative when the clock had been set back' },
  { seed: 91, found: 'a run left memory while a commit moved it, and its slot was held for ever' },
  { seed: 231, found: 'items that may fail were not tried any more under failFast, and the node completed' },
  { seed: 756, found: 'a run was in memory twice, and its slot was held for ever' },
  { seed: 658, found: 'a wake-up that came twice left a second timer behind, and each of them another' },
  { seed: 140, found: 'a timer that was due woke a run before the slots of all others were counted' },
  { seed: 731, found: 'a handler that a person completed by hand no longer handled the failure' },
  { seed: 899, found: 'a failure that came while its handler waited for a slot was not handled' },
]

/** Runs them all. The worlds have to be worth something: processes died, clocks were set, and runs ended in every way. */
export async function checkWorlds({ first, last }: { first: number; last: number }): Promise<void> {
  const totals = { crashes: 0, clockJumps: 0, rollbacks: 0 }
  const statuses = new Set<string>()
  for (let seed = first; seed <= last; seed++) {
    const report = await simulate(seed)
    totals.crashes += report.crashes
    totals.clockJumps += report.clockJumps
    totals.rollbacks += report.rollbacks
    for (const status of Object.keys(report.statuses)) statuses.add(status)
  }
  expect(totals.crashes).toBeGreaterThan(0)
  expect(totals.clockJumps).toBeGreaterThan(0)
  expect(totals.rollbacks).toBeGreaterThan(0)
  expect([...statuses].sort()).toEqual(['cancelled', 'completed', 'failed'])
}
