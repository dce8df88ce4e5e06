import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addCondition,
  addEvent,
  negateEvent,
  relabelEvent,
  removeCondition,
  removeEvent,
  removeNode,
  renameNode,
  setCondition,
  type EditedGate,
} from './edit'
import { parseStartWhen, type StartWhen } from './start-when'

function text(result: EditedGate): string | null {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

function issue(result: EditedGate): string {
  if (result.ok) throw new Error(`changed to ${result.value}`)
  return result.error.message
}

describe('striking', () => {
  it.each<[string, string | null]>([
    ['event:x.done', null],
    ['!event:x.done', null],
    ['(event:x.done || !event:x.done)', null],
    ['event:x.done && event:a.done', 'event:a.done'],
    ['event:a.done  &&  event:x.done', 'event:a.done'],
    ['event:a.done\n  && event:x.done\n  && event:b.done', 'event:a.done\n  && event:b.done'],
    ['event:x.done || event:a.done && event:b.done', 'event:a.done && event:b.done'],
    ['event:x.done && (event:a.done || event:b.done)', 'event:a.done || event:b.done'],
    ['!(event:a.done && event:x.done)', '!event:a.done'],
    ['!(event:a.done && event:b.done && event:x.done)', '!(event:a.done && event:b.done)'],
    ['! ( event:a.done||(event:b.done&&event:x.done) )', '! (event:a.done||event:b.done)'],
    [
      '(event:a.done && (event:b.done || event:c.done)) || event:x.done',
      'event:a.done && (event:b.done || event:c.done)',
    ],
    [
      '(event:x.done && (event:a.done || event:b.done)) || event:c.done',
      'event:a.done || event:b.done || event:c.done',
    ],
    [
      'event:c.done && (event:x.done && (event:a.done || event:b.done))',
      'event:c.done && (event:a.done || event:b.done)',
    ],
    ['!(event:x.done && !(event:a.done || event:b.done))', '!!(event:a.done || event:b.done)'],
    ['event:x.done && ((event:a.done))', 'event:a.done'],
    ['  event:a.done && event:x.done\n', '  event:a.done\n'],
    ['(event:a.done)  && (event:b.done)', '(event:a.done)  && (event:b.done)'],
  ])('[X-1] %s without x is %s', (before, after) => {
    expect(text(removeEvent(before, 'x.done'))).toBe(after)
  })

  it('[G-4] a node goes with what only it could say', () => {
    const before =
      'event:a.done && {{ a.v > 1 }} && {{ a.v > b.v }} && {{ pipeline.input.x }} || event:a.failed || event:ab.done'
    expect(text(removeNode(before, 'a'))).toBe('{{ a.v > b.v }} && {{ pipeline.input.x }} || event:ab.done')
    expect(text(removeNode('event:a.done && {{ a.v > 1 }}', 'a'))).toBeNull()
  })

  it('a condition is named by its place', () => {
    const before = 'event:a.done && {{ a.v }} || !{{ a.v }} && event:b.done'
    expect(text(removeCondition(before, 0))).toBe('event:a.done || !{{ a.v }} && event:b.done')
    expect(text(removeCondition(before, 1))).toBe('event:a.done && {{ a.v }} || event:b.done')
    expect(issue(removeCondition(before, 2))).toBe('the gate has no condition 2')
    expect(issue(removeCondition(before, -1))).toBe('the gate has no condition -1')
  })
})

describe('adding', () => {
  it.each<[string, 'and' | 'or', string]>([
    ['event:a.done', 'and', 'event:a.done && event:x.done'],
    ['event:a.done', 'or', 'event:a.done || event:x.done'],
    ['event:a.done || event:b.done', 'and', '(event:a.done || event:b.done) && event:x.done'],
    ['event:a.done && event:b.done', 'or', 'event:a.done && event:b.done || event:x.done'],
    ['event:a.done\n  && event:b.done\n', 'and', 'event:a.done\n  && event:b.done\n  && event:x.done\n'],
    ['(event:a.done || event:b.done)', 'and', '(event:a.done || event:b.done) && event:x.done'],
    ['event:a.done && (event:x.done)', 'and', 'event:a.done && (event:x.done)'],
    ['event:a.done && event:x.done', 'or', 'event:a.done && event:x.done || event:x.done'],
    ['!event:x.done', 'and', '!event:x.done && event:x.done'],
    ['event:pipeline.started', 'and', 'event:x.done'],
    [' event:pipeline.started', 'or', ' event:x.done'],
    ['event:pipeline.started && {{ pipeline.input.x }}', 'and', 'event:x.done && {{ pipeline.input.x }}'],
    [
      'event:pipeline.started && {{ pipeline.input.x }}',
      'or',
      'event:pipeline.started && {{ pipeline.input.x }} || event:x.done',
    ],
  ])('[X-1] %s %s x.done is %s', (before, join, after) => {
    expect(text(addEvent(before, 'x.done', join))).toBe(after)
  })

  it('[R-66] a condition stands at the gate or on an edge', () => {
    expect(text(addCondition('event:a.done || event:b.done', ' a.v > 1 '))).toBe(
      '(event:a.done || event:b.done) && {{ a.v > 1 }}',
    )
    expect(text(addCondition('event:a.done || !(event:b.done)', 'b.v', 'b.done'))).toBe(
      'event:a.done || !(event:b.done) && {{ b.v }}',
    )
    expect(text(addCondition('!(event:a.done || event:b.done)', 'b.v', 'b.done'))).toBe(
      '!(event:a.done || event:b.done && {{ b.v }})',
    )
    expect(text(addCondition('(event:b.done) && event:a.done', 'b.v', 'b.done'))).toBe(
      '(event:b.done) && {{ b.v }} && event:a.done',
    )
    expect(issue(addCondition('event:a.done', 'a.v', 'b.done'))).toBe("the gate does not name 'event:b.done'")
  })
})

describe('changing in place', () => {
  it('[X-1] relabels an edge and leaves what stands beside it', () => {
    expect(text(relabelEvent('event:a.done &&\t!(event:x.done) && {{ a.v }}', 'x.done', 'x.failed'))).toBe(
      'event:a.done &&\t!event:x.failed && {{ a.v }}',
    )
    expect(text(relabelEvent('event:a.done', 'x.done', 'x.failed'))).toBe('event:a.done')
  })

  it('sets a condition', () => {
    expect(text(setCondition("event:a.done && {{a.t == '}}'}} || {{ a.v }}", 0, 'a.v > 1'))).toBe(
      'event:a.done && {{ a.v > 1 }} || {{ a.v }}',
    )
  })

  it('[G-4] renames a node in events and conditions, and in nothing else', () => {
    const before =
      "event:a.done && {{a.v > 1 && a['v'] < xs.list.map(z, z + a.w)[0] && 'a.v' != b.a}} || event:ab.done"
    expect(text(renameNode(before, 'a', 'extract'))).toBe(
      "event:extract.done && {{extract.v > 1 && extract['v'] < xs.list.map(z, z + extract.w)[0] && 'a.v' != b.a}} || event:ab.done",
    )
    expect(text(renameNode('event:a.done && {{ b.v }}', 'c', 'd'))).toBe('event:a.done && {{ b.v }}')
  })

  it.each([
    ['x', "'x' means something else in 'a.xs.map(x, x + a.v).size() > 1'"],
    ['A', "'A' cannot be the id of a node"],
    ['pipeline', "'pipeline' cannot be the id of a node"],
  ])('[G-4] refuses to rename a node to %s', (to, message) => {
    expect(issue(renameNode('event:a.done && {{ a.xs.map(x, x + a.v).size() > 1 }}', 'a', to))).toBe(message)
  })
})

describe('what is no edit', () => {
  it('answers the mistake in the gate and changes nothing', () => {
    const edits: ((gate: string) => EditedGate)[] = [
      (gate) => addEvent(gate, 'x.done', 'and'),
      (gate) => removeEvent(gate, 'x.done'),
      (gate) => relabelEvent(gate, 'x.done', 'y.done'),
      (gate) => removeNode(gate, 'x'),
      (gate) => renameNode(gate, 'x', 'y'),
      (gate) => addCondition(gate, 'x.v'),
      (gate) => setCondition(gate, 0, 'x.v'),
      (gate) => removeCondition(gate, 0),
    ]
    for (const edit of edits) expect(issue(edit('event:a.done &&'))).toContain('it ends too early')
  })

  it('lets nothing in but one event or one condition', () => {
    expect(issue(addEvent('event:a.done', 'x.done || event:y.done', 'and'))).toContain(
      'is not the name of an event',
    )
    expect(issue(relabelEvent('event:a.done', 'a.done', 'X'))).toContain('is not the name of an event')
    expect(issue(addCondition('event:a.done', 'a.v }} || {{ b.v'))).toContain('is not one condition')
    expect(setCondition('event:a.done && {{ a.v }}', 0, 'a.v +')).toMatchObject({
      ok: false,
      error: { position: 5 },
    })
  })

  it('[R-61] does not make a gate that cannot be read', () => {
    const most = Array.from({ length: 10_000 }, () => '{{a.v}}').join('||')
    expect(issue(addEvent(most, 'x.done', 'and'))).toBe('the gate has more than 10000 atoms')
  })
})

/*
 * Against formulas that were never texts: what an edit is to do is done on a tree, and both are compared by their truth in
 * every world of true, dead and pending atoms.
 */
type Tree = { atom: string } | { not: Tree } | { join: 'and' | 'or'; terms: Tree[] }

const names = ['a.done', 'b.done', 'b.failed', '{a.v}', '{b.v}']
const spaces = fc.constantFrom('', ' ', '\n  ')

/** A tree and a text of it, with parentheses and spaces as it pleases. */
const written = fc.letrec<{ tree: [Tree, string] }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .constantFrom(...names)
      .map((atom): [Tree, string] => [
        { atom },
        atom.startsWith('{') ? `{{ ${atom.slice(1, -1)} }}` : `event:${atom}`,
      ]),
    fc
      .tuple(tie('tree'), spaces)
      .map(([[term, inner], space]): [Tree, string] => [{ not: term }, `!${space}(${inner})`]),
    fc
      .tuple(tie('tree'), spaces)
      .map(([[tree, inner], space]): [Tree, string] => [tree, `(${space}${inner}${space})`]),
    fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
        spaces,
      )
      .map(([join, parts, space]): [Tree, string] => [
        { join, terms: parts.map(([tree]) => tree) },
        parts.map(([, part]) => `(${part})`).join(`${space}${join === 'and' ? '&&' : '||'} `),
      ]),
  ),
})).tree

