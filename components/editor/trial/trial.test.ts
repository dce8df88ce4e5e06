import { describe, expect, it } from 'vitest'
import { createDraft, type Definition } from '@/components/editor/model/draft/draft'
import { nodesOf } from '@/components/editor/model/flow'
import { createView } from '@/components/editor/model/view'
import { node, pipeline, set } from '@/testing/definitions'
import { coneOf } from '@/components/editor/model/trial/cone'
import { readValues, valuesOf } from './pin-sources'
import type { Samples } from './samples'
import { staleness } from '@/components/editor/model/trial/staleness'
import { inputsOver, obstacleOf, pin, prepare } from './trial'
import { createTrialStore, INPUTS, type SampleData } from './trial-store'

const draft: Definition = pipeline(
  [
    node('a'),
    node('b', 'event:a.completed'),
    set('c', { v: '{{ b.rows }}', x: '{{ pipeline.input.x }}' }, 'event:b.completed'),
  ],
  {
    inputs: {
      x: { type: 'number', default: 1 },
      y: { type: 'string', required: false },
      z: { type: 'string' },
    },
  },
)
const sample = (id: string, more: Partial<SampleData> = {}): SampleData => ({
  outputs: {},
  at: '2026-01-02T03:04:05.000Z',
  cone: coneOf(draft, id),
  executions: [],
  ...more,
})
const without = (...ids: string[]): Definition => ({
  ...draft,
  nodes: nodesOf(draft).map((one) => (ids.includes(one.id) ? { ...one, task: 'log' } : one)),
})

describe('trying a node of a draft', () => {
  it('shows the input as it will be: over samples, else over what the definition says of its inputs', () => {
    const samples: Samples = {
      nodes: new Map([['b', { outputs: { rows: [1] }, from: 'pin' }]]),
      inputs: null,
      run: null,
    }
    const third = nodesOf(draft)[2]!
    expect(prepare(draft, third, samples, 0)).toMatchObject({
      kind: 'ready',
      trial: { input: { v: [1], x: 1 } },
    })
    expect(prepare(draft, third, { ...samples, inputs: { x: 5 } }, 0)).toMatchObject({
      trial: { input: { x: 5 } },
    })
    expect(prepare(draft, third, { nodes: new Map(), inputs: null, run: null }, 0)).toMatchObject({
      kind: 'failed',
    })
    const unread = prepare(draft, third, { nodes: new Map(), inputs: null, run: null }, 0)
    expect(obstacleOf(unread, ['b'])).toContain('there is no data of b')
    expect(obstacleOf(null, [])).toContain('the node has errors')
    expect(obstacleOf(prepare(draft, third, samples, 0), [])).toBeNull()
    expect(prepare(draft, { id: 'c', task: 7 }, samples, 0)).toBeNull()
    expect(prepare(draft, { id: 'c', task: 'noop' }, samples, 0)).toMatchObject({ kind: 'ready' })
  })

  it('knows values of inputs without a run: defaults, and null where none is needed', () => {
    expect(inputsOver(draft, null)).toEqual({ x: 1, y: null })
    expect(inputsOver(draft, { x: 2, z: 'given' })).toEqual({ x: 2, y: null, z: 'given' })
    expect(inputsOver({ inputs: 'none' }, null)).toEqual({})
  })

  it('says what made the data stale, itself first, and no more than a few names', () => {
    const since = (definition: Definition) => staleness(definition, 'c', sample('c'), 'pinned')
    expect(since(draft)).toBeNull()
    expect(since(without('c', 'a'))).toBe('It has changed since its data was pinned.')
    expect(since(without('a', 'b'))).toBe('b, a changed since its data was pinned.')
    expect(staleness(without('a'), 'c', sample('c'), 'tried')).toBe('a changed since it was tried.')
  })

  it('pins what was tried with what it was made from, and what is written by hand as it fits now', () => {
    const text = JSON.stringify(draft)
    const stores = {
      draft: createDraft({ revision: 1, text }, text, () => 0),
      view: createView(),
      trials: createTrialStore('p', null),
    }
    const tried = sample('c', { outputs: { v: 1 }, executions: ['e1'] })
    stores.draft.edit('Change b', () => without('b'))
    const { definition } = stores.draft.getState()
    const staleOf = (id: string) =>
      staleness(definition, id, stores.trials.getState().pins.get(id)!, 'pinned')
    expect(pin(stores, 'c', tried)).toBeNull()
    expect(staleOf('c')).toBe('b changed since its data was pinned.')
    expect(stores.trials.getState().pins.get('c')).toMatchObject({ outputs: { v: 1 }, executions: ['e1'] })
    expect(pin(stores, 'c', { outputs: { v: 2 }, executions: [] })).toBeNull()
    expect(staleOf('c')).toBeNull()
  })

  it('begins to edit pinned data with what is pinned, else tried, else ran, else the names that it gives', () => {
    const run = {
      run: 'e1',
      at: '2026-01-02T03:04:05.000Z',
      revision: 1,
      nodes: new Map([['c', { outputs: { v: 1 }, from: { run: 'e1', at: '', revision: 1 } }]]),
      inputs: { x: 9 },
    }
    const nothing = { pins: new Map(), tried: new Map(), lastRun: null }
    expect(valuesOf('c', { ...nothing, lastRun: run }, draft)).toMatchObject({
      start: { outputs: { v: 1 }, executions: ['e1'] },
      sources: [{ label: 'From the last run' }],
    })
    const pins = new Map([['c', sample('c', { outputs: { v: 'mine' } })]])
    expect(valuesOf('c', { ...nothing, pins, lastRun: run }, draft).start.outputs).toEqual({ v: 'mine' })
    expect(valuesOf(INPUTS, nothing, draft).start.outputs).toEqual({ x: 1, y: null })
    const query: Definition = { nodes: [{ id: 'q', task: 'duckdb.query' }] }
    expect(valuesOf('q', nothing, query).start.outputs).toMatchObject({ rows: null, row_count: null })
  })

  it('takes an object of JSON as pinned data, and says of anything else why not', () => {
    expect(readValues('{ "rows": [1] }')).toEqual({ ok: true, values: { rows: [1] } })
    const fault = (text: string) => (readValues(text) as { fault: string }).fault
    expect(fault('{')).toMatch(/not JSON/)
    expect(fault('[1]')).toMatch(/Enter an object/)
    expect(fault('{ "a": { "__proto__": 1 } }')).toMatch(/^a\.__proto__: /)
    expect(fault(`{ "a": ${'['.repeat(70)}${']'.repeat(70)} }`)).toMatch(/deeper/)
  })
})
