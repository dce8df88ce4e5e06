import { describe, expect, it } from 'vitest'
import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import type { JsonObject } from '@/core/engine/event'
import { prepareTrial, trialOutputs, type Samples } from './trial'

const samples = (nodes: Record<string, JsonObject>, inputs: JsonObject = {}): Samples => ({
  nodes: new Map(Object.entries(nodes)),
  inputs,
  system: { started_at: '2026-01-02T03:04:05.000Z' },
})
const prepare = (node: Partial<NodeDefinition>, over = samples({}), item?: number) =>
  prepareTrial({ id: 'n', startWhen: 'half written &&', task: 'set', ...node }, over, {
    tasks: taskCatalog,
    item,
  })
const inputOf = (prepared: ReturnType<typeof prepare>) =>
  prepared.kind === 'ready' ? prepared.trial.input : prepared

describe('a trial', () => {
  it('[G-8] renders bindings over samples by the names of a run, and keeps types', () => {
    const inputBindings = {
      rows: '{{ fetch.rows }}',
      text: '{{ pipeline.input.x }} at {{ system.started_at }}',
      why: '{{ fetch.error.message }}',
    }
    const over = samples({ fetch: { rows: [1], error: { message: 'none' } } }, { x: 2 })
    expect(inputOf(prepare({ inputBindings }, over))).toEqual({
      rows: [1],
      text: '2 at 2026-01-02T03:04:05.000Z',
      why: 'none',
    })
  })

  it('[G-9] fails before it begins as an attempt would', () => {
    expect(prepare({ inputBindings: { v: '{{ fetch.rows }}' } })).toMatchObject({
      kind: 'failed',
      error: { kind: 'variable_not_found', message: expect.stringMatching(/^v: .*fetch\.rows/) },
    })
    expect(prepare({ task: 'file.write', inputBindings: { path: '../x', content: '' } })).toMatchObject({
      kind: 'failed',
      error: { kind: 'invalid_input', message: expect.stringMatching(/^path: /) },
    })
  })

  it('[R-55] takes one item of a forEach, for its input and its outputs', () => {
    const node = {
      forEach: { items: '{{ a.list }}' },
      inputBindings: { v: '{{ item }}{{ index }}' },
      outputVariables: { both: '{{ result.v }}/{{ item }}' },
    }
    const second = prepare(node, samples({ a: { list: ['x', 'y'] } }), 1)
    expect(inputOf(second)).toEqual({ v: 'y1' })
    if (second.kind === 'ready')
      expect(trialOutputs(second.trial, { v: 'y1' })).toEqual({ ok: true, values: { both: 'y1/y' } })
    const message = (list: unknown, item = 0) =>
      (prepare(node, samples({ a: { list } as JsonObject }), item) as { error: { message: string } }).error
        .message
    expect(message([])).toMatch(/empty/)
    expect(message(['x'], 1)).toMatch(/none at 1/)
    expect(message('x')).toMatch(/not a list/)
  })

  it('leaves behind what outputVariables say, all outputs without them, and why they cannot be made', () => {
    const left = (outputVariables?: Record<string, string>) => {
      const ready = prepare(outputVariables === undefined ? {} : { outputVariables })
      if (ready.kind !== 'ready') throw new Error(ready.kind)
      return trialOutputs(ready.trial, { n: 1 })
    }
    expect(left()).toEqual({ ok: true, values: { n: 1 } })
    expect(left({ m: '{{ result.n + 1 }}' })).toEqual({ ok: true, values: { m: 2 } })
    expect(left({ m: '{{ result.none }}' })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("'m'") },
    })
  })

  it('refuses nodes without work of their own, and names the field that makes a node impossible to run', () => {
    const child = { id: 'n', startWhen: '', pipeline: 'other' }
    for (const node of [{ task: 'approval' }, { task: 'wait' }]) expect(prepare(node).kind).toBe('refused')
    expect(prepareTrial(child, samples({}), { tasks: taskCatalog }).kind).toBe('refused')
    expect(prepare({ task: 'none' })).toMatchObject({ kind: 'invalid', issues: [{ path: ['task'] }] })
    expect(prepare({ inputBindings: { v: ['{{ a. }}'] } })).toMatchObject({
      kind: 'invalid',
      issues: [{ path: ['inputBindings', 'v', 0] }],
    })
  })

  it('reads names of properties of objects as names like any other', () => {
    expect(prepare({ inputBindings: { v: '{{ toString.x }}' } }).kind).toBe('failed')
    const own = samples({ valueOf: { constructor: 1 } })
    expect(inputOf(prepare({ inputBindings: { v: '{{ valueOf.constructor }}' } }, own))).toEqual({ v: 1 })
  })
})
