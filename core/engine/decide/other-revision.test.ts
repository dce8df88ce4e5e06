import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, compiled, failing, gate, heavy, noop, set } from '@/testing/engine-run'
import type { Rerun } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { inheritedBy, refusalUnder, snapshotOf, type ForkChange } from './fork'

type Definition = ConstructorParameters<typeof EngineRun>[0]

const second = (definition: Definition): CompiledPipeline => ({ ...compiled(definition), revision: 2 })

/** What a rerun under the second revision does again, besides finally nodes. */
function again(state: ExecutionState, next: Definition, more: Partial<ForkChange> = {}): string[] {
  const pipeline = second(next)
  const inherited = new Set(inheritedBy(state, pipeline, { newInputs: false, asked: 'failed', ...more }))
  return [...pipeline.nodes.values()].flatMap(({ id, finally: last }) =>
    inherited.has(id) || last ? [] : [id],
  )
}

describe('a rerun under another revision', () => {
  const broken: Definition = {
    nodes: [
      set('a', { v: 1 }),
      set('side', { v: 1 }),
      failing('b', 'event:a.completed'),
      noop('c', 'event:b.completed'),
      noop('d', 'event:c.completed'),
      noop('late', 'event:side.completed'),
      noop('clean', 'event:pipeline.failed', { finally: true }),
    ],
  }
  const corrected = (...changes: Definition['nodes']): Definition => ({
    nodes: broken.nodes.map((node) => changes.find(({ id }) => id === node.id) ?? node),
  })

  it('[R-88] takes over what had completed and is the same with all before it; the rest is done again', () => {
    const run = new EngineRun(broken)
    run.drain().check()
    const next = corrected(noop('b', 'event:a.completed'))
    expect(again(run.state, next)).toEqual(['b', 'c', 'd'])
    expect(again(run.state, corrected(noop('b', 'event:a.completed'), set('side', { v: 2 })))).toEqual([
      'side',
      'b',
      'c',
      'd',
      'late',
    ])
    // Named nodes come on top of what failed, and names that do no work change nothing.
    expect(again(run.state, next, { asked: ['side'] })).toEqual(['side', 'b', 'c', 'd', 'late'])
    expect(again(run.state, corrected(set('side', { v: 1 }, S, { name: 'Beside' })))).toEqual(['b', 'c', 'd'])

    const snapshot = snapshotOf(run.state, second(next), { newInputs: false, asked: 'failed' })
    const copy = new EngineRun(next, { origin: { executionId: 'x1', seq: run.state.seq, snapshot } })
    copy.drain().check()
    expect(copy.state.lifecycle).toBe('COMMIT')
    expect(copy.types).not.toContain('a.started')
    expect(copy.value('a.v')).toBe(1)
  })

  it('[R-65] [R-88] approvals ask again after a change and before one; one that has nothing to do with it does not', () => {
    const nodes = [
      set('a', { v: 1 }),
      gate('g', {}, 'event:a.completed'),
      failing('b', 'event:g.approved'),
      gate('h', {}, 'event:b.completed || event:b.failed'),
      gate('elsewhere'),
      noop('after', 'event:elsewhere.approved'),
    ]
    const run = new EngineRun({ nodes })
    run.drain()
    run.event('external.g.approved')
    run.event('external.elsewhere.approved')
    run.drain()
    run.event('external.h.approved')
    run.drain().check()
    const next = { nodes: nodes.map((node) => (node.id === 'b' ? noop('b', 'event:g.approved') : node)) }
    expect(again(run.state, next)).toEqual(['g', 'b', 'h'])
    // Nothing changed: what was approved stays approved, as in any rerun.
    expect(again(run.state, { nodes })).toEqual(['b', 'h'])
    // A fork by a person asks all of them.
    const all = inheritedBy(run.state, second(next), { newInputs: false })
    expect(all).toEqual(['a'])
  })

  it('[R-88] another revision of a pipeline below is a change of the nodes that run it, at any depth', () => {
    const over: Definition = {
      nodes: [
        { id: 'one', pipeline: 'top', startWhen: S },
        { id: 'two', pipeline: 'other', startWhen: S },
        gate('g', {}, 'event:one.completed'),
        noop('n', 'event:two.completed'),
      ],
    }
    const top = compiled({ id: 'top', nodes: [{ id: 'x', pipeline: 'deep', startWhen: S }] })
    const deep = compiled({ id: 'deep', nodes: [noop('x')] })
    const other = compiled({ id: 'other', nodes: [noop('x')] })
    const below = (deepRevision: number) =>
      new Map([
        ['top', top],
        ['deep', { ...deep, revision: deepRevision }],
        ['other', other],
      ])
    const run = new EngineRun(over)
    run.state.subPipelines = new Map([
      ['top', 1],
      ['deep', 1],
      ['other', 1],
    ])
    run.drain()
    run.event('external.g.approved')
    run.drain()
    expect(again(run.state, over, { below: below(1) })).toEqual([])
    expect(again(run.state, over, { below: below(2) })).toEqual(['one', 'g'])
    // Of a run of an earlier version nobody knows what ran below it.
    run.state.subPipelines = null
    expect(again(run.state, over, { below: below(1) })).toEqual(['one', 'two', 'g', 'n'])
  })

  it('[R-88] is refused where nothing would run, for nodes that are not there, and while a cancel is on its way', () => {
    const nodes = [noop('a'), noop('clean', 'event:pipeline.completed', { finally: true })]
    const run = new EngineRun({ nodes })
    run.drain()
    const why = (state: ExecutionState, asked: Rerun, next: Definition = { nodes }) =>
      refusalUnder(state, second(next), { newInputs: false, asked })?.code ?? null
    expect(why(run.state, 'failed')).toBe('nothing_to_rerun')
    expect(why(run.state, ['a'])).toBeNull()
    expect(why(run.state, ['aa'])).toBe('unknown_node')
    expect(why(run.state, 'failed', { nodes: [...nodes, noop('fresh')] })).toBeNull()
    const going = new EngineRun({ nodes: [heavy('slow')] })
    going.take({ type: 'cancel', reason: null, actor: ada })
    expect(why(going.state, ['slow'], { nodes: [heavy('slow')] })).toBe('execution_finished')
  })
})
