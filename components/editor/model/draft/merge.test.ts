import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeTexts } from './merge'

const base = 'id: a\nname: A\nnodes:\n  - id: one\n    task: noop\n  - id: two\n    task: noop\n'
const text = fc
  .array(fc.constantFrom('- a', '- b', '  c: 1', '', '# d'), { maxLength: 12 })
  .chain((lines) => fc.constantFrom(lines.join('\n'), `${lines.join('\n')}\n`))

describe('merging two texts', () => {
  it('takes both where they do not touch, comments included', () => {
    const mine = base.replace('name: A', 'name: Mine # of mine')
    const theirs = `${base}  - id: three\n    task: log\n`
    expect(mergeTexts({ base, mine, theirs })).toEqual({
      text: `${mine}  - id: three\n    task: log\n`,
      conflicts: 0,
    })
  })

  it('counts what both changed, and lets mine stand there', () => {
    const mine = base.replace('name: A', 'name: Mine')
    const theirs = base.replace('name: A', 'name: Theirs').replace('id: two', 'id: second')
    expect(mergeTexts({ base, mine, theirs })).toEqual({
      text: mine.replace('id: two', 'id: second'),
      conflicts: 1,
    })
  })

  it('takes two fields of one node, but asks where something was put beside what is gone, or at one point', () => {
    const named = base.replace('id: one\n', 'id: first\n')
    const described = base.replace('id: one\n', 'id: one\n    description: why\n')
    expect(mergeTexts({ base, mine: named, theirs: described })).toEqual({
      text: base.replace('id: one\n', 'id: first\n    description: why\n'),
      conflicts: 0,
    })
    const gone = base.replace('  - id: one\n    task: noop\n', '')
    const longer = base.replace('task: noop\n  - id: two', 'task: noop\n    timeout: 5m\n  - id: two')
    expect(mergeTexts({ base, mine: gone, theirs: longer }).conflicts).toBe(1)
    expect(mergeTexts({ base, mine: `${base}a: 1\n`, theirs: `${base}b: 1\n` }).conflicts).toBe(1)
  })

  it('is no conflict when both did the same', () => {
    const both = base.replace('name: A', 'name: B')
    expect(mergeTexts({ base, mine: `# x\n${both}`, theirs: both })).toEqual({
      text: `# x\n${both}`,
      conflicts: 0,
    })
  })

  it('loses nothing of a side when the other did nothing, and is the same from both sides without conflicts', () => {
    fc.assert(
      fc.property(text, text, text, (before, mine, theirs) => {
        expect(mergeTexts({ base: before, mine, theirs: before }).text).toBe(mine)
        expect(mergeTexts({ base: before, mine: before, theirs }).text).toBe(theirs)
        const merged = mergeTexts({ base: before, mine, theirs })
        const turned = mergeTexts({ base: before, mine: theirs, theirs: mine })
        expect(turned.conflicts).toBe(merged.conflicts)
        if (merged.conflicts === 0) expect(turned.text).toBe(merged.text)
      }),
    )
  })

  it('stays quick on 2,000 nodes that look alike', () => {
    const nodes = Array.from({ length: 2_000 }, (_, n) => `  - id: n${n}\n    task: noop\n    startWhen: x\n`)
    const large = `nodes:\n${nodes.join('')}`
    const merged = mergeTexts({
      base: large,
      mine: large.replace('n3\n', 'm3\n'),
      theirs: large.replace('n1990\n', 'm1990\n'),
    })
    expect(merged.conflicts).toBe(0)
    expect(merged.text).toContain('id: m3\n')
    expect(merged.text).toContain('id: m1990\n')
  })
})
