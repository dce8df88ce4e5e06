import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/definition/compile'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import type { ExecutionView, NodeView } from '@/core/engine/view/view'
import { taskCatalog } from '@/tasks/contracts'
import { draw, itemsText } from './drawing'
import { reuseDrawing } from './memoize'

function compiled(text: string): CompiledPipeline {
  const result = compilePipeline(pipelineDefinitionSchema.parse(parse(text)), {
    revision: 1,
    tasks: taskCatalog,
  })
  if (!result.ok) throw new Error(JSON.stringify(result.issues))
  return result.pipeline
}

const TEXT = `
id: sample
nodes:
  - { id: read, task: set, inputBindings: { rows: 3 }, startWhen: "event:pipeline.started" }
  - { id: gate, name: May it?, task: approval, inputBindings: { message: m, approvers: ["role:approver"] }, startWhen: "event:read.completed && {{ read.rows > 1 }}" }
  - { id: publish, task: log, inputBindings: { message: "{{ read.rows }}" }, startWhen: "event:gate.approved" }
  - { id: shelve, task: noop, startWhen: "event:gate.rejected || event:gate.timeout" }
  - { id: later, task: noop, startWhen: "event:external.go && event:read.completed", startTimeout: 1h }
  - { id: peek, task: log, inputBindings: { message: m }, startWhen: "{{ read.rows > 1 }}" }
  - { id: sub, pipeline: other, startWhen: "event:read.completed" }
  - { id: clean, task: noop, finally: true, startWhen: "event:pipeline.completed" }
`
const pipeline = compiled(TEXT)

const pending: NodeView = {
  status: 'pending',
  phase: 'p',
  attempts: 0,
  started_at: null,
  finished_at: null,
  duration_ms: null,
  skip_reason: null,
  skip_cause: null,
  error: null,
  handled: false,
  by_hand: null,
  handled_below: false,
  outputs: null,
  waiting_for: null,
  next_wake_at: null,
  critical: false,
  slack_ms: 500,
  child_execution_id: null,
  items: null,
  progress: null,
  approval: null,
}

function run(nodes: Record<string, Partial<NodeView>>, criticalPath: string[] = []): ExecutionView {
  const all = Object.fromEntries([...pipeline.nodes.keys()].map((id) => [id, { ...pending, ...nodes[id] }]))
  return { nodes: all, critical_path: criticalPath } as unknown as ExecutionView
}

const edge = (drawing: ReturnType<typeof draw>, id: string) => drawing.edges.find((each) => each.id === id)

describe('the drawing of a pipeline', () => {
  const drawing = draw(pipeline, null)

  it('[R-29] has one line between two nodes, whatever the one waits for of the other, named by its outcomes', () => {
    expect(drawing.edges.map((each) => [each.id, each.label]).sort()).toEqual([
      ['external.go>later', null],
      ['gate>publish', 'approved'],
      ['gate>shelve', 'rejected or timeout'],
      ['read>gate', 'if read.rows > 1'],
      ['read>later', null],
      ['read>peek', null],
      ['read>sub', null],
    ])
  })

  it('[R-29] shows that a node reads a variable only where no event already puts it after the writer', () => {
    expect(edge(drawing, 'read>peek')?.outcome).toBe('reads')
    expect(edge(drawing, 'read>publish')).toBeUndefined()
    expect(drawing.nodes.find((node) => node.id === 'read')?.outcomes).toEqual(['completed'])
  })

  it('marks gates that are more than an AND, and draws external events as nodes of their own', () => {
    const marks = Object.fromEntries(drawing.nodes.map((node) => [node.id, node.gate]))
    expect(marks).toMatchObject({ read: [], gate: ['condition'], shelve: ['or'], later: [] })
    expect(drawing.nodes.find((node) => node.id === 'external.go')).toMatchObject({
      kind: 'signal',
      name: 'go',
    })
    expect(drawing.nodes.find((node) => node.id === 'clean')?.finally).toBe(true)
  })

  it('names each outcome that something waits for once at its source', () => {
    expect(drawing.nodes.find((node) => node.id === 'gate')?.outcomes).toEqual(['approved', 'rejected'])
  })
})

