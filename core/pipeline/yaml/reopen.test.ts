import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openDocument, type OpenDocument } from './document'
import { reopenDocument } from './reopen'

function open(text: string): OpenDocument {
  const opened = openDocument(text)
  if (!opened.ok) throw new Error(opened.error[0]?.message)
  return opened.value
}

const SMALL = `# Top
id: p

nodes:
  # first
  - id: a # here
    task: set
    inputBindings: { x: 1, y: [a, b] }

  - id: b
    description: |
      one

      two
    # deeper
    task: log
  - id: c
    sql: >-
      select
phases: [a]
layout:
  a: { x: 1, y: 2 }
  # of b
  b: { x: 3, y: 4 }
  c:
    x: 5
list:
- x
- y: 1
`
const examples = ['seattle_weather', 'flights', 'data_ready'].map((name) =>
  readFileSync(`examples/${name}.yaml`, 'utf8'),
)
const words = [
  'x',
  ' ',
  '\n',
  '\n    ',
  '\n  - ',
  '- ',
  ': ',
  ':',
  '#',
  ' # y',
  "'",
  '"',
  '{',
  '}',
  '[',
  ']',
  '|',
  '|+',
  '>-\n',
  '&a ',
  '*a',
  '---\n',
  '...',
  '%',
  '!!str ',
  '\n\n',
  '\t',
  '? ',
  'id: b\n',
  '__proto__: 1',
  '\r\n',
  '<<: ',
]

describe('a text that is opened again after an edit', () => {
  it('is opened as if it were read whole, whatever was edited', () => {
    const edits = fc.record({
      text: fc.oneof({ weight: 5, arbitrary: fc.constant(SMALL) }, fc.constantFrom(...examples)),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.nat(12)),
      inserted: fc.array(fc.constantFrom(...words), { maxLength: 3 }).map((some) => some.join('')),
    })
    fc.assert(
      fc.property(edits, ({ text, at: part, removed: count, inserted }) => {
        const at = Math.floor(part * text.length)
        const removed = text.slice(at, at + count)
        const whole = openDocument(text.slice(0, at) + inserted + text.slice(at + removed.length))
        expect(reopenDocument(open(text), { at, removed, inserted })).toEqual(whole)
      }),
      { numRuns: 200 },
    )
  })

  it('reads only the node that was edited: the others are the same objects', () => {
    const document = open(SMALL)
    const at = SMALL.indexOf('log') + 3
    const edited = reopenDocument(document, { at, removed: '', inserted: '\n    name: B' })
    if (!edited.ok) throw new Error('it can be read')
    const nodesOf = ({ value }: OpenDocument) => (value as { nodes: readonly unknown[] }).nodes
    expect(nodesOf(edited.value)[1]).toMatchObject({ id: 'b', task: 'log', name: 'B' })
    expect(nodesOf(edited.value)[0]).toBe(nodesOf(document)[0])
    expect(nodesOf(edited.value)[2]).toBe(nodesOf(document)[2])
  })

  it('reads only the places that were moved', () => {
    const document = open(SMALL)
    const at = SMALL.indexOf('3, y: 4')
    const edited = reopenDocument(document, { at, removed: '3', inserted: '30' })
    if (!edited.ok) throw new Error('it can be read')
    const valueOf = ({ value }: OpenDocument) => value as { nodes: unknown; layout: Record<string, unknown> }
    const [before, after] = [valueOf(document), valueOf(edited.value)]
    expect(after.layout['b']).toEqual({ x: 30, y: 4 })
    expect(after.nodes).toBe(before.nodes)
    expect(after.layout['a']).toBe(before.layout['a'])
    expect(after.layout['c']).toBe(before.layout['c'])
  })

  it('keeps of JSON what says the same: the same objects', () => {
    const text = JSON.stringify(
      { id: 'p', nodes: [{ id: 'a' }, { id: 'b', task: 'log' }, { id: 'c' }] },
      null,
      2,
    )
    const document = open(text)
    const nodesOf = (value: unknown) => (value as { nodes: readonly unknown[] }).nodes
    const same = reopenDocument(document, { at: text.indexOf('log'), removed: 'log', inserted: 'set' })
    const gone = '{\n      "id": "a"\n    },\n    '
    const fewer = reopenDocument(document, { at: text.indexOf(gone), removed: gone, inserted: '' })
    if (!same.ok || !fewer.ok) throw new Error('both can be read')
    const [first, , last] = nodesOf(document.value)
    expect(same.value.value).toEqual(open(same.value.text).value)
    expect(nodesOf(same.value.value)[0]).toBe(first)
    expect(nodesOf(same.value.value)[2]).toBe(last)
    expect(fewer.value.value).toEqual(open(fewer.value.text).value)
    expect(nodesOf(fewer.value.value)[1]).toBe(last)
  })

  it.each([
    ['a name that another member has', '  b: {', 'b', 'a'],
    ['the same name for a node that went', '# of b\n  b', 'b: { x: 3, y: 4 }\n  c', 'c'],
    ['members that come', '3, y', '3', '3, y: 4 }\n  d: { x: 0'],
  ])('takes %s as it is read whole', (_, where, removed, inserted) => {
    const at = SMALL.indexOf(removed, SMALL.indexOf(where))
    const edit = { at, removed, inserted }
    const whole = openDocument(SMALL.slice(0, at) + inserted + SMALL.slice(at + removed.length))
    expect(reopenDocument(open(SMALL), edit)).toEqual(whole)
  })
})
