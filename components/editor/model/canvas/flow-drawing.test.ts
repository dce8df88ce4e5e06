import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toFlow } from '@/components/editor/model/flow'
import { arrange } from '@/components/graph/arrange'
import { labelWidth } from '@/components/graph/model/edge-label'
import { draw } from '@/components/graph/model/drawing'
import { fold, groupId } from '@/components/graph/model/fold'
import { compilePipeline } from '@/core/pipeline/definition/compile'
import { pipelineDefinitionSchema } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { boxesOf, cardPlaces, closedOf, placesOf, spread } from './flow-drawing'

const S = 'event:pipeline.started'
const read = (definition: object) => {
  const compiled = compilePipeline(pipelineDefinitionSchema.parse(definition), {
    revision: 1,
    tasks: taskCatalog,
  })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues))
  return { flow: toFlow({ ...definition }), pipeline: compiled.pipeline }
}
const TEXT = `
id: sample
nodes:
  - { id: read, task: set, inputBindings: { rows: 3 }, startWhen: "event:pipeline.started" }
  - { id: late, task: noop, startWhen: "event:external.go && event:read.completed", startTimeout: 1h }
  - { id: gate, task: approval, inputBindings: { message: m, approvers: ["role:approver"] }, startWhen: "event:read.completed && {{ read.rows > 1000 && read.rows < 20000 }}" }
  - { id: publish, task: noop, startWhen: "event:gate.approved" }
  - { id: drop, task: noop, startWhen: "event:gate.rejected || event:gate.timeout || event:late.failed" }
  - { id: clean, task: noop, finally: true, startWhen: "event:pipeline.completed" }
`
const wide = (count: number) => ({
  id: 'wide',
  nodes: [
    { id: 'first', task: 'noop', startWhen: S },
    ...Array.from({ length: count }, (_, at) => ({
      id: `n${at}`,
      task: 'noop',
      startWhen: 'event:first.completed',
    })),
    {
      id: 'join',
      task: 'noop',
      startWhen: Array.from({ length: count }, (_, at) => `event:n${at}.completed`).join(' && '),
    },
  ],
})

describe('the graph of a draft', () => {
  it.each([
    ['events, conditions and alternatives', parse(TEXT) as object],
    ['a join of 800', wide(800)],
  ])('is where the graph of its run is: %s', async (_what, definition) => {
    const { flow, pipeline } = read(definition)
    const run = fold(draw(pipeline, null))
    expect(Object.fromEntries(await arrange(closedOf(flow), 'right'))).toEqual(
      Object.fromEntries(await arrange(run, 'right')),
    )
    expect(
      closedOf(flow)
        .nodes.map(({ id }) => id)
        .sort(),
    ).toEqual(run.nodes.map(({ id }) => id).sort())
  })

  it('leaves room for the label of an edge where it is, and not elsewhere', async () => {
    const { flow } = read(parse(TEXT) as object)
    const places = await arrange(closedOf(flow), 'right')
    const gap = (from: string, to: string) => places.get(to)!.x - places.get(from)!.x - 224
    expect(gap('read', 'gate')).toBeGreaterThan(labelWidth('if read.rows > 1000 && read.rows < 20000'))
    expect(gap('gate', 'publish')).toBeLessThan(200)
  })

  it('stores for the nodes of a group where they are beside its first, and moves them with its card', () => {
    const { flow } = read(wide(104))
    const card = groupId('n0')
    const [places, seen] = [placesOf(flow), cardPlaces(flow)]
    expect(places.get('n0')).toEqual(seen.get(card))
    expect(new Set(flow.nodes.map(({ id }) => JSON.stringify(places.get(id)))).size).toBe(106)
    expect(boxesOf(flow).get('n50')).toEqual(boxesOf(flow).get('n0'))
    const to = { x: seen.get(card)!.x + 10, y: seen.get(card)!.y + 20 }
    const moved = spread(flow, new Map([[card, to]]))
    expect(moved.size).toBe(104)
    expect(moved.get('n7')).toEqual({ x: places.get('n7')!.x + 10, y: places.get('n7')!.y + 20 })
  })
})
