import { describe, expect, it } from 'vitest'
import { aboutValue, changeDocument, editDocument, openDocument } from './document'
import type { Json } from '@/core/pipeline/json'
import { parseYaml, stringifyYaml } from './yaml'

type Pipeline = { nodes: { id: string; [field: string]: Json }[]; [field: string]: Json }

function read(text: string): Json {
  const parsed = parseYaml(text)
  if (!parsed.ok) throw new Error(`${JSON.stringify(parsed.error[0])} in\n${text}`)
  return parsed.value as Json
}

/** The text after `change` of what it says; what it then says is what was wanted. */
function edited(text: string, change: (definition: Pipeline) => void): string {
  const after = read(text) as unknown as Pipeline
  change(after)
  const result = editDocument(text, after)
  expect(read(result)).toEqual(after)
  return result
}

/** Lines that are in one text and not in the other. */
function changedLines(before: string, after: string): { gone: string[]; come: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  return {
    gone: old.filter((line) => !now.includes(line)),
    come: now.filter((line) => !old.includes(line)),
  }
}

const report = `# The daily report
id: report   # never changes
name: "Report"
labels: { team: data,  example: 'true' } # labels

nodes:
  # reads
  - id: extract
    task: noop
    startWhen: event:pipeline.started # first
    inputBindings:
      list: [
        a, # one
        b # two
      ]
      code: | # code
        x
        y
  # --- publishing ---

  # writes
  - id: publish
    task: noop
    # deep
    startWhen:   event:extract.completed
    # below publish

layout:
  extract: { x: 0, y: 0 }
  publish: { x: 0, y: 0 } # p
`

