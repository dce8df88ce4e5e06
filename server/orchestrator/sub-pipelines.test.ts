import { describe, expect, it } from 'vitest'
import type { Principal } from '@/core/engine/principal'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { S, ada, gate, noop, set } from '@/testing/engine-run'
import type { Journal } from '@/server/ports/journal'
import { person } from '@/testing/person'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

type Nodes = PipelineDefinition['nodes']
const bob = person('bob', ['approver'])

type At = Awaited<ReturnType<typeof createOrchestratorFixture>>

const pipeline = (id: string, nodes: Nodes): PipelineDefinition => ({
  schemaVersion: 1,
  id,
  name: id,
  nodes,
})
const runs = (id: string, of: string, startWhen = S) => ({ id, pipeline: of, startWhen })

/** A pipeline gets another revision, or its first. */
async function publish({ store }: At, id: string, nodes: Nodes): Promise<void> {
  const revision = {
    pipelineId: id,
    definition: pipeline(id, nodes) as never,
    text: null,
    digest: JSON.stringify(nodes),
    createdAt: 1,
    createdBy: 'ada',
    createdById: 'usr_ada',
  }
  const row = await store.pipelines.get(id)
  const parts = { name: id, description: null, labels: {}, revision }
  await (row === null ? store.pipelines.create(parts) : store.pipelines.update(parts, row.revision))
}

/** Journals as they were before revisions were fixed at the start. */
const asOfEarlierVersion = (real: Journal): Journal => ({
  ...real,
  read: async (executionId, range) =>
    (await real.read(executionId, range)).map((entry) => {
      const { sub_pipelines: _, ...payload } = entry.event.payload
      return { ...entry, event: { ...entry.event, payload } }
    }),
})

const approve = (at: At, executionId: string) => at.publish(executionId, 'external.ok.approved')
const fork = (at: At, executionId: string, more: { atSeq: number; revision?: number }) =>
  at.settle(at.engine.fork({ executionId, actor: ada, ...more }))

/** Revision of the run that works for a node. */
async function revisionBelow(at: At, executionId: string, node: string): Promise<number | undefined> {
  await at.until(async () => (await at.runs.state(executionId))?.nodes.get(node)?.status === 'completed')
  const child = (await at.runs.state(executionId))!.nodes.get(node)!.child!
  return (await at.store.executions.get(child))?.revision
}

describe('pipelines below a run', () => {
  const parent: Nodes = [gate('ok'), runs('sub', 'child', 'event:ok.approved')]
  const pipelines = [
    pipeline('child', [runs('deep', 'grandchild')]),
    pipeline('grandchild', [set('a', { v: 1 })]),
  ]
  const fixture = () => createOrchestratorFixture(parent, { pipelines, mostComputed: 100 })

  it('[R-65] [R-74] run in the revisions of the start: one published after the approval stays out, at every depth', async () => {
    const at = await fixture()
    const id = await at.started()
    const [created] = await at.store.journal.read(id)
    expect(created?.event.payload).toMatchObject({ sub_pipelines: { child: 1, grandchild: 1 } })
    await publish(at, 'child', [noop('other')])
    await publish(at, 'grandchild', [noop('other')])
    await approve(at, id)
    expect(await revisionBelow(at, id, 'sub')).toBe(1)
    const child = (await at.runs.state(id))!.nodes.get('sub')!.child!
    expect(await revisionBelow(at, child, 'deep')).toBe(1)
  })

  it('[R-65] what was not there at the start does not run behind the approval', async () => {
    const at = await createOrchestratorFixture(parent, { mostComputed: 100 })
    const id = await at.started()
    await publish(at, 'child', [noop('other')])
    await approve(at, id)
    await at.until(async () => (await at.status(id)) === 'failed')
    expect((await at.runs.state(id))?.error?.message).toContain(
      "there was no pipeline 'child' when the run started",
    )
  })

  it('[R-65] [R-78] a fork behind the approval stays with them; from the start it takes the latest', async () => {
    const at = await fixture()
    const id = await at.started()
    await approve(at, id)
    expect(await revisionBelow(at, id, 'sub')).toBe(1)
    await publish(at, 'child', [noop('other')])
    const decided = (await at.store.journal.read(id)).find(({ event }) => event.type === 'ok.completed')!
    const behind = await fork(at, id, { atSeq: decided.event.seq })
    if (!behind.ok) throw new Error(behind.rejection.message)
    expect(await revisionBelow(at, behind.executionId, 'sub')).toBe(1)
    const again = await fork(at, id, { atSeq: 0 })
    if (!again.ok) throw new Error(again.rejection.message)
    await approve(at, again.executionId)
    expect(await revisionBelow(at, again.executionId, 'sub')).toBe(2)
  })

  it('a run that fixed none, of an earlier version, takes the latest as it did', async () => {
    const at = await createOrchestratorFixture(parent, {
      pipelines,
      mostComputed: 100,
      journal: asOfEarlierVersion,
    })
    const id = await at.started()
    await at.reboot()
    await publish(at, 'child', [noop('other')])
    await approve(at, id)
    expect(await revisionBelow(at, id, 'sub')).toBe(2)
  })

  it('more than a run may have are refused', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `c${index}`)
    const at = await createOrchestratorFixture(
      many.map((id) => runs(`n_${id}`, id)),
      {
        pipelines: many.map((id) => pipeline(id, [noop('a')])),
      },
    )
    expect(await at.start()).toMatchObject({ ok: false, rejection: { code: 'payload_too_large' } })
  })
})