/** Undefined: struck. */
function mapped(tree: Tree, change: (atom: string) => Tree | undefined): Tree | undefined {
  if ('atom' in tree) return change(tree.atom)
  if ('not' in tree) {
    const term = mapped(tree.not, change)
    return term && { not: term }
  }
  const terms = tree.terms.map((term) => mapped(term, change)).filter((term) => term !== undefined)
  return terms.length === 0 ? undefined : { join: tree.join, terms }
}

function treeOf(gate: StartWhen): Tree {
  if (gate.kind === 'event') return { atom: gate.type }
  if (gate.kind === 'condition') return { atom: `{${gate.source}}` }
  return gate.kind === 'not' ? { not: treeOf(gate.term) } : { join: gate.kind, terms: gate.terms.map(treeOf) }
}

/** Kleene: -1 dead, 0 pending, 1 true. */
function truth(tree: Tree, world: ReadonlyMap<string, number>): number {
  if ('atom' in tree) return world.get(tree.atom) ?? 0
  if ('not' in tree) return 0 - truth(tree.not, world)
  const terms = tree.terms.map((term) => truth(term, world))
  return tree.join === 'and' ? Math.min(...terms) : Math.max(...terms)
}

const allNames = [...names, 'x.done', '{x.v}', '{c.v}', 'c.done', 'c.failed']