describe('editing a document', () => {
  it('leaves a text alone when nothing changes, whatever the order of keys', () => {
    const { nodes, ...rest } = read(report) as unknown as Pipeline
    expect(editDocument(report, { nodes, ...rest })).toBe(report)
  })

  it('changes one field and no other character', () => {
    const moved = edited(report, (definition) => {
      definition.layout = { extract: { x: 8, y: 0 }, publish: { x: 0, y: 0 } }
    })
    expect(moved).toBe(report.replace('extract: { x: 0,', 'extract: { x: 8,'))
    const named = edited(report, (definition) => (definition.name = 'Another "name"'))
    expect(named).toBe(report.replace('name: "Report"', 'name: "Another \\"name\\""'))
    const gate = edited(report, ({ nodes }) => (nodes[1]!.startWhen = 'event:extract.failed'))
    expect(gate).toBe(report.replace('event:extract.completed', "'event:extract.failed'"))
  })

  it('keeps the comment of a line whatever its value becomes', () => {
    const text = edited(report, (definition) => {
      definition.labels = { a: 'x'.repeat(60), b: 'y'.repeat(60) }
      definition.nodes[0]!.startWhen = 'event:a.completed ||\n  event:b.completed'
      definition.nodes[0]!.inputBindings = { code: 'one line' }
    })
    expect(text).toContain('startWhen: |- # first\n      event:a.completed ||\n        event:b.completed\n')
    expect(text).toContain('code: one line # code\n')
    expect(text).toContain('# labels\n')
  })

  it('adds fields in the usual order, and sections after a blank line', () => {
    const text = edited(report, (definition) => {
      definition.nodes[1]!.timeout = '5m'
      definition.nodes[1]!.name = 'Publish'
      definition.inputs = { station: { type: 'string', default: 'seattle' } }
    })
    expect(text).toContain('  - id: publish\n    name: Publish\n    task: noop\n')
    expect(text).toContain('completed\n    timeout: 5m\n    # below publish\n\nlayout:')
    expect(text).toContain('# labels\n\ninputs:\n  station: { type: string, default: seattle }\n\nnodes:\n')
    expect(changedLines(report, text).gone).toEqual([])
  })

  it('writes a new node in the usual style', () => {
    const text = edited(report, ({ nodes }) => {
      nodes.splice(1, 0, {
        id: 'count',
        task: 'duckdb.query',
        startWhen: 'event:extract.completed && {{ extract.rows > 0 }}',
        retry: { maxAttempts: 2 },
        inputBindings: { files: { a: '{{ pipeline.input.file }}' }, sql: 'select 1\nfrom a\n' },
      })
    })
    expect(text).toContain(`
  - id: count
    task: duckdb.query
    startWhen: 'event:extract.completed && {{ extract.rows > 0 }}'
    retry: { maxAttempts: 2 }
    inputBindings:
      files: { a: '{{ pipeline.input.file }}' }
      sql: |
        select 1
        from a
`)
    expect(changedLines(report, text).gone).toEqual([])
  })

  it('writes the first member of what was empty in the usual style', () => {
    const text = edited('id: x\n\nnodes: [] # none yet\n', (definition) => {
      definition.nodes.push({ id: 'first', task: 'noop', startWhen: 'event:pipeline.started' })
    })
    expect(text).toBe(
      "id: x\n\nnodes: # none yet\n  - id: first\n    task: noop\n    startWhen: 'event:pipeline.started'\n",
    )
  })

  it('moves nodes with their comments and renames them in place', () => {
    const swapped = edited(report, ({ nodes }) => nodes.reverse())
    expect(changedLines(report, swapped)).toEqual({ gone: [], come: [] })
    const writes = '  # writes\n  - id: publish\n    task: noop\n    # deep\n'
    expect(swapped.indexOf(writes)).toBeLessThan(swapped.indexOf('  # reads\n  - id: extract\n'))

    const renamed = edited(report, (definition) => {
      definition.nodes[0]!.id = 'load'
      definition.nodes[1]!.startWhen = 'event:load.completed'
      definition.layout = { publish: { x: 0, y: 0 }, load: { x: 0, y: 0 } }
    })
    expect(renamed).toBe(
      report
        .replace('- id: extract', '- id: load')
        .replace('event:extract.completed', "'event:load.completed'")
        .replace('  extract: {', '  load: {'),
    )
  })

  it('removes a node with its comments; one that stands apart above it stays', () => {
    const text = edited(report, (definition) => {
      definition.nodes.pop()
      definition.layout = { extract: { x: 0, y: 0 } }
    })
    expect(changedLines(report, text).gone.map((line) => line.trim())).toEqual([
      '# writes',
      '- id: publish',
      '# deep',
      'startWhen:   event:extract.completed',
      '# below publish',
      'publish: { x: 0, y: 0 } # p',
    ])
    const other = edited(report, ({ nodes }) => nodes.shift())
    expect(other).toContain('nodes:\n  # --- publishing ---\n\n  # writes\n  - id: publish\n')
  })

  it('edits lists inside brackets with their comments and lines', () => {
    const list = (members: Json[]) =>
      edited(report, ({ nodes }) => {
        Object.assign(nodes[0]!.inputBindings as object, { list: members })
      })
    expect(list(['a', 'b', 'c'])).toContain('        a, # one\n        b, # two\n        c\n      ]\n')
    expect(list(['b'])).toContain('list: [\n        b # two\n      ]\n')
    expect(list(['a'])).toContain('list: [\n        a # one\n      ]\n')
    expect(list([])).toContain('list: [\n      ]\n')
    const labels = edited(report, (definition) => (definition.labels = { example: 'true', owner: 'me' }))
    expect(labels).toContain("labels: { example: 'true', owner: me } # labels")
  })

  it('changes what stands first behind a dash', () => {
    const text = 'a:\n  - - x\n\n    # two\n    - y\n  - k: 1 # k\n    # l\n    l: 2\n'
    expect(edited(text, (all) => (all.a = [['w', 'x', 'y'], { k: 1, l: 2 }]))).toBe(
      text.replace('- - x\n', '- - w\n\n    - x\n'),
    )
    expect(edited(text, (all) => (all.a = [['y'], { k: 1, l: 2 }]))).toContain('  - # two\n    - y\n')
    expect(edited(text, (all) => (all.a = [['x', 'y'], { l: 2 }]))).toContain('  - # l\n    l: 2\n')
  })

  it('keeps ends of lines, marks at the beginning, and a last line without an end', () => {
    const windows = report.replaceAll('\n', '\r\n')
    const change = (definition: Pipeline) => {
      definition.nodes.splice(0, 1, {
        id: 'a',
        task: 'set',
        startWhen: 'event:pipeline.started',
        timeout: '1m',
      })
      definition.description = 'two\nlines\n'
    }
    expect(edited(windows, change)).toBe(edited(report, change).replaceAll('\n', '\r\n'))
    const marked = edited('\ufeff---\nid: a\nname: b', (definition) => (definition.name = 'c'))
    expect(marked).toBe('\ufeff---\nid: a\nname: c')
    expect(edited('# nothing yet', (_) => undefined)).toBe('# nothing yet')
    expect(editDocument('# nothing yet', { id: 'a' })).toBe('# nothing yet\nid: a')
    expect(editDocument('', { id: 'a' })).toBe('id: a\n')
  })

  it('writes an alias out when what it stands for changes, and leaves other anchors alone', () => {
    const text = `defaults: &retry { maxAttempts: 3 } # all
other: &bindings
  a: 1 # one
nodes:
  - { id: a, retry: *retry }
  - id: b
    retry: *retry # like a
    inputBindings: *bindings
`
    const changed = edited(text, (definition) => (definition.defaults = { maxAttempts: 4 }))
    expect(changed).toBe(
      text
        .replace('&retry { maxAttempts: 3 }', '{ maxAttempts: 4 }')
        .replace('{ id: a, retry: *retry }', '\n    id: a\n    retry: { maxAttempts: 3 }')
        .replace('- \n    id', '- id')
        .replace('retry: *retry # like', 'retry: { maxAttempts: 3 } # like'),
    )
    const own = edited(text, ({ nodes }) => (nodes[1]!.retry = { maxAttempts: 9 }))
    expect(own).toBe(text.replace('*retry # like', '{ maxAttempts: 9 } # like'))
    edited(text, ({ nodes }) => nodes.reverse())
  })

  it('leaves an alias inside of [ ] and { } where something beside it changes', () => {
    const text = `shared: &bindings
  message: >-
    folded
    text
nodes:
  - {id: a,  task: log, inputBindings: *bindings} # one line
  - {id: b, forEach: {items: [*bindings, 'x']}}
`
    expect(edited(text, ({ nodes }) => (nodes[0]!.id = 'c'))).toBe(text.replace('id: a', 'id: c'))
    expect(edited(text, ({ nodes }) => (nodes[0]!.name = 'n'))).toBe(
      text.replace('*bindings}', '*bindings, name: n}'),
    )
    expect(edited(text, ({ nodes }) => (nodes[1]!.forEach.items[1] = 'y'))).toBe(text.replace("'x'", "'y'"))
    expect(edited(text, ({ nodes }) => (nodes[0]!.inputBindings = { message: 'own' }))).toBe(
      text.replace('*bindings} # one', '{ message: own }} # one'),
    )
    // An alias that would stand before its anchor is written out.
    edited(text, (definition) => (definition.shared = definition.nodes.reverse()))
  })

  it('keeps JSON as JSON, with its indentation and the order of its keys', () => {
    const text = '{\n    "name": "x",\n    "id": "a",\n    "nodes": [{ "task": "noop", "id": "b" }]\n}\n'
    const after = { id: 'a', nodes: [{ id: 'b', task: 'set' }], name: 'y', labels: {} }
    expect(editDocument(text, after)).toBe(
      `${JSON.stringify({ name: 'y', id: 'a', nodes: [{ task: 'set', id: 'b' }], labels: {} }, null, 4)}\n`,
    )
  })

  it('replaces text that cannot be read', () => {
    expect(editDocument('a: [', { a: 1 })).toBe('a: 1\n')
    expect(openDocument('a: [').ok).toBe(false)
  })

  it('[R-61] takes a definition of 500 nodes apart once and then edits in the time of what changes', () => {
    const nodes = Array.from({ length: 500 }, (_, at) => ({
      id: `node_${at}`,
      task: 'set',
      startWhen: 'event:pipeline.started',
      inputBindings: { a: '{{ pipeline.input.a }}', b: 'x\ny\n' },
    }))
    const opened = openDocument(stringifyYaml({ id: 'big', nodes }))
    if (!opened.ok) throw new Error('not opened')
    let document = opened.value
    const began = performance.now()
    for (let at = 0; at < 50; at++) {
      const after = structuredClone(document.value) as Pipeline
      after.nodes[at]!.timeout = `${at + 1}m`
      document = changeDocument(document, after)
    }
    // Reading the text anew for each would take fifty times its 200 ms.
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(read(document.text)).toEqual(document.value)
  })
})

