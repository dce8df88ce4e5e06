import { describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { S, ada, heavy, noop, wait } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'
import type { SubmitRequest } from './contract'

const child: PipelineDefinition = {
  schemaVersion: 1,
  id: 'child',
  name: 'child',
  nodes: [
    heavy('t'),
    noop('go', 'event:pipeline.started && event:external.go'),
    noop('u', 'event:t.completed'),
    wait('w', '10s'),
    noop('v', 'event:w.completed'),
  ],
}
const parent: NodeDefinition[] = [{ id: 'sub', pipeline: 'child', startWhen: S }, heavy('own')]

/** A parent whose child is at work. Entries of both can be watched, and the process can die after any of them. */
async function family(crashAfter?: (type: string, executionId: string) => boolean) {
  const at = await createOrchestratorFixture(parent, {
    pipelines: [child],
    ...(crashAfter && {
      crashAfter: (entries: readonly Entry[]) =>
        entries.some(({ event }) => crashAfter(event.type, event.execution_id)),
    }),
  })
  const id = await at.started()
  await at.until(() => at.dispatched.length === 2)
  const childId = at.dispatched.find(({ request }) => request.nodeId === 't')!.request.executionId
  const submit = (executionId: string, input: SubmitRequest['input']) =>
    at.orchestrator.submit({ executionId, input })
  const take = async (executionId: string, input: SubmitRequest['input']) => {
    const answer = await at.settle(submit(executionId, input))
    if (!answer.ok) throw new Error(answer.rejection.message)
  }
  const typesOf = async (executionId: string) =>
    (await at.store.journal.read(executionId)).map(({ event }) => event.type)
  const statuses = async () => [await at.status(id), await at.status(childId)]
  return { at, id, childId, submit, take, typesOf, statuses }
}

const pause = (hard = false) => ({ type: 'pause', reason: null, hard, actor: ada }) as const
const resume = { type: 'resume', actor: ada } as const

describe('children of a paused run', () => {
  it('[R-91] run again after a crash that came when the resume of their parent was durable and theirs was not', async () => {
    const { at, id, submit, take, statuses, typesOf, childId } = await family(
      (type, executionId) => type === 'pipeline.resumed' && executionId === 'x0',
    )
    await take(id, pause())
    await at.until(async () => (await statuses()).every((status) => status === 'paused'))
    void submit(id, resume)
    await at.until(async () => (await typesOf(id)).includes('pipeline.resumed'))
    expect(await statuses()).toEqual(['running', 'paused'])
    await at.reboot()
    await at.until(async () => (await statuses()).every((status) => status === 'running'))
    expect((await at.orchestrator.state(childId))?.pauses).toEqual({ person: null, parent: null })
  })

  it('[R-91] are paused after a crash that came when the pause of their parent was durable and theirs was not, and start nothing', async () => {
    const { at, id, childId, submit, statuses, typesOf, take } = await family(
      (type, executionId) => type === 'pipeline.paused' && executionId === 'x0',
    )
    void submit(id, pause())
    await at.until(async () => (await typesOf(id)).includes('pipeline.paused'))
    expect(await statuses()).toEqual(['paused', 'running'])
    const before = (await typesOf(childId)).length
    // Something is due when the next process takes the child up.
    at.world.now += 20_000
    await at.reboot()
    await at.until(async () => (await statuses()).every((status) => status === 'paused'))
    await take(childId, { type: 'publish_event', eventType: 'external.go', payload: {}, actor: ada })
    at.finish('t')
    await at.until(async () => (await typesOf(childId)).includes('t.completed'))
    const started = (await typesOf(childId)).slice(before).filter((type) => /^[a-z]+\.started$/.test(type))
    expect(started).toEqual([])
    expect(await typesOf(childId)).toContain('w.completed')
    await take(id, resume)
    await at.until(async () => (await typesOf(childId)).includes('u.started'))
    expect(await typesOf(childId)).toContain('go.started')
  })

  it('[R-91] stay paused over the pause and the resume of their parent when a person paused them', async () => {
    const { at, id, childId, submit, take, typesOf } = await family()
    const pauses = async () => (await at.settle(at.orchestrator.state(childId)))?.pauses
    await take(childId, pause())
    await take(id, pause())
    await at.until(
      async () => (await typesOf(childId)).filter((type) => type === 'pipeline.paused').length === 2,
    )
    expect(await at.settle(submit(childId, resume))).toMatchObject({
      ok: false,
      rejection: { code: 'parent_paused' },
    })
    await take(id, resume)
    await at.until(async () => (await typesOf(childId)).includes('pipeline.resumed'))
    expect(await pauses()).toEqual({ person: 'soft', parent: null })
    await take(childId, resume)
    expect(await pauses()).toEqual({ person: null, parent: null })
  })
})