it('[R-75] an empty list over a pipeline gives `[]` for every output that it declares', async () => {
  const each = { ...runs('each', 'child'), forEach: { items: '{{ [] }}' } }
  const outputs = { o: { value: '{{ a.v }}' }, other: { value: '{{ a.v }}' } }
  const at = await createOrchestratorFixture(
    [each, set('b', { v: '{{ each.o }}' }, 'event:each.completed')],
    { pipelines: [{ ...pipeline('child', [set('a', { v: 1 })]), outputs }], mostComputed: 100 },
  )
  const id = await at.started()
  await at.until(async () => (await at.status(id)) === 'completed')
  expect(await at.store.variables.get(id, 'b.v')).toMatchObject({ value: [] })
  expect(await at.store.variables.get(id, 'each.other')).toMatchObject({ value: [] })
})

it('[R-92] whoever ran the parent again is a requester of what runs below it', async () => {
  const excluded = gate('ok', { excludeRequester: true, approvers: ['role:approver'] })
  const at = await createOrchestratorFixture([runs('sub', 'child')], {
    pipelines: [pipeline('child', [excluded])],
  })
  const id = await at.started()
  const again = await at.settle(
    at.engine.submit({ executionId: id, input: { type: 'rerun', nodes: ['sub'], actor: bob } }),
  )
  expect(again.ok).toBe(true)
  const child = async () => (await at.runs.state(id))?.nodes.get('sub')?.child
  await at.until(async () => {
    const childId = await child()
    return childId != null && (await at.status(childId)) === 'waiting'
  })
  const decide = async (actor: Principal) =>
    at.settle(
      at.engine.submit({
        executionId: (await child())!,
        input: { type: 'publish_event', eventType: 'external.ok.approved', payload: {}, actor },
      }),
    )
  expect(await decide(bob)).toMatchObject({ ok: false, rejection: { code: 'not_an_approver' } })
  expect(await decide(person('carl', ['approver']))).toMatchObject({ ok: true })
})

describe('[R-65] a mock over a gate', () => {
  const pipelines = [pipeline('child', [runs('deep', 'grandchild')]), pipeline('grandchild', [gate('ok')])]
  const mocks = { sub: { outputs: {} } }

  it('is refused at the start, with the place', async () => {
    const at = await createOrchestratorFixture([runs('sub', 'child')], { pipelines })
    expect(await at.start({ mocks })).toMatchObject({
      ok: false,
      rejection: { code: 'unknown_mock', issues: [{ path: ['mocks', 'sub'], code: 'mocked_gate' }] },
    })
  })

  it('is refused when a fork would carry it to a revision with a gate below', async () => {
    const open = [pipeline('child', [noop('a')])]
    const at = await createOrchestratorFixture([runs('sub', 'child'), gate('ok')], { pipelines: open })
    const started = await at.start({ mocks })
    if (!started.ok) throw new Error(started.rejection.message)
    await publish(at, 'child', [gate('ok')])
    const { executionId } = started
    expect(await fork(at, executionId, { atSeq: 0 })).toMatchObject({
      ok: false,
      rejection: { code: 'unknown_mock' },
    })
    expect(await fork(at, executionId, { atSeq: 4 })).toMatchObject({ ok: true })
  })

  it('is found in a run of an earlier version, which is not run again behind it', async () => {
    const open = [pipeline('child', [noop('a')])]
    const at = await createOrchestratorFixture([runs('sub', 'child')], {
      pipelines: open,
      journal: asOfEarlierVersion,
    })
    const started = await at.start({ mocks })
    if (!started.ok) throw new Error(started.rejection.message)
    await at.reboot()
    const refused = async () => at.runs.refusedMocks((await at.runs.state(started.executionId))!)
    expect(await refused()).toBeNull()
    await publish(at, 'child', [gate('ok')])
    expect(await refused()).toMatchObject({ code: 'unknown_mock', issues: [{ code: 'mocked_gate' }] })
  })
})