function tableOf(tree: Tree, used: readonly string[]): number[] {
  return Array.from({ length: 3 ** used.length }, (_, world) => {
    const known = new Map(used.map((name, at) => [name, (Math.floor(world / 3 ** at) % 3) - 1]))
    return truth(tree, known)
  })
}

function namesIn(tree: Tree): string[] {
  if ('atom' in tree) return [tree.atom]
  return 'not' in tree ? namesIn(tree.not) : tree.terms.flatMap(namesIn)
}

const is = (atom: string): Tree => ({ atom })
const both = (join: 'and' | 'or', ...terms: Tree[]): Tree => ({ join, terms })
const swap = (from: string, to: string) => (atom: string) => is(atom === from ? to : atom)
const strike = (gone: (atom: string) => boolean) => (atom: string) => (gone(atom) ? undefined : is(atom))
/** Changes the condition numbered `at`. */
const atCondition = (at: number, change: Tree | undefined) => {
  let count = 0
  return (atom: string) => (atom.startsWith('{') && count++ === at ? change : is(atom))
}

const edits: Record<string, [(gate: string) => EditedGate, (tree: Tree) => Tree | undefined]> = {
  'add by and': [(g) => addEvent(g, 'x.done', 'and'), (t) => both('and', t, is('x.done'))],
  'add by or': [(g) => addEvent(g, 'x.done', 'or'), (t) => both('or', t, is('x.done'))],
  'add what may be there': [(g) => addEvent(g, 'a.done', 'or'), (t) => both('or', t, is('a.done'))],
  remove: [
    (g) => removeEvent(g, 'b.done'),
    (t) =>
      mapped(
        t,
        strike((atom) => atom === 'b.done'),
      ),
  ],
  negate: [
    (g) => negateEvent(g, 'b.done'),
    (t) => mapped(t, (atom) => (atom === 'b.done' ? { not: is(atom) } : is(atom))),
  ],
  relabel: [(g) => relabelEvent(g, 'b.done', 'b.failed'), (t) => mapped(t, swap('b.done', 'b.failed'))],
  'remove node': [
    (g) => removeNode(g, 'b'),
    (t) =>
      mapped(
        t,
        strike((atom) => /^\{?b\./.test(atom)),
      ),
  ],
  'rename node': [
    (g) => renameNode(g, 'b', 'c'),
    (t) => mapped(t, (atom) => is(atom.replace(/^(\{?)b\./, '$1c.'))),
  ],
  'add condition': [(g) => addCondition(g, 'x.v'), (t) => both('and', t, is('{x.v}'))],
  'set condition': [(g) => setCondition(g, 0, 'x.v'), (t) => mapped(t, atCondition(0, is('{x.v}')))],
  'remove condition': [(g) => removeCondition(g, 1), (t) => mapped(t, atCondition(1, undefined))],
}

describe('against formulas', () => {
  it.each(Object.keys(edits))('[X-1] [R-5] %s says in every world what it is to say', (name) => {
    const [edit, intended] = edits[name]!
    fc.assert(
      fc.property(written, ([tree, gate]) => {
        const conditions = namesIn(tree).filter((atom) => atom.startsWith('{')).length
        fc.pre(name !== 'set condition' || conditions > 0)
        fc.pre(name !== 'remove condition' || conditions > 1)
        const after = text(edit(gate))
        const wanted = intended(tree)
        expect(after === null).toBe(wanted === undefined)
        if (after === null || wanted === undefined) return
        const parsed = parseStartWhen(after)
        if (!parsed.ok) throw new Error(`${after}: ${parsed.error.message}`)
        const found = treeOf(parsed.value)
        const used = allNames.filter(
          (atom) => namesIn(wanted).includes(atom) || namesIn(found).includes(atom),
        )
        expect(tableOf(found, used)).toEqual(tableOf(wanted, used))
      }),
      { numRuns: 300 },
    )
  })

  it('[R-66] a condition on an edge stands beside its event in every world', () => {
    fc.assert(
      fc.property(written, ([tree, gate]) => {
        fc.pre(namesIn(tree).includes('b.done'))
        const after = text(addCondition(gate, 'x.v', 'b.done'))
        const literal = (part: Tree): string | null =>
          'atom' in part ? part.atom : 'not' in part ? literal(part.not) : null
        const guarded = (part: Tree): Tree => {
          if (literal(part) === 'b.done') return both('and', part, is('{x.v}'))
          if ('atom' in part) return part
          return 'not' in part ? { not: guarded(part.not) } : { ...part, terms: part.terms.map(guarded) }
        }
        const parsed = parseStartWhen(after ?? '')
        if (!parsed.ok) throw new Error(`${after}: ${parsed.error.message}`)
        const used = [...names, '{x.v}']
        expect(tableOf(treeOf(parsed.value), used)).toEqual(tableOf(guarded(tree), used))
      }),
      { numRuns: 300 },
    )
  })

  it('keeps the text of every atom that stays, and all of it when nothing is named', () => {
    fc.assert(
      fc.property(written, ([, gate]) => {
        for (const untouched of [
          removeEvent(gate, 'z.done'),
          removeNode(gate, 'z'),
          renameNode(gate, 'z', 'y'),
        ])
          expect(text(untouched)).toBe(gate)
        const relabelled = text(relabelEvent(gate, 'b.done', 'b.cancelled')) ?? ''
        const bare = (some: string) => some.replaceAll(/[()]/g, '').replaceAll(/\s+/g, '')
        expect(bare(relabelled)).toBe(bare(gate.replaceAll('b.done', 'b.cancelled')))
      }),
    )
  })
})
