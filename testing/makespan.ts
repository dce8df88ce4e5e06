import { emptyState } from '@/core/engine/state'
import { forecast } from '@/core/engine/timeline/forecast'
import { SLOTS, sumOf } from '@/core/pipeline/definition/demand'
import { compiled } from './engine-run'
import type { Random } from './simulation/random'

/** Work that has to be done once all before it is, and what it holds of each pool meanwhile. Durations in milliseconds. */
export type Work = {
  readonly duration: number
  readonly after: readonly number[]
  readonly demands: Readonly<Record<string, number>>
}

export type Problem = {
  readonly works: readonly Work[]
  readonly capacities: Readonly<Record<string, number>>
}

/** A random graph in which each waits for some of those before it, with up to three pools besides slots. */
export function randomProblem(random: Random, size: number, slots = random.whole(1, 4)): Problem {
  const pools = ['cpu', 'gpu', 'licences'].slice(0, random.whole(0, 3))
  const capacities: Record<string, number> = { [SLOTS]: slots }
  for (const pool of pools) capacities[pool] = random.whole(2, 6)
  const density = random.pick([0.1, 0.25, 0.5]) * Math.min(1, 10 / size)
  const works = Array.from({ length: size }, (_, index): Work => {
    const demands: Record<string, number> = { [SLOTS]: 1 }
    for (const pool of pools) if (random.chance(0.5)) demands[pool] = random.whole(1, capacities[pool]!)
    const after = Array.from({ length: index }, (_before, at) => at).filter(() => random.chance(density))
    return { duration: random.whole(1, 20) * 1_000, after, demands }
  })
  return { works, capacities }
}

/** How long it takes in the order of the product: the real pools, with durations that are known. */
export function ownMakespan({ works, capacities }: Problem): number {
  const nodes = works.map(({ duration, after, demands: { slots: _, cpu = 0, gpu = 0, ...pools } }, at) => ({
    id: `n${at}`,
    task: 'file.write',
    inputBindings: { path: 'f', content: '' },
    estimate: `${duration}ms`,
    startWhen:
      after.length === 0
        ? 'event:pipeline.started'
        : after.map((before) => `event:n${before}.completed`).join(' && '),
    resources: { cpu, gpu, pools },
  }))
  const state = emptyState('x', compiled({ nodes }))
  return forecast(state, 0, { capacities: new Map(Object.entries(capacities)) }).end
}

/** No order can be faster: the longest way, and for each pool its work over its width. */
export function lowerBound({ works, capacities }: Problem): number {
  const longest = Math.max(...tailsOf(works))
  const widths = Object.entries(capacities).map(([pool, capacity]) => {
    const area = works.reduce((sum, { duration, demands }) => sum + duration * (demands[pool] ?? 0), 0)
    return area / capacity
  })
  return Math.max(longest, ...widths)
}

/** From the start of each to the end of the longest way after it: the upward rank of HEFT where all machines are alike. */
export function tailsOf(works: readonly Work[]): number[] {
  const tails = works.map(({ duration }) => duration)
  for (let at = works.length - 1; at >= 0; at -= 1)
    for (const before of works[at]!.after)
      tails[before] = Math.max(tails[before]!, works[before]!.duration + tails[at]!)
  return tails
}

/** Starts whatever fits in the given order whenever something ends. `strict`: nobody passes the first that does not fit. */
export function listMakespan(
  { works, capacities }: Problem,
  orderOf: (at: number) => number,
  strict = false,
): number {
  const ends = new Map<number, number>()
  const readySince = works.map(({ after }) => (after.length === 0 ? 0 : Infinity))
  const started = new Set<number>()
  let now = 0
  while (ends.size < works.length) {
    const busy = [...started].filter((at) => ends.get(at)! > now)
    const used: Record<string, number> = {}
    for (const at of busy) add(used, works[at]!.demands)
    const ready = works
      .map((_, at) => at)
      .filter((at) => !started.has(at) && readySince[at]! <= now)
      .sort((a, b) => orderOf(a) - orderOf(b) || readySince[a]! - readySince[b]! || a - b)
    for (const at of ready) {
      const { demands, duration } = works[at]!
      const fits = Object.entries(demands).every(
        ([pool, amount]) => (used[pool] ?? 0) + amount <= (capacities[pool] ?? Infinity),
      )
      if (fits) {
        add(used, demands)
        started.add(at)
        ends.set(at, now + duration)
      } else if (strict) break
    }
    now = Math.min(...[...ends.values()].filter((end) => end > now))
    for (const [at, { after }] of works.entries())
      if (readySince[at] === Infinity && after.every((before) => (ends.get(before) ?? Infinity) <= now))
        readySince[at] = now
  }
  return Math.max(...ends.values())
}

function add(used: Record<string, number>, demands: Readonly<Record<string, number>>): void {
  for (const [pool, amount] of Object.entries(demands)) used[pool] = sumOf(used[pool] ?? 0, amount)
}

/** First come, first served, nobody passes. */
export const fifoMakespan = (problem: Problem): number => listMakespan(problem, () => 0, true)

/** Longest way first, whatever fits. */
export function heftMakespan(problem: Problem): number {
  const tails = tailsOf(problem.works)
  return listMakespan(problem, (at) => -tails[at]!)
}

/**
 * The least time in which it can be done, by trying every order in which each begins as early as it can: one of these is the best.
 * null: there are more than `most` steps to try.
 */
export function bestMakespan(problem: Problem, most = 20_000): number | null {
  const { works, capacities } = problem
  const tails = tailsOf(works)
  const bound = lowerBound(problem)
  let best = heftMakespan(problem)
  let steps = 0
  const starts: (number | undefined)[] = works.map(() => undefined)
  const placed: { start: number; end: number; at: number }[] = []

  const earliest = (at: number): number => {
    const { after, demands, duration } = works[at]!
    const from = after.reduce(
      (latest, before) => Math.max(latest, starts[before]! + works[before]!.duration),
      0,
    )
    const instants = [from, ...placed.map(({ end }) => end).filter((end) => end > from)].sort((a, b) => a - b)
    return instants.find((start) =>
      // What is held changes only where something begins.
      [start, ...placed.map((one) => one.start).filter((one) => one > start && one < start + duration)].every(
        (instant) => {
          const used: Record<string, number> = {}
          for (const one of placed)
            if (one.start <= instant && one.end > instant) add(used, works[one.at]!.demands)
          return Object.entries(demands).every(
            ([pool, amount]) => (used[pool] ?? 0) + amount <= (capacities[pool] ?? Infinity),
          )
        },
      ),
    )!
  }

  const search = (end: number): boolean => {
    if (placed.length === works.length) {
      best = Math.min(best, end)
      return best > bound
    }
    for (const [at, { after, duration }] of works.entries()) {
      if (starts[at] !== undefined || after.some((before) => starts[before] === undefined)) continue
      steps += 1
      if (steps > most) return false
      const start = earliest(at)
      if (start + tails[at]! >= best) continue
      starts[at] = start
      placed.push({ start, end: start + duration, at })
      const goesOn = search(Math.max(end, start + duration))
      placed.pop()
      starts[at] = undefined
      if (!goesOn) return false
    }
    return true
  }
  search(0)
  return steps > most ? null : best
}
