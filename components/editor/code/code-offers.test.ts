import { describe, expect, it } from 'vitest'
import { offersAt } from './code-offers'
import { codePlaceAt } from './code-place'

const definition = {
  phases: ['extract', 'publish'],
  inputs: { city: { type: 'string' } },
  nodes: [
    { id: 'read', name: 'Read all', task: 'noop' },
    { id: 'ask', task: 'approval' },
  ],
}

/** `|` stands for the cursor. */
function offered(marked: string) {
  const at = marked.indexOf('|')
  const place = codePlaceAt(marked.replace('|', ''), at)
  return place === null ? null : offersAt(place, definition, [{ id: 'other', name: 'Another' }])
}
const labels = (marked: string) => offered(marked)?.offers.map(({ label }) => label) ?? []

describe('what is offered in the code', () => {
  it('are the keys that may stand there and do not yet', () => {
    expect(labels('id: a\n|')).toEqual(expect.arrayContaining(['nodes', 'policy', 'triggers']))
    expect(labels('id: a\n|')).not.toContain('id')
    expect(labels('nodes:\n  - id: a\n    |')).toEqual(expect.arrayContaining(['task', 'startWhen', 'retry']))
    expect(labels('nodes:\n  - |')).toContain('id')
    expect(labels('nodes:\n  - id: a\n    retry:\n      |')).toContain('maxAttempts')
    expect(labels('triggers:\n  - { id: x, |')).toEqual(expect.arrayContaining(['type', 'cron', 'secret']))
    expect(labels('inputs:\n  city: { |')).toContain('default')
    expect(labels('labels:\n  |')).toEqual([])
  })

  it('are the inputs of the task, wherever the task stands', () => {
    expect(labels('nodes:\n  - id: a\n    task: duckdb.query\n    inputBindings:\n      |')).toContain('sql')
    expect(labels('nodes:\n  - id: a\n    inputBindings:\n      |\n    task: approval\n')).toContain(
      'approvers',
    )
    expect(
      labels('nodes:\n  - id: a\n    rollback:\n      task: shell\n      inputBindings:\n        |'),
    ).toContain('command')
    expect(labels('nodes:\n  - id: a\n    task: no.such\n    inputBindings:\n      |')).toEqual([])
    const sql = offered(
      'nodes:\n  - id: a\n    task: duckdb.query\n    inputBindings:\n      |',
    )?.offers.find(({ label }) => label === 'sql')
    expect(sql).toMatchObject({ detail: 'string', holds: 'value', required: true })
  })

  it('are values: tasks, pipelines, phases, listed ones', () => {
    expect(labels('nodes:\n  - id: a\n    task: |')).toContain('duckdb.query')
    expect(labels('nodes:\n  - id: a\n    pipeline: o|')).toEqual(['other'])
    expect(labels('nodes:\n  - id: a\n    phase: |')).toEqual(['extract', 'publish'])
    expect(labels('nodes:\n  - id: a\n    onLost: |')).toEqual(['retry', 'fail'])
    expect(labels('nodes:\n  - id: a\n    finally: |')).toEqual(['true', 'false'])
    expect(labels('triggers:\n  - { id: x, type: |')).toEqual(['cron', 'webhook'])
    expect(labels('name: |')).toEqual([])
  })

  it('are the events of the other nodes, one after the other', () => {
    const one = offered('nodes:\n  - id: new\n    startWhen: ev|')
    expect(one?.offers.map(({ label }) => label)).toEqual([
      'event:pipeline.started',
      'event:read.completed',
      'event:read.failed',
      'event:read.skipped',
      'event:ask.approved',
      'event:ask.rejected',
      'event:ask.timeout',
      'event:ask.skipped',
    ])
    const text = "nodes:\n  - id: read\n    startWhen: 'event:ask.approved && event:|"
    expect(offered(text)?.from).toBe(text.length - 'event:|'.length)
    expect(labels(text)).not.toContain('event:read.completed')
  })

  it('are what can be read, within the braces of an expression', () => {
    const text = 'nodes:\n  - id: new\n    startWhen: event:read.completed && {{ re|'
    expect(labels(text)).toEqual(expect.arrayContaining(['read.error', 'pipeline.input.city']))
    expect(labels(text)).not.toContain('event:read.completed')
    expect(offered(text)?.from).toBe(text.length - 're|'.length)
    expect(labels(text.replace('{{ re|', '{{ read.ok }} && e|'))).toContain('event:read.completed')
    const bound = 'nodes:\n  - id: new\n    task: log\n    inputBindings:\n      message: "At {{ s|'
    expect(labels(bound)).toEqual(expect.arrayContaining(['system.execution_id', 'size()']))
    // Outside of them a text is a text.
    expect(labels(bound.replace('{{ s', 's'))).toEqual([])
    expect(labels('outputs:\n  rows:\n    from: "{{ read.|')).toContain('read.error')
  })
})