describe('the drawing of a run', () => {
  it('[N-8] says which pipeline a node runs, and which run of it works for the node', () => {
    const child = (drawing: ReturnType<typeof draw>) => drawing.nodes.find((node) => node.id === 'sub')?.child
    expect(child(draw(pipeline, null))).toEqual({ pipeline: 'other', execution: null })
    expect(child(draw(pipeline, run({ sub: { child_execution_id: 'c' } })))).toEqual({
      pipeline: 'other',
      execution: 'c',
    })
  })

  it('[R-88] marks what was taken over: it ended before the fork, or before the latest rerun', () => {
    const ended = (second: number, more: Partial<NodeView> = {}) => ({
      status: 'completed' as const,
      finished_at: `2026-03-01T12:00:0${second}.000Z`,
      ...more,
    })
    const view = run({ read: ended(1), sub: ended(5), gate: ended(1, { status: 'skipped' }), publish: {} })
    const reused = (before: string | null) =>
      draw(pipeline, view, before).nodes.flatMap(({ id, reused }) => (reused ? [id] : []))
    expect(reused('2026-03-01T12:00:03.000Z')).toEqual(['read'])
    expect(reused(null)).toEqual([])
  })

  it('[R-51] shows a person’s no apart from a failure', () => {
    const error = { kind: 'rejected', message: 'rejected by ada' }
    const drawing = draw(pipeline, run({ gate: { status: 'failed', error }, read: { status: 'failed' } }))
    expect(drawing.nodes.flatMap(({ id, rejected }) => (rejected ? [id] : []))).toEqual(['gate'])
  })

  it('[R-8] says which try comes when', () => {
    const due = '2026-03-01T12:05:00.000Z'
    const waiting_for = { kind: 'timer', text: `is tried again at ${due}`, names: [] } as const
    const drawing = draw(
      pipeline,
      run({ read: { status: 'retrying', attempts: 1, next_wake_at: due, waiting_for } }),
    )
    expect(drawing.nodes.find((node) => node.id === 'read')).toMatchObject({
      wakeAt: due,
      nextTry: 2,
      note: null,
    })
  })

  it('[R-55] tells how far a list is, without what there is none of', () => {
    expect(itemsText({ total: 5, completed: 3, failed: 1, running: 1 })).toBe(
      '3 of 5 completed, 1 failed, 1 running',
    )
    expect(itemsText({ total: 0, completed: 0, failed: 0, running: 0 })).toBe('0 of 0 completed')
  })

  it('tells what has happened, what no longer can, and where work flows', () => {
    const drawing = draw(
      pipeline,
      run({
        read: { status: 'completed' },
        gate: { status: 'failed', error: { kind: 'rejected', message: 'no' } },
        shelve: { status: 'running', started_at: '2026-03-01T12:00:00.000Z' },
        publish: { status: 'skipped', skip_reason: 'upstream_failed' },
      }),
    )
    expect(edge(drawing, 'read>gate')?.state).toBe('taken')
    expect(edge(drawing, 'gate>publish')).toMatchObject({ state: 'dead', flowing: false })
    expect(edge(drawing, 'gate>shelve')).toMatchObject({ state: 'taken', flowing: true })
    expect(drawing.nodes.find((node) => node.id === 'publish')?.note).toBe('upstream failed')
  })

  it('says of a node that it waits for a slot, but the place that a run waits for is no matter of its nodes', () => {
    const slot = {
      kind: 'slot',
      text: 'waits for a run of pipeline p to end (at most 2 at once)',
      names: [],
    } as const
    const noteOf = (status: NodeView['status']) =>
      draw(pipeline, run({ read: { status, waiting_for: slot } })).nodes.find(({ id }) => id === 'read')?.note
    expect(noteOf('pending')).toBe('not started')
    expect(noteOf('queued')).toBe(slot.text)
  })

  it('draws the critical path along its nodes only, and slack only on what is still to come', () => {
    const drawing = draw(pipeline, run({ read: { status: 'completed' } }, ['read', 'gate', 'publish']))
    expect(drawing.edges.filter((each) => each.critical).map((each) => each.id)).toEqual([
      'read>gate',
      'gate>publish',
    ])
    expect(drawing.nodes.find((node) => node.id === 'read')?.slackMs).toBeNull()
    expect(drawing.nodes.find((node) => node.id === 'later')?.slackMs).toBe(500)
  })

  it('keeps every card and line that did not change the same object', () => {
    const before = draw(pipeline, run({}))
    const after = draw(pipeline, run({ read: { status: 'running' } }))
    const changed = after.nodes.filter((node, index) => node !== before.nodes[index]).map((node) => node.id)
    expect(changed).toEqual(['read'])
    expect(after.edges).toBe(before.edges)
    expect(draw(pipeline, run({ read: { status: 'running' } })).nodes).toBe(after.nodes)
    // Another program of the same words is drawn by itself.
    const other = draw(compiled(TEXT), run({ read: { status: 'running' } }))
    expect(reuseDrawing(other, after)).toEqual(after)
    expect(reuseDrawing(other, after).nodes).toBe(after.nodes)
  })

  it('is what is drawn of a run at once, whatever was drawn before', () => {
    const one = run({ read: { status: 'completed' } }, ['read', 'gate', 'publish'])
    const two = run({
      read: { status: 'completed' },
      gate: { status: 'running' },
      later: { status: 'running' },
    })
    const three = {
      ...two,
      nodes: { ...two.nodes, peek: one.nodes['peek']! },
      critical_path: ['read', 'peek'],
    }
    for (const shown of [one, two, three, null, three, one])
      expect(draw(pipeline, shown)).toEqual(draw(compiled(TEXT), shown))
  })
})
