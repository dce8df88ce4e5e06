import { describe, expect, it } from 'vitest'
import type { ArtifactSummary } from '@/components/api'
import type { ExecutionView, NodeView } from '@/core/engine/view/view'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import { decisionsOf, evidenceOf } from './decisions'

const ada = { id: 'usr_ada', name: 'ada', roles: ['approver'] }
const asking = (approvers: readonly string[], votes: readonly { approver_id: string }[] = []) =>
  ({ status: 'waiting', approval: { approvers, votes } }) as unknown as NodeView
const runOf = (nodes: Readonly<Record<string, NodeView>>, past: unknown = null) => ({
  ...{ past, view: { nodes } as Pick<ExecutionView, 'nodes'> },
  pipeline: { nodes: new Map(Object.keys(nodes).map((id) => [id, {}])) } as unknown as CompiledPipeline,
})

describe('the decisions that a run asks of somebody', () => {
  it('are those that wait, that name the person, and on which they have not spoken', () => {
    const nodes = {
      work: { status: 'running', approval: null } as unknown as NodeView,
      done: { ...asking(['role:approver']), status: 'completed' } as NodeView,
      mine: asking(['role:approver']),
      others: asking(['user:eve']),
      spoken: asking(['role:approver'], [{ approver_id: 'usr_ada' }]),
      second: asking(['user:ada'], [{ approver_id: 'usr_eve' }]),
    }
    expect(decisionsOf(runOf(nodes), ada)).toEqual(['mine', 'second'])
    expect(decisionsOf(runOf(nodes, { seq: 3 }), ada)).toEqual([])
    expect(decisionsOf(runOf(nodes), { ...ada, roles: [] })).toEqual(['second'])
  })
})

describe('what a question is about', () => {
  const predecessors = new Map([
    ['ask', ['chart', 'check']],
    ['chart', ['monthly']],
    ['check', ['read']],
    ['monthly', ['read']],
  ])
  const file = (node_id: string, name: string) => ({ node_id, name, artifact_id: name }) as ArtifactSummary
  const outputs = (values: object) => ({ outputs: values }) as unknown as NodeView

  it('files and tables of the nodes before it, the nearest first, and of no other', () => {
    const nodes = {
      read: outputs({ rows: [{ days: 3 }], count: 1 }),
      monthly: outputs({ rows: [{ month: 1 }], columns: [{ name: 'month' }], names: ['a'] }),
      later: outputs({ rows: [{ no: 1 }] }),
    }
    const artifacts = [file('read', 'days.csv'), file('later', 'no.csv'), file('chart', 'year.svg')]
    const found = evidenceOf({ predecessors }, nodes, artifacts, 'ask')
    expect(found.files.map(({ name }) => name)).toEqual(['year.svg', 'days.csv'])
    expect(found.tables).toEqual([
      { node: 'monthly', name: 'rows', rows: [{ month: 1 }] },
      { node: 'read', name: 'rows', rows: [{ days: 3 }] },
    ])
    expect(evidenceOf({ predecessors }, nodes, artifacts, 'read')).toEqual({ files: [], tables: [] })
  })
})
