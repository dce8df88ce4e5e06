import { describe, expect, it } from 'vitest'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { diffDefinitions } from './diff'
import { countDiff, describeDiff, nodeNames } from './describe'

const start = 'event:pipeline.started'
const before: PipelineDefinition = {
  schemaVersion: 1,
  id: 'a',
  name: 'A',
  nodes: [
    { id: 'read', task: 'noop', startWhen: start },
    { id: 'load', task: 'log', startWhen: 'event:read.completed' },
    { id: 'gone', task: 'noop', startWhen: start },
    { id: 'stays', task: 'noop', startWhen: start },
  ],
  layout: { stays: { x: 0, y: 0 } },
}
const after: PipelineDefinition = {
  ...before,
  name: 'B',
  nodes: [
    { id: 'read', task: 'noop', startWhen: start, timeout: '5m' },
    { id: 'fresh', task: 'fail', startWhen: 'event:read.failed' },
    { id: 'load', task: 'log', startWhen: 'event:read.completed' },
    { id: 'stays', task: 'noop', startWhen: start },
  ],
  layout: { stays: { x: 9, y: 0 } },
  notes: [{ id: 'n', text: 'why', x: 0, y: 0 }],
  rehearsals: [{ name: 'it goes well', plan: {}, expect: {} }],
}

describe('a difference in words', () => {
  it('calls nodes by their names where they have one, those that are gone too', () => {
    const named = { ...after, nodes: after.nodes.map((node) => ({ ...node, name: `The ${node.id}` })) }
    const old = { ...before, nodes: before.nodes.map((node) => ({ ...node, name: `Old ${node.id}` })) }
    const texts = describeDiff(diffDefinitions(old, named), nodeNames(named, old)).map(({ text }) => text)
    expect(texts).toEqual(
      expect.arrayContaining(['Node The fresh added', 'Node Old gone removed', 'Node The read changed']),
    )
    expect(nodeNames(named, null, 'no definition')('nobody')).toBe('nobody')
  })

  it('lists each member once, with its fields', () => {
    const described = describeDiff(diffDefinitions(before, after))
    expect(described.map(({ text }) => text)).toEqual([
      'The pipeline changed',
      'Node fresh added',
      'Node gone removed',
      'Node read changed',
      'Node stays moved',
      'Note n added',
      'Case it goes well added',
    ])
    expect(described[0]?.fields).toEqual([{ path: ['name'], before: 'A', after: 'B' }])
    expect(described[3]?.fields).toEqual([{ path: ['timeout'], after: '5m' }])
  })

  it('lists a renamed node as one, with what else changed of it', () => {
    const renamed = {
      ...before,
      nodes: before.nodes.map((node) => (node.id === 'gone' ? { ...node, id: 'left', timeout: '1m' } : node)),
    }
    const described = describeDiff(diffDefinitions(before, renamed))
    expect(described).toMatchObject([
      { kind: 'renamed', text: 'Node gone renamed to left', fields: [{ path: ['timeout'] }] },
    ])
  })

  it('counts for a line', () => {
    expect(countDiff(diffDefinitions(before, after))).toBe(
      'the pipeline changed; 1 node added, 1 removed, 1 changed, 1 moved; 1 note added; 1 case added',
    )
    expect(countDiff(diffDefinitions(before, before))).toBe('')
  })
})
