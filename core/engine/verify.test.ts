import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, noop, set } from '@/testing/engine-run'
import { jsonBytes } from './json-bytes'
import { explain } from './view/explain'
import { viewOf } from './view/project'

const rows = { name: 'has rows', check: '{{ a.rows > 0 }}' }
const named = { name: 'is named', check: "{{ a.name == 'x' }}" }

describe('verification', () => {
  it('[H-1][R-63] checks that hold are recorded, and the run completes', () => {
    const run = new EngineRun({ nodes: [set('a', { rows: 3, name: 'x' })], verify: [rows, named] })
    expect(viewOf(run.state, run.now).checks).toEqual([
      { name: 'has rows', held: null, text: null },
      { name: 'is named', held: null, text: null },
    ])
    run.drain().check()
    expect(run.payload('pipeline.verifying')).toEqual({
      checks: [
        { name: 'has rows', held: true },
        { name: 'is named', held: true },
      ],
    })
    expect(run.state.lifecycle).toBe('COMMIT')
  })

  it('[H-1][R-63] one that does not hold fails the run: the error names it and what was found', () => {
    const run = new EngineRun({
      nodes: [set('a', { rows: 0, name: 'x' })],
      outputs: { rows: { value: '{{ a.rows }}' } },
      verify: [rows, named],
    })
    run.drain().check()
    expect(run.types.slice(-3)).toEqual(['pipeline.verifying', 'pipeline.failed', 'pipeline.closed'])
    expect(run.state.error).toEqual({
      kind: 'verify_failed',
      message: "a check does not hold: 'has rows': a.rows is 0",
    })
    const view = viewOf(run.state, run.now)
    expect(view).toMatchObject({ status: 'failed', lifecycle: 'FAILED', outputs: null })
    expect(view.checks).toEqual([
      { name: 'has rows', held: false, text: 'a.rows is 0' },
      { name: 'is named', held: true, text: null },
    ])
    expect(explain(run.state, 'a').checks).toHaveLength(2)
  })

  it('[H-1] one that cannot be evaluated does not hold, and says why', () => {
    const run = new EngineRun({
      nodes: [failing('a', S, { allowFailure: true }), set('b', { rows: 1 }, 'event:a.completed')],
      verify: [
        { name: 'has rows', check: '{{ b.rows > 0 }}' },
        { name: 'is a number', check: '{{ a.error.message }}' },
      ],
    })
    run.drain().check()
    expect(run.state.error?.message).toContain(
      "2 checks do not hold: 'has rows': variable b.rows is not there",
    )
    expect(run.state.error?.message).toContain('must be true or false')
    expect(explain(run.state, 'b').checks.map(({ name }) => name)).toEqual(['has rows'])
  })

  it('[H-1] nothing is checked where a node failed the run, or a person ended it', () => {
    const failed = new EngineRun({ nodes: [failing('a')], verify: [rows] })
    failed.drain().check()
    expect(failed.count('pipeline.verifying')).toBe(0)
    const ended = new EngineRun({ nodes: [set('a', { rows: 1 })], verify: [rows] })
    ended.take({ type: 'cancel', reason: null, actor: ada })
    ended.take({ type: 'fail_attempt', key: ended.attempt('a'), error: { kind: 'cancelled', message: '' } })
    ended.check()
    expect(ended.count('pipeline.verifying')).toBe(0)
    expect(viewOf(ended.state, ended.now).checks).toEqual([{ name: 'has rows', held: null, text: null }])
  })

  it('[H-1][R-64] a rerun checks again, with what is there then', () => {
    const run = new EngineRun({
      nodes: [noop('a', S, { task: 'script.javascript', inputBindings: { code: 'return 1' } })],
      verify: [{ name: 'has rows', check: '{{ a.result > 0 }}' }],
    })
    run.complete('a', { result: 0 })
    expect(run.state.lifecycle).toBe('FAILED')
    run.take({ type: 'rerun', nodes: ['a'], actor: ada })
    expect(run.state.checks).toEqual([])
    run.complete('a', { result: 1 })
    run.check()
    expect(run.state.lifecycle).toBe('COMMIT')
    expect(viewOf(run.state, run.now).checks).toEqual([{ name: 'has rows', held: true, text: null }])
  })

  it('[H-1][E-15] what all checks say has room in one event, whatever they find', () => {
    const name = (at: number) => `${'ñ'.repeat(90)} ${at}`
    const run = new EngineRun({
      nodes: [set('a', { text: '漢"\\\u0001'.repeat(1_000) })],
      verify: Array.from({ length: 50 }, (_, at) => ({ name: name(at), check: "{{ a.text == '' }}" })),
    })
    run.drain().check()
    expect(jsonBytes(run.payload('pipeline.verifying'), Infinity)).toBeLessThan(64 * 1024)
    expect(jsonBytes(run.payload('pipeline.failed'), Infinity)).toBeLessThan(64 * 1024)
  })
})
