import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ONE_SLOT, SLOTS } from '@/core/pipeline/definition/demand'
import { adjacencyOf, levelsOf, type Edge } from '@/core/pipeline/definition/graph'
import type { Ends, Job } from './play-jobs'
import { pathOf, scheduleOf } from './schedule'

type Timing = { readonly duration: number; readonly start?: number; readonly finish?: number }

function edges(text: string): Edge[] {
  return text
    .split(' ')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [from = '', to = ''] = pair.split('>')
      return { from, to, kind: 'event', label: `${from}.completed` }
    })
}

function job(id: string, { duration, start, finish }: Timing, now: number): Job {
  const runs = start !== undefined && finish === undefined
  return {
    id,
    start: start ?? null,
    finish: finish ?? null,
    isVoid: false,
    isReady: false,
    working: runs ? [{ since: start, end: start + duration }] : [],
    left: start === undefined && duration > 0 ? 1 : 0,
    duration,
    atOnce: 1,
    askedAt: start === undefined ? 0 : now,
    notBefore: -Infinity,
    demands: ONE_SLOT,
    weight: 0,
    priority: 0,
    namesOutside: false,
  }
}

/** Each node begins when all before it have ended, and there is a slot. */
function scheduled(
  list: readonly Edge[],
  timings: Readonly<Record<string, Timing>>,
  { now = 0, slots = null }: { readonly now?: number; readonly slots?: number | null } = {},
) {
  const ids = Object.keys(timings)
  const { predecessors, successors } = adjacencyOf(ids, list)
  const order = levelsOf(ids, { predecessors, successors }).levels.flat()
  const schedule = scheduleOf(new Map(ids.map((id) => [id, job(id, timings[id]!, now)])), {
    now,
    order,
    predecessors,
    capacities: new Map(slots === null ? [] : [[SLOTS, slots]]),
    whenReady: (id: string, ends: Ends, begin) => {
      const before = predecessors.get(id) ?? []
      const look = () => {
        const open = before.find((other) => !ends.has(other))
        if (open === undefined) begin(before)
        else ends.next(open, look)
      }
      look()
    },
  })
  return { ...schedule, path: pathOf(schedule, order) }
}

describe('a schedule without limits', () => {
  it('[H-4] is the longest path, with slack beside it', () => {
    const found = scheduled(edges('a>b a>c b>d c>d'), {
      a: { duration: 10 },
      b: { duration: 20 },
      c: { duration: 5 },
      d: { duration: 1 },
    })
    expect(found.total).toBe(31)
    expect(found.path).toEqual(['a', 'b', 'd'])
    expect(found.nodes.get('c')).toEqual({ start: 10, finish: 15, slack: 15 })
  })

  it('[H-4] takes real times where they are known', () => {
    const found = scheduled(
      edges('a>b b>c'),
      { a: { duration: 10, start: 0, finish: 50 }, b: { duration: 10, start: 55 }, c: { duration: 10 } },
      { now: 80 },
    )
    // b runs longer than estimated: it ends now at the earliest.
    expect(found.nodes.get('b')?.finish).toBe(80)
    expect(found.total).toBe(90)
  })

  it('[R-29] a skipped node weighs nothing', () => {
    const found = scheduled(
      edges('a>b a>c'),
      { a: { duration: 10, start: 0, finish: 10 }, b: { duration: 0 }, c: { duration: 5 } },
      { now: 12 },
    )
    expect(found.total).toBe(17)
    expect(found.path).toEqual(['a', 'c'])
    expect(found.nodes.get('b')?.finish).toBe(10)
  })

  it('[H-4] agrees with trying every path, and a node may be delayed by its slack and no more', () => {
    fc.assert(
      fc.property(dag, ({ timings, list }) => {
        const found = scheduled(list, timings)
        const ids = Object.keys(timings)
        const weight = (id: string) => timings[id]!.duration
        const longest = (id: string): number =>
          weight(id) + Math.max(0, ...list.filter(({ from }) => from === id).map(({ to }) => longest(to)))
        expect(found.total).toBe(Math.max(...ids.map(longest)))
        expect(found.path.reduce((sum, id) => sum + weight(id), 0)).toBe(found.total)
        for (const id of found.path) expect(found.nodes.get(id)?.slack).toBe(0)
        for (const id of ids) {
          const slack = found.nodes.get(id)!.slack
          const delayed = (by: number) =>
            scheduled(list, { ...timings, [id]: { duration: weight(id) + by } }).total
          expect(delayed(slack)).toBe(found.total)
          expect(delayed(slack + 1)).toBe(found.total + 1)
        }
      }),
    )
  })
})

describe('a schedule with few slots', () => {
  it('[H-4] who holds a place delays whoever waits for it: neither has slack', () => {
    const lengths = { a: 10, b: 14, c: 10, d: 3, e: 4 }
    const timings = Object.fromEntries(
      Object.entries(lengths).map(([id, duration]) => [id, { duration }] as const),
    )
    const found = scheduled([], timings, { slots: 2 })
    // a c | b d e: the second slot is free from 21 on.
    expect(found.total).toBe(21)
    expect(found.path).toEqual(['b', 'd', 'e'])
    expect(found.placeFrom('e')).toBe('d')
    expect(found.placeFrom('a')).toBeUndefined()
    const slack = [...found.nodes].map(([id, node]) => [id, node.slack])
    expect(Object.fromEntries(slack)).toEqual({ a: 1, b: 0, c: 1, d: 0, e: 0 })
  })

  it('[H-4] what happened counts the same way: the slot of the first that ended went to the one that waited', () => {
    const done = scheduled(
      edges('r>a r>b r>c'),
      {
        r: { duration: 5, start: 0, finish: 5 },
        a: { duration: 10, start: 5, finish: 15 },
        // A few milliseconds pass from an end to the start that it allows.
        b: { duration: 10, start: 18, finish: 28 },
        c: { duration: 10, start: 30 },
      },
      { now: 31, slots: 1 },
    )
    expect(done.path).toEqual(['r', 'a', 'b', 'c'])
    expect(done.nodes.get('r')?.slack).toBeLessThanOrEqual(5)
  })

  it('never ends later than one after the other, nor before the work that there is', () => {
    fc.assert(
      fc.property(dag, fc.integer({ min: 1, max: 4 }), ({ timings, list }, slots) => {
        const found = scheduled(list, timings, { slots })
        const work = Object.values(timings).reduce((sum, { duration }) => sum + duration, 0)
        expect(found.total).toBeGreaterThanOrEqual(Math.ceil(work / slots))
        expect(found.total).toBeGreaterThanOrEqual(scheduled(list, timings).total)
        expect(found.total).toBeLessThanOrEqual(work)
        if (slots === 1) expect(found.total).toBe(work)
        for (const id of found.path) expect(found.nodes.get(id)?.slack).toBe(0)
      }),
    )
  })
})

const dag = fc.integer({ min: 1, max: 9 }).chain((n) =>
  fc.record({
    list: fc
      .array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 20 })
      .map((pairs) => edges(pairs.flatMap(([a, b]) => (a < b ? [`n${a}>n${b}`] : [])).join(' '))),
    timings: fc
      .array(fc.integer({ min: 0, max: 20 }), { minLength: n, maxLength: n })
      .map((durations): Record<string, Timing> =>
        Object.fromEntries(durations.map((duration, i) => [`n${i}`, { duration }])),
      ),
  }),
)
