import { describe, expect, it } from 'vitest'
import { eventsAt, eventsOf, readableAt, type Place } from './readable'

const definition = {
  id: 'p',
  inputs: { station: { type: 'string', description: 'Which one.' } },
  nodes: [
    { id: 'extract', task: 'duckdb.query', startWhen: 'event:pipeline.started' },
    { id: 'side', task: 'noop', startWhen: 'event:pipeline.started' },
    {
      id: 'per_row',
      task: 'set',
      forEach: { items: '{{ extract.rows }}' },
      inputBindings: { one: '{{ item }}' },
      startWhen: 'event:extract.completed',
    },
    { id: 'child', pipeline: 'other', startWhen: '{{ per_row.one.size() > 0 }} && event:per_row.completed' },
    { id: 'ask', task: 'approval', startWhen: 'event:child.completed' },
    { id: 'broken', task: 'noop', startWhen: 'event:' },
    { id: '__proto__', task: 'noop', startWhen: 'event:ask.approved' },
  ],
}
const children = new Map([['other', [{ name: 'path', type: 'string', doc: 'Where.' }]]])
const names = (place: Place) => readableAt(definition, place, children).map(({ name }) => name)

describe('what can be read', () => {
  it('are the outputs of the nodes for which a node waits, near ones first, the inputs and the system', () => {
    const found = names({ node: 'ask', in: 'bindings' })
    expect(found).toEqual(
      expect.arrayContaining(['child.path', 'per_row.one', 'extract.row_count', 'pipeline.input.station']),
    )
    expect(found.indexOf('child.path')).toBeLessThan(found.indexOf('extract.row_count'))
    expect(found.some((name) => name.startsWith('side.'))).toBe(false)
    expect(names({ node: 'broken', in: 'bindings' })).toContain('system.started_at')
    expect(names({ node: '__proto__', in: 'bindings' })).toContain('ask.decision')
  })

  it('are lists where a node runs for each item, which are item and index inside of it', () => {
    const of = (place: Place) => readableAt(definition, place, children)
    expect(of({ node: 'ask', in: 'bindings' }).find(({ name }) => name === 'per_row.one')?.type).toBe(
      'list of values',
    )
    expect(names({ node: 'per_row', in: 'bindings' }).slice(0, 2)).toEqual(['item', 'index'])
    expect(names({ node: 'per_row', in: 'items' })).not.toContain('item')
  })

  it('depend on where the expression stands', () => {
    expect(names({ node: 'extract', in: 'result' })).toContain('result.row_count')
    expect(names({ node: 'extract', in: 'retry' })).toContain('error.kind')
    expect(names({ node: 'extract', in: 'gate' })).toContain('child.path')
    expect(names({ node: null, in: 'outputs' })).toContain('side.error')
    expect(names({ node: null, in: 'webhook' })).not.toContain('side.error')
    expect(names({ node: null, in: 'webhook' })[0]).toBe('body')
  })
})

describe('events', () => {
  it('are those of the other nodes, outcomes first, and those from outside that the pipeline knows', () => {
    const of = (id: string) => eventsAt(definition, id).map(({ type }) => type)
    expect(of('extract')).toEqual(
      expect.arrayContaining(['pipeline.started', 'ask.approved', 'side.completed', 'side.task.lost']),
    )
    expect(of('extract').some((type) => type.startsWith('extract.'))).toBe(false)
    expect(of('extract').indexOf('ask.rejected')).toBeLessThan(of('extract').indexOf('side.queued'))
  })

  it('of the end of the run are only for the nodes that run then', () => {
    const last = { id: 'last', task: 'noop', finally: true, startWhen: 'event:pipeline.failed' }
    const ended = { ...definition, nodes: [...definition.nodes, last, { ...last, id: 'very_last' }] }
    expect(eventsOf(ended, 'pipeline.started', 'side')).toEqual(['pipeline.started'])
    expect(eventsOf(ended, 'pipeline.started', 'last')).toContain('pipeline.failed')
    const of = (id: string) => eventsAt(ended, id).map(({ type }) => type)
    expect(of('side').filter((type) => /^(pipeline|last)\./.test(type))).toEqual(['pipeline.started'])
    expect(of('very_last')).toEqual(expect.arrayContaining(['pipeline.failed', 'last.completed']))
  })

  it('of one source are its own', () => {
    expect(eventsOf(definition, 'ask.approved', 'broken')).toEqual(
      expect.arrayContaining(['ask.rejected', 'ask.timeout']),
    )
    expect(eventsOf(definition, 'extract.completed', 'ask')).not.toContain('extract.approved')
    expect(eventsOf(definition, 'external.go', 'ask')).toEqual(['external.go'])
    expect(eventsOf(definition, 'gone.completed', 'ask')).toEqual(['gone.completed'])
  })
})