describe('a document about a value that is known', () => {
  const text = '# Two.\nid: two\nnodes:\n  - id: a # first\n    with: { x: 1 }\n  - id: b\n'
  const known = { id: 'two', nodes: [{ id: 'a', with: { x: 1 } }, { id: 'b' }] }

  it('says that very object, whether it was opened here or elsewhere', () => {
    const opened = openDocument(text, known)
    const sent = openDocument(text)
    if (!opened.ok || !sent.ok) throw new Error('it can be read')
    expect(opened.value.value).toBe(known)
    const about = aboutValue(structuredClone(sent.value), known)
    expect(about?.value).toBe(known)
    // What an edit leaves alone is recognised by identity: every part has its own piece of the value.
    expect(about).toEqual(opened.value)
    const after = { ...known, nodes: [known.nodes[0], { id: 'b', task: 'noop' }] }
    expect(changeDocument(about!, after).text).toBe(`${text.trimEnd()}\n    task: noop\n`)
  })

  it('is none about what it does not say', () => {
    const opened = openDocument(text, { id: 'three' })
    if (!opened.ok) throw new Error('it can be read')
    expect(opened.value.value).toEqual(known)
    expect(aboutValue(opened.value, { ...known, id: 'three' })).toBeNull()
  })
})

describe('a document that nobody expects', () => {
  it('refuses what is nested too deeply and what has no end, as JSON and as YAML', () => {
    const deep = (open: string, close: string) => `{"a": ${open.repeat(3_000)}${close.repeat(3_000)}}`
    const lines = Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')
    for (const text of [deep('[', ']'), deep('{"b":', '}'), lines, 'a: &a [*a]\n', 'a: &a\n  b: *a\n'])
      expect(openDocument(text)).toEqual({
        ok: false,
        error: expect.arrayContaining([{ message: 'the document is nested too deeply' }]) as unknown,
      })
  })

  it('reads JSON with a duplicate key as YAML, which reports it', () => {
    expect(openDocument('{"id": "a", "name": "x: \\"y\\": ",\n "id": "b"}')).toMatchObject({
      ok: false,
      error: [{ message: 'Map keys must be unique', line: 2 }],
    })
    expect(openDocument('{"id": "\\"a\\": b", "__proto__": [{"c\\\\": 1}]}')).toMatchObject({ ok: true })
  })

  it('keeps comments beside a value that is no JSON', () => {
    const text = '# why\nname: &n x # so\nlayout: { a: { x: .nan, y: .inf } }\nother: *n\n'
    expect(editDocument(text, { name: 'x', layout: { a: { x: NaN, y: Infinity } }, other: 'y' })).toBe(
      text.replace('*n', 'y'),
    )
  })
})
