import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { compilePipeline, type CompiledPipeline } from './compile'
import type { NodeDefinition, PipelineDefinition } from './definition'
import { renderTemplate } from '@/core/pipeline/expression/template'

const S = 'event:pipeline.started'

function compiled(definition: PipelineDefinition): CompiledPipeline {
  const result = compilePipeline(definition, { revision: 3, tasks: taskCatalog })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.pipeline
}

const definition: PipelineDefinition = {
  id: 'p',
  outputs: { y: { value: '{{ b.v }}', required: true }, z: { value: 1 } },
  policy: { failFast: true },
  nodes: [
    {
      id: 'a',
      task: 'set',
      inputBindings: { v: '{{ pipeline.input.x + 1 }}' },
      startWhen: S,
      estimate: '2s',
    },
    {
      id: 'b',
      task: 'set',
      inputBindings: { v: '{{ a.v * 10 }}' },
      startWhen: 'event:a.completed && {{ a.v > 1 }} || event:external.go',
      startTimeout: '1h',
      phase: 'late',
      allowFailure: true,
    },
    {
      id: 'g',
      task: 'approval',
      inputBindings: { message: 'ok?', approvers: ['role:admin'] },
      startWhen: 'event:b.completed',
    },
    { id: 'f', task: 'noop', startWhen: 'event:pipeline.completed', finally: true },
  ],
}

describe('compiling', () => {
  it('[R-28] fills in defaults and parses everything once', () => {
    const pipeline = compiled(definition)
    expect([...pipeline.nodes.keys()]).toEqual(['a', 'b', 'g', 'f'])
    expect(pipeline).toMatchObject({ revision: 3, failFast: true, priority: 5, finallyNodes: ['f'] })
    expect(pipeline.nodes.get('a')).toMatchObject({
      kind: 'task',
      phase: 'level_0',
      estimateMs: 2_000,
      timeoutMs: null,
      onLost: 'retry',
      outputVariables: null,
      outputNames: ['v'],
    })
    expect(pipeline.nodes.get('b')).toMatchObject({
      phase: 'late',
      startTimeoutMs: 3_600_000,
      allowFailure: true,
      gateEvents: ['a.completed', 'external.go'],
    })
    expect(pipeline.nodes.get('g')).toMatchObject({ kind: 'approval', phase: 'level_2' })
    // a finally node has ten minutes.
    expect(pipeline.nodes.get('f')).toMatchObject({ finally: true, timeoutMs: 600_000, phase: 'finally' })
  })

  it('indexes who listens to what', () => {
    const pipeline = compiled(definition)
    expect(Object.fromEntries(pipeline.listeners)).toEqual({
      'pipeline.started': ['a'],
      'a.completed': ['b'],
      'external.go': ['b'],
      'b.completed': ['g'],
      'pipeline.completed': ['f'],
    })
    expect(Object.fromEntries(pipeline.conditionReaders)).toEqual({ a: ['b'] })
    expect(pipeline.levels).toEqual([['a', 'f'], ['b'], ['g']])
    expect(pipeline.successors.get('a')).toEqual(['b'])
    expect(pipeline.outputs.get('z')).toEqual({ template: { kind: 'literal', value: 1 }, required: false })
  })

  it('bindings render over a scope', () => {
    const bindings = compiled(definition).nodes.get('a')?.bindings
    if (!bindings) throw new Error('no bindings')
    const scope = {
      lookup: (name: string) => (name === 'pipeline.input.x' ? { value: 2 } : undefined),
      names: () => [],
    }
    expect(renderTemplate(bindings, scope)).toEqual({ ok: true, value: { v: 3 } })
  })

  it('source code is a literal whatever stands in it', () => {
    const pipeline = compiled({
      id: 'p',
      nodes: [{ id: 'a', task: 'script.javascript', inputBindings: { code: '{{ not cel }' }, startWhen: S }],
    })
    const bindings = pipeline.nodes.get('a')?.bindings
    expect(bindings?.kind === 'map' && bindings.entries.get('code')).toEqual({
      kind: 'literal',
      value: '{{ not cel }',
    })
  })

  it('answers issues when it cannot run', () => {
    const nodes: NodeDefinition[] = [
      { id: 'a', task: 'nope', startWhen: S },
      { id: 'b', task: 'noop', startWhen: 'event:' },
      { id: 'c', task: 'noop', startWhen: S, breaker: { key: 'k' } },
    ]
    const result = compilePipeline({ id: 'p', nodes }, { revision: 1, tasks: taskCatalog })
    expect(result.ok ? [] : result.issues.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      'nodes.0.task unknown_task',
      'nodes.1.startWhen invalid_expression',
      'nodes.2.breaker not_supported_yet',
    ])
    const cycle = compilePipeline(
      {
        id: 'p',
        nodes: [
          { id: 'a', task: 'noop', startWhen: 'event:b.completed' },
          { id: 'b', task: 'noop', startWhen: 'event:a.completed' },
        ],
      },
      { revision: 1, tasks: taskCatalog },
    )
    expect(cycle).toMatchObject({ ok: false, issues: [{ code: 'cycle' }] })
  })
})
