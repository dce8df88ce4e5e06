import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, compiled, gate, noop, set, type NodeSpec } from '@/testing/engine-run'
import { person } from '@/testing/person'
import { emptyState } from './state'
import { evolve } from './fold/evolve'
import { snapshotOf } from './decide/fork'
import { mockedInputsOf, mockedValuesOf } from './mocked-values'
import { viewOf } from './view/project'

const mocks = { extract: { outputs: { v: 7 } } }
const nodes = [
  set('extract', { v: 1 }),
  set('other', { v: 2 }),
  set('sum', { total: '{{ extract.v + other.v }}' }, 'event:extract.completed && event:other.completed'),
  set('again', { total: '{{ sum.total * 2 }}' }, 'event:sum.completed'),
  gate(
    'ask',
    { message: '{{ extract.v }} and {{ other.v }} make {{ again.total }}', quorum: 2 },
    'event:again.completed',
  ),
]
const named = [
  { value: 'extract.v', mocks: ['extract'] },
  { value: 'again.total', mocks: ['extract'] },
]
const approve = (run: EngineRun, word: 'approved' | 'rejected', actor = ada) =>
  run.event(`external.ask.${word}`, {}, actor)

describe('values from mocks', () => {
  it('a question names them, also those that were computed from them; what people saw stays with the decision', () => {
    const run = new EngineRun({ nodes }, { mocks })
    run.drain()
    expect(run.payload('ask.waiting')['mocked']).toEqual(named)
    expect(viewOf(run.state, run.now)).toMatchObject({
      mocked: true,
      mocks: ['extract'],
      nodes: { ask: { approval: { message: '7 and 2 make 18', mocked: named } } },
    })
    approve(run, 'approved')
    approve(run, 'approved', person('bob', ['approver']))
    expect(run.payload('ask.approved')['mocked']).toEqual(named)
    expect(run.payload('pipeline.completed')['mocked']).toBe(true)
    run.check()
    const rejected = new EngineRun({ nodes }, { mocks })
    rejected.drain()
    approve(rejected, 'rejected')
    expect(rejected.payload('ask.rejected')['mocked']).toEqual(named)
    expect(rejected.payload('pipeline.failed')['mocked']).toBe(true)
  })

  it('a run without mocks says nothing of them', () => {
    const run = new EngineRun({ nodes })
    run.drain()
    expect(run.payload('ask.waiting')).not.toHaveProperty('mocked')
    expect(viewOf(run.state, run.now)).toMatchObject({ mocked: false, mocks: [], mocked_inputs: [] })
  })

  it('the error of a mocked failure is one, and so is what an approval asks beside its message', () => {
    const run = new EngineRun(
      {
        nodes: [
          noop('work'),
          gate(
            'ask',
            { form: { note: { type: 'string', default: '{{ work.error.message }}' } } },
            'event:work.failed',
          ),
        ],
      },
      { mocks: { work: { error: { message: 'broken' } } } },
    )
    expect(run.payload('ask.waiting')['mocked']).toEqual([{ value: 'work.error', mocks: ['work'] }])
  })

  it('what a person gave by hand comes from no mock', () => {
    const run = new EngineRun(
      {
        nodes: [set('work', { v: 1 }), gate('ask', { message: '{{ work.v }}' }, 'event:work.completed')],
      },
      { mocks: { work: { error: { message: 'broken' } } } },
    )
    run.take({ type: 'complete_by_hand', node: 'work', outputs: { v: 4 }, reason: 'done there', actor: ada })
    expect(run.payload('ask.waiting')).toMatchObject({ message: '4' })
    expect(run.payload('ask.waiting')).not.toHaveProperty('mocked')
    expect(viewOf(run.state, run.now)).toMatchObject({ mocked: true })
  })

  it('a list of mocked values makes each of its items one, for tasks and for the runs below', () => {
    const state = emptyState(
      'x1',
      compiled({
        inputs: { given: { type: 'array' } },
        nodes: [
          set('rows', { v: [1, 2] }),
          set('each', { v: '{{ item }}' }, S, { forEach: { items: '{{ rows.v }}' } }),
          {
            id: 'sub',
            pipeline: 'below',
            inputBindings: { a: '{{ item }}', b: 1, c: '{{ each.v }}', d: '{{ index }}' },
            startWhen: S,
            forEach: { items: '{{ pipeline.input.given }}' },
          } as NodeSpec,
          gate('ask', { message: '{{ sub.out }}' }),
        ],
      }),
    )
    const node = (id: string) => state.pipeline.nodes.get(id)!
    state.mocks = { rows: { outputs: { v: [3] } } }
    expect(mockedInputsOf(state, node('sub'))).toEqual(['c'])
    expect(mockedValuesOf(state, node('ask'))).toEqual([{ value: 'sub.out', mocks: ['rows'] }])
    state.mocks = {}
    state.mockedInputs = ['given']
    expect(mockedInputsOf(state, node('sub'))).toEqual(['a'])
    expect(mockedValuesOf(state, node('ask'))).toEqual([
      { value: 'sub.out', mocks: ['pipeline.input.given'] },
    ])
  })

  it('a child knows which of its inputs come from mocks of its parent', () => {
    const run = new EngineRun(
      {
        inputs: { rows: { type: 'number' }, place: { type: 'string', default: 'here' } },
        nodes: [gate('ask', { message: '{{ pipeline.input.rows }} rows {{ pipeline.input.place }}' })],
      },
      { inputs: { rows: 3 }, mockedInputs: ['rows'] },
    )
    expect(run.payload('pipeline.created')).toMatchObject({ mocked_inputs: ['rows'] })
    expect(run.payload('ask.waiting')['mocked']).toEqual([
      { value: 'pipeline.input.rows', mocks: ['pipeline.input.rows'] },
    ])
    expect(viewOf(run.state, run.now)).toMatchObject({ mocked: true, mocks: [], mocked_inputs: ['rows'] })
  })

  it('a journal of an earlier version is read as if its question had said so', () => {
    const run = new EngineRun({ nodes }, { mocks })
    run.drain()
    const state = emptyState('x1', run.state.pipeline)
    for (const { event, variables } of run.entries) {
      const { mocked: _, ...payload } = event.payload
      evolve(state, { event: { ...event, payload }, variables })
    }
    expect(viewOf(state, run.now).nodes['ask']?.approval?.mocked).toEqual(named)
  })

  it('a fork takes over what people saw', () => {
    const run = new EngineRun({ nodes }, { mocks })
    run.drain()
    approve(run, 'approved')
    approve(run, 'approved', person('bob', ['approver']))
    const snapshot = snapshotOf(run.state, run.state.pipeline, { newInputs: false })
    const origin = { executionId: 'x1', seq: run.state.seq, snapshot }
    const copy = new EngineRun({ nodes }, { mocks, origin })
    expect(viewOf(copy.state, copy.now).nodes['ask']?.approval?.mocked).toEqual(named)
    copy.check()
  })

  it('names no more than a question can hold', () => {
    const many = Array.from({ length: 60 }, (_, at) => `n${at}`)
    const run = new EngineRun(
      {
        nodes: [
          ...many.map((id) => noop(id)),
          set(
            'all',
            { v: many.map((id) => `{{ ${id}.v }}`) },
            many.map((id) => `event:${id}.completed`).join(' && '),
          ),
          gate(
            'ask',
            { message: `${many.map((id) => `{{ ${id}.v }}`).join('')}{{ all.v }}` },
            'event:all.completed',
          ),
        ],
      },
      { mocks: {} },
    )
    run.state.mocks = Object.fromEntries(many.map((id) => [id, { outputs: {} }]))
    const { pipeline } = run.state
    expect(mockedValuesOf(run.state, pipeline.nodes.get('ask')!)).toHaveLength(50)
    const last = gate('last', { message: '{{ all.v }}' })
    const found = mockedValuesOf(
      { ...run.state, pipeline: compiled({ nodes: [...pipeline.definition.nodes, last] }) },
      compiled({ nodes: [...pipeline.definition.nodes, last] }).nodes.get('last')!,
    )
    expect(found).toEqual([{ value: 'all.v', mocks: many.slice(0, 10) }])
  })
})
