import { describe, expect, it } from 'vitest'
import { withInputRenamed, withNodeRenamed } from './rename'

const definition = {
  id: 'p',
  inputs: { station: { type: 'string' }, days: { type: 'number' } },
  nodes: [
    {
      id: 'extract',
      task: 'duckdb.query',
      startWhen: 'event:pipeline.started',
      inputBindings: { sql: 'select 1' },
    },
    {
      id: 'load',
      task: 'script.javascript',
      startWhen: "event:extract.completed && {{ extract.rows.size() > 0 && pipeline.input.station != '' }}",
      forEach: { items: '{{ extract.rows }}' },
      retry: { maxAttempts: 2, when: '{{ extract.row_count > 1 }}' },
      inputBindings: {
        code: 'return "{{ extract.rows }}"',
        input: { rows: ['{{extract.rows}}', 'of {{ pipeline.input.station }}: {{ extract.row_count }}'] },
      },
      outputVariables: { all: "{{ extract.rows.map(x, 'extract.rows') }}" },
    },
    { id: 'other', task: 'noop', startWhen: 'event:load.completed' },
  ],
  outputs: { rows: { value: '{{ extract.rows }}' } },
  layout: { extract: { x: 1, y: 2 }, load: { x: 3, y: 4 } },
  rehearsals: [
    {
      name: 'when extract fails, load is skipped',
      plan: { nodes: { load: { duration: '1s' }, extract: { failure: {} } }, history: { extract: 5 } },
      expect: { status: 'failed', nodes: { extract: 'failed', load: 'skipped' } },
    },
    { name: 'extract', plan: { inputs: { extract: 1 } }, expect: {} },
  ],
}

describe('the rename of a node', () => {
  it('is followed by everyone who names it, and by nothing that only looks so', () => {
    const renamed = withNodeRenamed(definition, 'extract', 'read')
    if (!renamed.ok) throw new Error(renamed.error)
    expect(renamed.value).toEqual({
      ...definition,
      nodes: [
        { ...definition.nodes[0], id: 'read' },
        {
          ...definition.nodes[1],
          startWhen: "event:read.completed && {{ read.rows.size() > 0 && pipeline.input.station != '' }}",
          forEach: { items: '{{ read.rows }}' },
          retry: { maxAttempts: 2, when: '{{ read.row_count > 1 }}' },
          inputBindings: {
            code: 'return "{{ extract.rows }}"',
            input: { rows: ['{{read.rows}}', 'of {{ pipeline.input.station }}: {{ read.row_count }}'] },
          },
          outputVariables: { all: "{{ read.rows.map(x, 'extract.rows') }}" },
        },
        definition.nodes[2],
      ],
      outputs: { rows: { value: '{{ read.rows }}' } },
      layout: { read: { x: 1, y: 2 }, load: { x: 3, y: 4 } },
      rehearsals: [
        {
          name: 'when extract fails, load is skipped',
          plan: { nodes: { load: { duration: '1s' }, read: { failure: {} } }, history: { read: 5 } },
          expect: { status: 'failed', nodes: { read: 'failed', load: 'skipped' } },
        },
        definition.rehearsals[1],
      ],
    })
    expect((renamed.value['nodes'] as unknown[])[2]).toBe(definition.nodes[2])
  })

  it('is refused where the id is taken, reserved, badly written, or means something else', () => {
    const error = (to: string) => {
      const result = withNodeRenamed(definition, 'extract', to)
      return result.ok ? null : result.error
    }
    expect(error('load')).toBe("A node 'load' already exists.")
    expect(error('pipeline')).toContain('reserved word')
    for (const to of ['', 'Read', '1a', '__proto__', 'a b', 'x'.repeat(64)])
      expect(error(to)).toContain('An id has')
    const bound = {
      nodes: [
        { id: 'a', task: 'noop', startWhen: 'event:pipeline.started' },
        {
          id: 'b',
          task: 'set',
          startWhen: 'event:a.completed',
          inputBindings: { v: '{{ [1].map(x, x + a.n) }}' },
        },
      ],
    }
    expect(withNodeRenamed(bound, 'a', 'x')).toMatchObject({
      ok: false,
      error: expect.stringContaining('[1].map(x, x + a.n)'),
    })
  })

  it('leaves what cannot be read as it is', () => {
    const broken = {
      nodes: [
        { id: 'a', task: 'noop', startWhen: 'event:pipeline.started' },
        {
          id: 'b',
          task: 'set',
          startWhen: 'event:',
          inputBindings: { v: '{{ a. }}', w: '{{ a.x', x: '{{ a.x }}' },
        },
        'junk',
      ],
    }
    expect(withNodeRenamed(broken, 'a', 'c')).toMatchObject({
      value: {
        nodes: [
          { id: 'c' },
          { startWhen: 'event:', inputBindings: { v: '{{ a. }}', w: '{{ a.x', x: '{{ c.x }}' } },
          'junk',
        ],
      },
    })
  })
})

describe('the rename of an input', () => {
  it('is followed by every expression', () => {
    const renamed = withInputRenamed(definition, 'station', 'place')
    if (!renamed.ok) throw new Error(renamed.error)
    expect(Object.keys(renamed.value['inputs'] as object)).toEqual(['place', 'days'])
    expect(JSON.stringify(renamed.value)).not.toContain('station')
    expect(JSON.stringify(renamed.value).split('pipeline.input.place')).toHaveLength(3)
  })

  it('is refused where the name is taken or no name', () => {
    expect(withInputRenamed(definition, 'station', 'days')).toMatchObject({ ok: false })
    expect(withInputRenamed(definition, 'station', 'in')).toMatchObject({ ok: false })
    expect(withInputRenamed(definition, 'station', '')).toMatchObject({ ok: false })
  })
})
