import { describe, expect, it } from 'vitest'
import type { Estimates } from '@/core/engine/timeline/expectation'
import { savingsOf, type Savings } from '@/core/engine/timeline/savings'
import { SLOTS } from '@/core/pipeline/definition/demand'
import { compiled, heavy, S, wait, type NodeSpec } from '@/testing/engine-run'
import { Random } from '@/testing/simulation/random'
import { rehearse } from './rehearse'

type Lengths = Readonly<Record<string, number>>

function savings(nodes: NodeSpec[], lengths: Lengths, slots: number): Savings {
  const durations: Estimates = new Map(
    Object.entries(lengths).map(([id, p50]) => [id, { p50, p90: null }] as const),
  )
  const steps = savingsOf(compiled({ nodes }), durations, new Map([[SLOTS, slots]]))
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** How long the run takes that is rehearsed with these durations and slots. */
function rehearsed(nodes: NodeSpec[], lengths: Lengths, slots: number): number {
  const plan = Object.fromEntries(Object.entries(lengths).map(([id, duration]) => [id, { duration }]))
  const result = rehearse(compiled({ nodes }), { startAt: 0, slots, nodes: plan })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.rehearsal.endedAt
}

const named = ({ nodes }: Savings) =>
  Object.fromEntries(nodes.map(({ nodes: ids, saving }) => [ids.join(' '), saving]))

describe('what to optimise first', () => {
  it('is what makes the run shorter, not what takes the largest part of one path', () => {
    // a is a third of the run, and beside it b takes nearly as long.
    const nodes = [
      heavy('a', S),
      heavy('b', S),
      heavy('c', 'event:a.completed && event:b.completed'),
      heavy('d', 'event:c.completed'),
    ]
    const lengths = { a: 10_000, b: 9_800, c: 14_000, d: 6_000 }
    const found = savings(nodes, lengths, 8)
    expect(found.total).toBe(30_000)
    expect(found.nodes.map(({ nodes: ids }) => ids)).toEqual([['c'], ['a', 'b'], ['d']])
    // Only together do the two save what a takes.
    expect(found.nodes[1]).toEqual({
      nodes: ['a', 'b'],
      saving: 10_000,
      work: 19_800,
      alone: { node: 'a', saving: 200 },
    })
    expect(found.places).toEqual([])
  })

  it('says how many more slots would help where work waits for one', () => {
    const tasks = Array.from({ length: 41 }, (_, at) => `t${at}`)
    const nodes = [
      heavy('root', S),
      ...tasks.map((id) => heavy(id, 'event:root.completed')),
      heavy('join', tasks.map((id) => `event:${id}.completed`).join(' && ')),
    ]
    const lengths = { root: 1_000, join: 1_000, ...Object.fromEntries(tasks.map((id) => [id, 3_500])) }
    const found = savings(nodes, lengths, 4)
    expect(found.total).toBe(40_500)
    expect(found.nodes[0]).toMatchObject({
      nodes: tasks,
      saving: 38_500,
      alone: { node: 't0', saving: 3_500 },
    })
    // Eleven rounds become six; with a slot for each there is one.
    expect(found.places).toEqual([
      { pool: SLOTS, amount: 4, saving: 17_500, enough: 41, enoughSaving: 35_000 },
    ])
  })

  it('counts a list by its items', () => {
    const nodes = [heavy('list', S, { forEach: { items: '{{ pipeline.input.all }}' } }), wait('w', '1s')]
    const pipeline = compiled({ inputs: { all: { type: 'array' } }, nodes })
    const durations = new Map([['list', { p50: 30_000, p90: null, items: { total: 12, each: 5_000 } }]])
    const steps = savingsOf(pipeline, durations, new Map([[SLOTS, 2]]))
    let step = steps.next()
    while (!step.done) step = steps.next()
    expect(step.value).toEqual({
      total: 30_000,
      // Then it is as long as the wait, which nobody optimises.
      nodes: [{ nodes: ['list'], saving: 29_000, work: 60_000, alone: null }],
      places: [{ pool: SLOTS, amount: 2, saving: 15_000, enough: 12, enoughSaving: 25_000 }],
    })
  })

  it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
    'seed %i: is what a rehearsal without the time of the node gains, and one with twice the slots',
    (seed) => {
      const random = new Random(seed)
      const ids = Array.from({ length: random.whole(2, 14) }, (_, at) => String.fromCharCode(97 + at))
      const lengths = Object.fromEntries(ids.map((id) => [id, random.whole(1, 9_000)]))
      const nodes = ids.map((id, at) => {
        const before = ids.slice(0, at).filter(() => random.chance(0.3))
        return heavy(
          id,
          before.length === 0 ? S : before.map((other) => `event:${other}.completed`).join(' && '),
        )
      })
      const slots = random.whole(1, 3)
      const found = savings(nodes, lengths, slots)
      const total = rehearsed(nodes, lengths, slots)
      expect(found.total).toBe(total)
      const listed = named(found)
      for (const [names, saving] of Object.entries(listed)) {
        const none = Object.fromEntries(names.split(' ').map((id) => [id, 0]))
        expect(saving, names).toBe(total - rehearsed(nodes, { ...lengths, ...none }, slots))
      }
      // What is not listed saves nothing.
      for (const id of ids) {
        if (Object.keys(listed).some((names) => names.split(' ').includes(id))) continue
        expect(total - rehearsed(nodes, { ...lengths, [id]: 0 }, slots)).toBeLessThanOrEqual(total * 0.001)
      }
      const [place] = found.places
      const more = total - rehearsed(nodes, lengths, slots * 2)
      if (place === undefined) expect(more).toBeLessThanOrEqual(total * 0.001)
      else expect(place.saving).toBe(Math.max(0, more))
    },
  )
})
