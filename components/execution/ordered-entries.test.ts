import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { EngineRun, noop } from '@/testing/engine-run'
import { createOrderedEntries } from './ordered-entries'

const all = (() => {
  const run = new EngineRun({ nodes: [noop('a'), noop('b', 'event:a.completed')] })
  return run.entries
})()

function setUp() {
  const applied: number[] = []
  const ordered = createOrderedEntries({
    get seq() {
      return applied.at(-1) ?? 0
    },
    apply: (entry: Entry) => applied.push(entry.event.seq),
  })
  return { applied, ordered }
}
const seqs = all.map(({ event }) => event.seq)

describe('ordered entries', () => {
  it('apply each entry once and by seq, in whatever order and however often they arrive', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...all, ...all], { minLength: 2 * all.length }), (arriving) => {
        const { applied, ordered } = setUp()
        for (const entry of arriving) ordered.receive(entry)
        expect(applied).toEqual(seqs)
        expect(ordered.hasGap()).toBe(false)
        expect(ordered.events()).toEqual(all.map(({ event }) => event))
      }),
    )
  })

  it('say what became of an entry', () => {
    const { ordered } = setUp()
    const [first, second, third] = all
    expect(ordered.receive(second!)).toBe('gap')
    expect(ordered.hasGap()).toBe(true)
    expect(ordered.receive(first!)).toBe('applied')
    expect(ordered.hasGap()).toBe(false)
    expect(ordered.receive(second!)).toBe('known')
    expect(ordered.receive(third!)).toBe('applied')
  })

  it('fill a gap from a page, in which known entries are skipped', () => {
    const { applied, ordered } = setUp()
    ordered.receive(all[0]!)
    ordered.receive(all[4]!)
    expect([...ordered.applyPage(all.slice(0, 4))]).toHaveLength(4)
    expect(applied).toEqual(seqs.slice(0, 5))
    expect(ordered.hasGap()).toBe(false)
  })

  it('forget early entries on demand', () => {
    const { applied, ordered } = setUp()
    ordered.receive(all[1]!)
    ordered.dropEarly()
    ordered.receive(all[0]!)
    expect(applied).toEqual([1])
  })

  it('list the events of the run itself apart', () => {
    const { ordered } = setUp()
    for (const entry of all) ordered.receive(entry)
    const types = ordered.milestones().map(({ type }) => type)
    expect(types).toContain('pipeline.started')
    expect(types.every((type) => type.startsWith('pipeline.'))).toBe(true)
  })
})
