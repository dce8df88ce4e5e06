import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameJson } from '@/core/pipeline/match'
import { patchOf, applyPatch } from './definition-patch'

const value = fc.jsonValue({ maxDepth: 4 })

/** The same value with something in it replaced. */
function edited(whole: unknown, at: readonly number[], fresh: unknown): unknown {
  const [first, ...rest] = at
  if (first === undefined || typeof whole !== 'object' || whole === null) return fresh
  const entries = Object.entries(whole)
  if (entries.length === 0) return fresh
  const place = first % entries.length
  const next = entries.map(([key, old], i) => [key, i === place ? edited(old, rest, fresh) : old] as const)
  return Array.isArray(whole) ? next.map(([, member]) => member) : Object.fromEntries(next)
}

describe('a change', () => {
  it('leads from one value to the other, also through a copy', () => {
    fc.assert(
      fc.property(value, fc.array(fc.nat(5), { maxLength: 3 }), value, (before, at, fresh) => {
        const after = edited(before, at, fresh)
        const change = patchOf(before, after)
        if (change === null) expect(sameJson(before, after)).toBe(true)
        else expect(applyPatch(before, structuredClone(change))).toEqual(after)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is as small as what changed, and leaves the rest the same objects', () => {
    const nodes = Array.from({ length: 100 }, (_, at) => ({ id: `n${at}`, task: 'noop' }))
    const layout = Object.fromEntries(nodes.map(({ id }, at) => [id, { x: at, y: 0 }]))
    const before = { id: 'p', nodes, layout }
    const renamed = { ...before, nodes: nodes.with(40, { id: 'n40', task: 'set' }) }
    const change = patchOf(before, renamed)
    expect(JSON.stringify(change).length).toBeLessThan(150)
    const after = applyPatch(before, change!) as typeof before
    expect(after.nodes[39]).toBe(nodes[39])
    expect(after.layout).toBe(layout)
    const moved = { ...before, layout: { ...layout, n7: { x: 5, y: 5 } } }
    expect(JSON.stringify(patchOf(before, moved)).length).toBeLessThan(200)
    // A text that was read anew says the same with other objects.
    expect(patchOf(before, structuredClone(before))).toBeNull()
  })

  it('takes names of properties of objects for names', () => {
    const before: unknown = JSON.parse('{"layout":{"__proto__":{"x":1},"constructor":{"x":1}}}')
    const after: unknown = JSON.parse('{"layout":{"__proto__":{"x":2},"constructor":{"x":1}}}')
    const applied = applyPatch(before, patchOf(before, after)!)
    expect(JSON.stringify(applied)).toBe(JSON.stringify(after))
    expect(({} as { x?: number }).x).toBeUndefined()
  })
})
