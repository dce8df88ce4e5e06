import { describe, expect, it } from 'vitest'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { EngineRun, S, compiled, gate, noop } from '@/testing/engine-run'
import { checkMocks } from './mocks'
import type { SubPipelines } from './gate-below'

type Nodes = PipelineDefinition['nodes']

const runs = (id: string, pipeline: string) => ({ id, pipeline, startWhen: S })

function refusal(nodes: Nodes, below: Record<string, Nodes>): string | null {
  const subPipelines: SubPipelines = new Map(
    Object.entries(below).map(([id, own]) => [id, compiled({ id, nodes: own })]),
  )
  const { state } = new EngineRun({ nodes })
  const mocks = { [nodes[0]!.id]: { error: { message: 'odd' } } }
  return checkMocks(state, { mocks, subPipelines })?.message ?? null
}

describe('[R-65] a mock', () => {
  it('stands for no approval of a sub-pipeline, whatever outcome it gives', () => {
    expect(refusal([runs('sub', 'child')], { child: [noop('a'), gate('ok')] })).toBe(
      "'sub' cannot be mocked: it runs 'child', with the approval 'ok'",
    )
  })

  it('stands for no gate at any depth, through a forEach too', () => {
    const each = { ...runs('sub', 'child'), forEach: { items: '{{ [1, 2] }}' } }
    const below = {
      child: [runs('deep', 'grandchild')],
      grandchild: [runs('deeper', 'last')],
      last: [gate('ok')],
    }
    expect(refusal([each], below)).toBe(
      "'sub' cannot be mocked: it runs 'child', which runs 'grandchild', which runs 'last', with the approval 'ok'",
    )
  })

  it('stands for nothing that waits for an event of the outside', () => {
    const waits = { ...noop('n'), startWhen: 'event:external.bank.paid' }
    expect(refusal([runs('sub', 'child')], { child: [waits] })).toBe(
      "'sub' cannot be mocked: it runs 'child', with 'n', which waits for external.bank.paid",
    )
  })

  it('[N-15] stands for a sub-pipeline without gates, also one that runs itself or is not there', () => {
    expect(refusal([runs('sub', 'child')], { child: [noop('a'), runs('again', 'child')] })).toBeNull()
    expect(refusal([runs('sub', 'child')], {})).toBeNull()
    expect(refusal([noop('a'), runs('sub', 'child')], { child: [gate('ok')] })).toBeNull()
  })
})
