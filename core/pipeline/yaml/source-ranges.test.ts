import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openDocument } from './document'
import { isRecord } from '@/core/pipeline/json'
import { pathAt, rangeOf } from './source-ranges'

const TEXT = `# Greets.
id: greet
labels: { team: data, "a b": [1, { deep: true }] }

nodes:
  # the first
  - id: a
    task: set # sets
    inputBindings:
      x: >-
        one
        two

  -
    # below the dash
    id: b
    startWhen: event:a.completed
  - { id: c, task: noop }
layout: {}
`

function open(text: string) {
  const opened = openDocument(text)
  if (!opened.ok) throw new Error(opened.error[0]?.message)
  return opened.value
}
const said = (text: string, ...path: (string | number)[]) => {
  const { from, to } = rangeOf(open(text), path)
  return text.slice(from, to)
}

describe('the range of a path', () => {
  it('is from the key to the end of the value, in blocks and in braces', () => {
    expect(said(TEXT, 'id')).toBe('id: greet')
    expect(said(TEXT, 'nodes', 0, 'task')).toBe('task: set')
    expect(said(TEXT, 'nodes', 0, 'inputBindings', 'x')).toBe('x: >-\n        one\n        two')
    expect(said(TEXT, 'nodes', 0)).toMatch(/^id: a[^]*two$/)
    expect(said(TEXT, 'nodes', 1)).toBe('id: b\n    startWhen: event:a.completed')
    expect(said(TEXT, 'nodes', 2, 'task')).toBe('task: noop')
    expect(said(TEXT, 'nodes', 2)).toBe('{ id: c, task: noop }')
    expect(said(TEXT, 'labels', 'a b', 1, 'deep')).toBe('deep: true')
    expect(said(TEXT, 'layout')).toBe('layout: {}')
    expect(said(TEXT)).toBe(TEXT)
  })

  it('of what is not there is that of the nearest thing that would hold it', () => {
    expect(said(TEXT, 'nodes', 2, 'startWhen')).toBe('{ id: c, task: noop }')
    expect(said(TEXT, 'nodes', 9)).toMatch(/^nodes:/)
    expect(said(TEXT, 'labels', 'team', 'x')).toBe('team: data')
    expect(said('id:\nname: x', 'id')).toBe('id:')
  })

  it('is found in JSON, whatever stands in its texts', () => {
    const json = JSON.stringify(
      { id: 'a"{', labels: { '}"': '[,' }, nodes: [{ id: 'x' }, { id: 'y', n: -1.5 }] },
      null,
      2,
    )
    expect(said(json, 'id')).toBe('"id": "a\\"{"')
    expect(said(json, 'labels', '}"')).toBe('"}\\"": "[,"')
    expect(said(json, 'nodes', 1, 'n')).toBe('"n": -1.5')
    expect(said(json, 'nodes', 0)).toMatch(/^\{\s+"id": "x"\s+\}$/)
    expect(pathAt(open(json), json.indexOf('-1.5'))).toEqual(['nodes', 1, 'n'])
    expect(said('{"a":[],"b":{}}', 'b')).toBe('"b":{}')
  })
})

describe('the path at a range', () => {
  it('is that of the innermost thing', () => {
    const document = open(TEXT)
    const at = (words: string) => pathAt(document, TEXT.indexOf(words))
    expect(at('two')).toEqual(['nodes', 0, 'inputBindings', 'x'])
    expect(at('event:a')).toEqual(['nodes', 1, 'startWhen'])
    expect(at('task: noop')).toEqual(['nodes', 2, 'task'])
    expect(at('deep')).toEqual(['labels', 'a b', 1, 'deep'])
    expect(at('# Greets')).toEqual([])
  })

  it('leads back to where it was found, for every member of the examples', () => {
    const yaml = ['seattle_weather', 'flights', 'data_ready'].map((name) =>
      readFileSync(`examples/${name}.yaml`, 'utf8'),
    )
    for (const text of [...yaml, ...yaml.map((one) => JSON.stringify(open(one).value))]) {
      const document = open(text)
      let seen = 0
      const walk = (value: unknown, path: (string | number)[]) => {
        const range = rangeOf(document, path)
        if (path.length > 0) expect(pathAt(document, range.from).slice(0, path.length)).toEqual(path)
        seen += 1
        if (Array.isArray(value)) value.forEach((member, index) => walk(member, [...path, index]))
        else if (isRecord(value))
          for (const [key, member] of Object.entries(value)) walk(member, [...path, key])
      }
      walk(document.value, [])
      expect(seen).toBeGreaterThan(20)
    }
  })
})
