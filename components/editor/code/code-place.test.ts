import { describe, expect, it } from 'vitest'
import { codePlaceAt } from './code-place'

/** `|` stands for the cursor. */
function at(marked: string) {
  const position = marked.indexOf('|')
  const place = codePlaceAt(marked.replace('|', ''), position)
  if (place === null) return null
  return `${place.path.join('.')} ${place.key ?? '-'} ${place.typed}`
}

const NODES = `id: a
nodes:
  - id: read
    task: set
    inputBindings:
      a: 1
  - id: ask
`

describe('a cursor in a text that is being typed', () => {
  it.each([
    ['na|', ' - na'],
    ['id: a\n|', ' - '],
    ['policy:\n  fail|', 'policy - fail'],
    ['policy:\n  rollback:\n    on: f|', 'policy.rollback on f'],
    ['nodes:\n  - i|', 'nodes.0 - i'],
    ['nodes:\n- id: a\n  ta|', 'nodes.0 - ta'],
    [`${NODES}    ta|`, 'nodes.0 - ta'],
    [`${NODES}    task: dep|`, 'nodes.0 task dep'],
    [`${NODES}    inputBindings:\n      message: |`, 'nodes.0.inputBindings message '],
    [`${NODES}    inputBindings:\n      |`, 'nodes.0.inputBindings - '],
    [`${NODES}    startWhen: 'event:re|`, 'nodes.0 startWhen event:re'],
    [`${NODES}  - task: x\n    fo|`, 'nodes.0 - fo'],
    ['nodes:\n  -\n    id: x\n    ta|', 'nodes.0 - ta'],
    ['phases: [ext|', 'phases.0 - ext'],
    ['phases:\n  - ext|', 'phases.0 - ext'],
    ['outputs:\n  report: { value: x, req|', 'outputs.report - req'],
    ['triggers:\n  - { id: a, type: cr|', 'triggers.0 type cr'],
    ['triggers:\n  - { id: a, inputs: { x: 1, |', 'triggers.0.inputs - '],
    ['a: { b: [ { c: |', 'a.b.0 c '],
    ['labels:\n  "a b": x|', 'labels a b x'],
  ])('%j', (marked, told) => expect(at(marked)).toBe(told))

  it('is nowhere in comments and in texts of several lines', () => {
    expect(at('# na|')).toBeNull()
    expect(at('id: a # na|')).toBeNull()
    expect(at('sql: |\n'.replace('|', '>') + '  select |')).toBeNull()
    expect(at('description: >-|')).toBeNull()
    expect(at('a: {} |')).toBeNull()
  })

  it('knows what stands around it, above and below', () => {
    const text =
      'nodes:\n  - id: a\n    inputBindings:\n      x: 1\n      \n      y: 2\n    task: set\n  - id: b\n    task: log\n'
    const [own, node, top] = codePlaceAt(text, text.indexOf('      \n') + 6)?.around ?? []
    expect(own).toEqual(
      new Map([
        ['x', '1'],
        ['y', '2'],
      ]),
    )
    expect(node).toEqual(
      new Map([
        ['id', 'a'],
        ['inputBindings', ''],
        ['task', 'set'],
      ]),
    )
    expect(top).toEqual(new Map([['nodes', '']]))
  })
})
