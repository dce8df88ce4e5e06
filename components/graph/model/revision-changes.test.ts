import { describe, expect, it } from 'vitest'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { diffDefinitions } from '@/core/pipeline/diff/diff'
import { taskCatalog } from '@/tasks/contracts'
import { drawRevisionChanges } from './revision-changes'

const start = 'event:pipeline.started'
const definition = (nodes: PipelineDefinition['nodes'], layout = {}): PipelineDefinition => ({
  schemaVersion: 1,
  id: 'a',
  nodes,
  layout,
})
function drawn(before: PipelineDefinition, after: PipelineDefinition) {
  const [old, now] = [before, after].map((each, at) =>
    compilePipeline(each, { revision: at + 1, tasks: taskCatalog }),
  )
  if (!old?.ok || !now?.ok) throw new Error('does not compile')
  return drawRevisionChanges(old.pipeline, now.pipeline, diffDefinitions(before, after))
}

describe('two revisions in one drawing', () => {
  it('marks what came, went, changed and moved, lines as well', () => {
    const before = definition(
      [
        { id: 'read', task: 'noop', startWhen: start },
        { id: 'check', task: 'fail', startWhen: 'event:read.completed', inputBindings: { message: 'x' } },
        { id: 'load', task: 'log', startWhen: 'event:check.completed', inputBindings: { message: 'x' } },
        { id: 'end', task: 'noop', startWhen: 'event:load.completed' },
      ],
      { end: { x: 0, y: 0 } },
    )
    const after = definition(
      [
        { id: 'read', task: 'noop', startWhen: start },
        { id: 'load', task: 'log', startWhen: 'event:read.completed', inputBindings: { message: 'x' } },
        { id: 'end', task: 'noop', startWhen: 'event:load.completed' },
        { id: 'tell', task: 'log', startWhen: 'event:load.failed', inputBindings: { message: 'down' } },
      ],
      { end: { x: 9, y: 0 } },
    )
    const { nodes, edges } = drawn(before, after)
    expect(Object.fromEntries(nodes.map(({ id, change }) => [id, change]))).toEqual({
      read: undefined,
      load: 'changed',
      end: 'moved',
      tell: 'added',
      check: 'removed',
    })
    expect(Object.fromEntries(edges.map(({ from, to, change }) => [`${from}>${to}`, change]))).toEqual({
      'read>load': 'added',
      'load>end': undefined,
      'load>tell': 'added',
      'read>check': 'removed',
      'check>load': 'removed',
    })
  })

  it('draws what was renamed once, under its new name', () => {
    const before = definition([
      { id: 'one', task: 'noop', startWhen: start },
      { id: 'two', task: 'log', startWhen: 'event:one.completed', inputBindings: { message: 'x' } },
    ])
    const after = definition([
      { id: 'first', task: 'noop', startWhen: start },
      { id: 'two', task: 'log', startWhen: 'event:first.completed', inputBindings: { message: 'x' } },
    ])
    const { nodes, edges } = drawn(before, after)
    expect(nodes.map(({ id, change }) => [id, change])).toEqual([
      ['first', 'changed'],
      ['two', 'changed'],
    ])
    expect(edges.map(({ from, to, change }) => [from, to, change])).toEqual([['first', 'two', undefined]])
  })
})
