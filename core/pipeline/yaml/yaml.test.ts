import { describe, expect, it } from 'vitest'
import { canonicalJson } from '@/core/pipeline/canonical'
import { parseYaml, stringifyYaml } from './yaml'

describe('parsing', () => {
  it('takes YAML and JSON', () => {
    expect(parseYaml('id: a\nnodes: [{ id: b, startWhen: "event:pipeline.started" }]')).toEqual({
      ok: true,
      value: { id: 'a', nodes: [{ id: 'b', startWhen: 'event:pipeline.started' }] },
    })
    expect(parseYaml('{"id": "a", "on": true, "no": "no"}')).toEqual({
      ok: true,
      value: { id: 'a', on: true, no: 'no' },
    })
    expect(parseYaml('country: no\nwhen: 2026-11-27')).toEqual({
      ok: true,
      value: { country: 'no', when: '2026-11-27' },
    })
  })

  it('takes JSON of any length that a document may have, and no other JSON', () => {
    const nodes = Array.from({ length: 20_000 }, (_, n) => ({ id: `n${n}`, task: 'noop', startWhen: 'x' }))
    expect(parseYaml(JSON.stringify({ nodes }, null, 2))).toEqual({ ok: true, value: { nodes } })
    expect(parseYaml(`[${' '.repeat(5_000_000)}]`)).toMatchObject({ ok: false })
    expect(parseYaml('[1, {"a": 1, "a": 2}]')).toMatchObject({ ok: false, error: [{ line: 1 }] })
  })

  it('reports duplicate keys with their line', () => {
    const result = parseYaml('id: a\nname: x\nid: b\n')
    expect(result).toEqual({
      ok: false,
      error: [{ message: expect.stringContaining('unique'), line: 3, column: 1 }],
    })
  })

  it('reports keys that JSON could not distinguish, or does not have', () => {
    const refused = (text: string) => {
      const result = parseYaml(text)
      return result.ok ? null : result.error.map(({ message, line }) => `${line}: ${message}`)
    }
    expect(refused('1: a\n"1": b\n')).toEqual(['2: Map keys must be unique'])
    expect(refused('a: &k x\n*k : b\n')).toEqual(['2: A key must be a word'])
    expect(refused('? [a, b]\n: c\n')).toEqual(['1: A key must be a word'])
  })

  it.each([
    ['a: 1\nb: [2, 9007199254740993]\n', 2, 8, /^9007199254740993 would become 9007199254740992, /],
    ['a: 0x20000000000001\n', 1, 4, /^0x20000000000001 would become 9007199254740992, /],
    ['a: !!int "9007199254740993"\n', 1, 10, /would become/],
    ['a: 1e400\n', 1, 4, /^1e400 is larger than a number can be; write it in quotes, as text$/],
    ['{"a": 9007199254740993}', 1, 7, /would become/],
    ['zip: 02134\n', 1, 6, /^02134 would become 2134; write it in quotes, as text$/],
    ['a:\n  - -007.5\n', 2, 5, /^-007.5 would become -7.5/],
    ['a: 1\n0x10: b\n', 2, 1, /put it in quotes/],
    ['9007199254740993: b\n', 1, 1, /put it in quotes/],
    ['1.10: b\n', 1, 1, /put it in quotes/],
  ])(
    '[R-86] refuses a number that would become another one, with its place: %j',
    (text, line, column, message) => {
      expect(parseYaml(text)).toEqual({
        ok: false,
        error: [{ message: expect.stringMatching(message) as string, line, column }],
      })
    },
  )

  it('[R-86] takes numbers that stay what they are', () => {
    expect(parseYaml('a: 9007199254740991\nb: 1e20\nc: "9007199254740993"\n8080: 1.10\nd: 0x1F')).toEqual({
      ok: true,
      value: { a: 9007199254740991, b: 1e20, c: '9007199254740993', 8080: 1.1, d: 31 },
    })
    expect(parseYaml('a: 0\nb: 0.50\nc: 0e1\nd: 0o17\ne: "017"\nf: 2026-01-02\ng: 08:00\n')).toEqual({
      ok: true,
      value: { a: 0, b: 0.5, c: 0, d: 15, e: '017', f: '2026-01-02', g: '08:00' },
    })
  })

  it.each([
    ['a: &d { x: 1 }\nb:\n  <<: *d\n  y: 2\n', 3, 3],
    ['a: &d { x: 1 }\nb: { <<: [*d], y: 2 }\n', 2, 6],
  ])('says what to write in the place of a merge key: %j', (text, line, column) => {
    const message = expect.stringContaining(
      'merge keys (<<) are not supported: write the fields out',
    ) as string
    expect(parseYaml(text)).toEqual({ ok: false, error: [{ message, line, column }] })
  })

  it('takes << in quotes, and in JSON, for a key as any other', () => {
    const value = { a: { '<<': { x: 1 } } }
    expect(parseYaml(JSON.stringify(value))).toEqual({ ok: true, value })
    expect(parseYaml(stringifyYaml(value))).toEqual({ ok: true, value })
  })

  it.each(['a: 1\n---\nb: 2\n', 'a: 1\n---\n', '# c\n---\na: 1\n...\n---\n# d\n'])(
    'says that a text holds one document: %j',
    (text) => {
      const message = expect.stringContaining('a text holds one document: remove the line ---') as string
      expect(parseYaml(text)).toMatchObject({
        ok: false,
        error: [{ message, line: expect.any(Number) as number }],
      })
    },
  )

  it.each([
    ['a: 1\nb: *x\n', 2, 4],
    ['a: *x\nb: &x 1\n', 1, 4],
  ])('says where an alias has no anchor before it: %j', (text, line, column) => {
    const message = 'there is no anchor &x before it'
    expect(parseYaml(text)).toEqual({ ok: false, error: [{ message, line, column }] })
  })

  it('reports every mistake with its line', () => {
    const result = parseYaml('a: [1, 2\nb: "x\n')
    expect(result.ok).toBe(false)
    if (!result.ok) expect(result.error.every(({ line }) => line !== undefined)).toBe(true)
  })

  it.each([
    ['a tag', 'a: !!js/function "x"'],
    ['a custom tag', 'a: !secret x'],
    ['several documents', 'a: 1\n---\nb: 2'],
  ])('refuses %s', (_what, text) => {
    expect(parseYaml(text).ok).toBe(false)
  })

  it('[R-61] refuses alias bombs, deep nesting and large documents', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 9; i++) {
      const before = String.fromCharCode(96 + i)
      const name = String.fromCharCode(97 + i)
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`)
    }
    expect(parseYaml(bomb.join('\n')).ok).toBe(false)
    expect(parseYaml('['.repeat(50_000)).ok).toBe(false)
    expect(parseYaml(' '.repeat(5_000_001)).ok).toBe(false)
  })

  it('[R-61] reads in a time that grows with the document, and refuses what would take seconds', () => {
    // Comparing every key with every other took over a minute for these.
    const wide = Array.from({ length: 28_000 }, (_, at) => `k${at}: 1`).join('\n')
    const began = performance.now()
    const read = parseYaml(wide)
    expect(read.ok && Object.keys(read.value as object)).toHaveLength(28_000)
    expect(performance.now() - began).toBeLessThan(15_000)

    const flat = parseYaml(`x: [${'1,'.repeat(2_400_000)}]`)
    expect(flat.ok ? [] : flat.error.map(({ message }) => message)).toEqual([
      expect.stringContaining('send it as JSON'),
    ])
    const deep = parseYaml('{a: '.repeat(200) + '1' + '}'.repeat(200))
    expect(deep).toEqual({ ok: false, error: [{ message: 'the document is nested too deeply' }] })
    const indented = parseYaml('- '.repeat(20_000))
    expect(indented.ok ? [] : indented.error.map(({ message }) => message)).toContain(
      'the document is nested too deeply',
    )
    const wrong = parseYaml('a: b: c\n'.repeat(5_000))
    expect(wrong.ok ? 0 : wrong.error.length).toBe(101)
  })
})

describe('printing', () => {
  it('prints in the usual style', () => {
    const definition = {
      id: 'a',
      labels: { team: 'data', example: 'true' },
      phases: ['extract', 'load'],
      nodes: [
        { id: 'b', startWhen: 'event:pipeline.started', retry: { maxAttempts: 2 }, inputBindings: { n: 1 } },
        { id: 'c', task: 'set', inputBindings: { sql: 'select 1\nfrom b\n', list: [{ x: 1 }], none: [] } },
      ],
      layout: { b: { x: 0, y: 0 } },
    }
    expect(stringifyYaml(definition)).toBe(`id: a
labels: { team: data, example: 'true' }

phases: [extract, load]

nodes:
  - id: b
    startWhen: 'event:pipeline.started'
    retry: { maxAttempts: 2 }
    inputBindings:
      n: 1

  - id: c
    task: set
    inputBindings:
      sql: |
        select 1
        from b
      list:
        - { x: 1 }
      none: []

layout:
  b: { x: 0, y: 0 }
`)
  })

  it('[R-61] prints a large value at once', () => {
    const rows = Array.from({ length: 150_000 }, (_, at) => ({ name: `row ${at}`, at }))
    const began = performance.now()
    const text = stringifyYaml({ rows })
    expect(performance.now() - began).toBeLessThan(1_500)
    expect(JSON.parse(text)).toEqual({ rows })
  })
})

describe('canonical JSON', () => {
  it('does not depend on the order of keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}')
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }))
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
  })
})
