import { describe, expect, it } from 'vitest'
import { EngineRun, heavy, noop, set } from '@/testing/engine-run'
import { createMemoryValues } from '@/testing/memory-artifacts'
import type { Json } from './event'
import { emptyState } from './state'
import { evolve } from './fold/evolve'
import { viewOf } from './view/project'

const MB = 1024 * 1024
const rows = Array.from({ length: 60_000 }, (_, n) => ({ n, name: `row number ${n}` }))
const after = (node: string) => `event:${node}.completed`

const fixture = () => ({ of: createMemoryValues('x1') })

describe('large values', () => {
  it('[R-61] an output above 1 MB is named by a reference, and readers get the value', () => {
    const { of } = fixture()
    const run = new EngineRun(
      {
        nodes: [
          heavy('a'),
          set('whole', { all: '{{ a.rows }}', count: '{{ size(a.rows) }}' }, after('a')),
          set('last', { name: '{{ a.rows[59999].name }}', text: 'first: {{ a.rows[0].name }}' }, after('a')),
          noop('big', `${after('a')} && {{ size(a.rows) > 59999 }}`),
        ],
      },
      { values: of },
    )
    run.complete('a', { rows, few: 3 })
    const write = run.entries.findLast(({ event }) => event.type === 'a.completed')?.variables[0]
    expect(write).toEqual({
      name: 'a.rows',
      value: null,
      ref: {
        artifact_id: expect.stringMatching(/^value-[0-9a-f]{64}$/),
        digest: expect.any(String),
        bytes: JSON.stringify(rows).length,
      },
    })
    expect(run.value('a.few')).toBe(3)
    run.drain()
    expect(run.value('whole.count')).toBe(60_000)
    expect(run.value('last.name')).toBe('row number 59999')
    expect(run.value('last.text')).toBe('first: row number 0')
    expect(run.node('big').status).toBe('completed')
    // Handed on as it is, it is the same content.
    expect(run.state.variables.get('whole.all')?.ref).toEqual(write?.ref)
    expect(viewOf(run.state, run.now).nodes['a']?.outputs).toEqual({ rows: write?.ref, few: 3 })
    run.check()
  })

  it('[R-61] items of a forEach and outputs of the pipeline may be large, alone and together', () => {
    const { of } = fixture()
    const run = new EngineRun(
      {
        outputs: { all: { value: '{{ each.result }}', required: true } },
        nodes: [heavy('each', undefined, { forEach: { items: '{{ [1, 2, 3] }}' } } as never)],
      },
      { values: of },
    )
    const text = (n: number) => `${n}`.repeat(n === 1 ? 2 * MB : MB / 2)
    for (const n of [1, 2, 3]) run.complete(`each/${n - 1}`, { result: text(n) })
    const ref = run.state.variables.get('each.result')?.ref
    expect(of.load(ref!)).toEqual([1, 2, 3].map(text))
    expect(run.state.variables.get('pipeline.output.all')?.ref).toEqual(ref)
    expect(run.state.lifecycle).toBe('COMMIT')
    run.check()
  })

  it('[R-61] a value that looks like a reference is a value', () => {
    const { of } = fixture()
    const forged = { artifact_id: `value-${'ab'.repeat(32)}`, digest: 'ab'.repeat(32), bytes: 2 * MB }
    const run = new EngineRun(
      {
        nodes: [
          set('a', { ref: forged, wrapped: { value: null, ref: forged } }),
          set('b', { of: '{{ a.ref.bytes }}', all: '{{ a.wrapped }}' }, after('a')),
        ],
      },
      { values: of },
    )
    run.drain()
    expect(run.state.variables.get('a.ref')?.ref).toBeUndefined()
    expect(run.value('b.of')).toBe(2 * MB)
    expect(run.value('b.all')).toEqual({ value: null, ref: forged })
  })

  it('[R-61] [N-O1] a content that is gone fails its reader, and the error says what to do', () => {
    const at = fixture()
    const run = new EngineRun(
      {
        nodes: [
          heavy('a'),
          set('b', { all: '{{ a.rows }}' }, after('a')),
          noop('c', `${after('a')} && {{ size(a.rows) > 0 }}`),
        ],
      },
      { values: { ...at.of, load: () => undefined } },
    )
    run.complete('a', { rows })
    run.drain()
    expect(run.node('b')).toMatchObject({
      status: 'failed',
      error: {
        kind: 'variable_not_found',
        message: expect.stringMatching(/^all: variable a\.rows: its content .* restore it from a backup$/),
      },
    })
    expect(run.node('c')).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('backup') },
    })
    run.check()
  })

  it('[R-61] above 16 MB, or 32 MB together, the attempt fails with the limit', () => {
    const { of } = fixture()
    const one = new EngineRun({ nodes: [heavy('a')] }, { values: of })
    one.complete('a', { big: 'x'.repeat(16 * MB) })
    expect(one.node('a')).toMatchObject({
      error: { kind: 'output_too_large', message: expect.stringContaining('16777216 bytes') },
    })
    const many = new EngineRun({ nodes: [heavy('a')] }, { values: of })
    many.complete('a', { a: 'x'.repeat(12 * MB), b: 'y'.repeat(12 * MB), c: 'z'.repeat(12 * MB) })
    expect(many.node('a')).toMatchObject({
      error: { kind: 'output_too_large', message: expect.stringContaining('33554432 bytes') },
    })
  })

  it('[R-61] a fold loads nothing: the same entries give the same state where no values are', () => {
    const { of } = fixture()
    const run = new EngineRun({ nodes: [heavy('a')] }, { values: of })
    run.complete('a', { rows: rows as unknown as Json })
    const cold = emptyState('x1', run.state.pipeline)
    for (const entry of run.entries) evolve(cold, entry)
    expect(viewOf(cold, run.now)).toEqual(viewOf(run.state, run.now))
  })

  it('[R-61] outputs above 8 MB together, or above 100 MB with those of the other nodes, fail the attempt', () => {
    const large = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`v${at}`, 'x'.repeat(1_000_000)]))
    const run = new EngineRun({ nodes: Array.from({ length: 16 }, (_, at) => heavy(`n${at}`)) })
    run.complete('n0', { ...large, v7: 'x'.repeat(1_000_000), v8: 'x'.repeat(1_000_000) })
    expect(run.node('n0')).toMatchObject({ error: { message: expect.stringContaining('8388608 bytes') } })
    for (let at = 1; at < 15; at += 1) run.complete(`n${at}`, large)
    expect(run.node('n14')).toMatchObject({ status: 'completed' })
    run.complete('n15', large)
    expect(run.node('n15')).toMatchObject({
      status: 'failed',
      error: { kind: 'output_too_large', message: expect.stringContaining('104857600 bytes') },
    })
    run.check()
  })
})
