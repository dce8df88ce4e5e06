import { describe, expect, it } from 'vitest'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import { heavy, S } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

type Fixture = Awaited<ReturnType<typeof createOrchestratorFixture>>

const nodesAtWork = ({ dispatched }: Fixture) => dispatched.map(({ request }) => request.nodeId)
const typesOf = async ({ store }: Fixture, id: string) =>
  (await store.journal.read(id)).map(({ event }) => event.type)

describe('places in child processes', () => {
  it('[R-90] are handed out by admission: what finds none is queued, and its clock does not run', async () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => heavy(id, S, { timeout: '5s' }))
    const at = await createOrchestratorFixture(nodes, { children: 2 })
    const id = await at.started()
    await at.until(() => at.dispatched.length === 2)
    expect(at.runs.poolOf(CHILDREN)).toMatchObject({ capacity: 2, used: 2, waiting: 2, executions: [id] })
    const state = await at.settle(at.runs.state(id))
    expect(state?.nodes.get('d')).toMatchObject({ status: 'queued', pool: CHILDREN })
    at.world.now += 4_000
    at.finish('a')
    at.finish('b')
    await at.until(() => at.dispatched.length === 4)
    at.world.now += 4_000
    at.finish('c')
    at.finish('d')
    await at.until(async () => (await at.status(id)) === 'completed')
  })

  it('[R-90] go to the higher priority first', async () => {
    const at = await createOrchestratorFixture([heavy('a')], { children: 1 })
    const ids = [await at.started(5), await at.started(5), await at.started(9)]
    for (let ended = 1; ended <= 3; ended += 1) {
      await at.until(() => at.dispatched.length === ended)
      at.finish('a')
    }
    expect(at.dispatched.map(({ request }) => request.executionId)).toEqual([ids[0], ids[2], ids[1]])
  })

  it('[R-90] are free when the process is dead, not when its time is over', async () => {
    const at = await createOrchestratorFixture([heavy('a', S, { timeout: '5s' }), heavy('b')], {
      children: 1,
    })
    const id = await at.started()
    await at.until(async () => (await typesOf(at, id)).includes('a.task.failed'))
    expect(at.dispatched[0]).toMatchObject({ aborted: 'timeout' })
    expect(at.runs.poolOf(CHILDREN)).toMatchObject({ used: 1, executions: [] })
    expect(at.runs.poolOf(CHILDREN).others).toEqual([{ what: `${id}/a, which is being ended`, amount: 1 }])
    expect(nodesAtWork(at)).toEqual(['a'])
    at.dispatched[0]!.sink.done({ ok: false, error: { kind: 'timeout', message: 'killed' } })
    await at.until(() => at.dispatched.length === 2)
    expect(at.runs.poolOf(CHILDREN)).toMatchObject({ used: 1, executions: [id], others: [] })
    at.finish('b')
    await at.until(async () => (await at.status(id)) === 'failed')
    expect(at.runs.admission().inUse).toBe(0)
  })

  it('[R-90] that work outside of runs holds are counted, and are handed on when it ends', async () => {
    const at = await createOrchestratorFixture([heavy('a')], { children: 1 })
    const vacate = at.engine.occupy('script.javascript', 'a trial')
    const id = await at.started()
    expect(at.runs.poolOf(CHILDREN)).toMatchObject({
      used: 1,
      waiting: 1,
      others: [{ what: 'a trial', amount: 1 }],
    })
    vacate()
    await at.until(() => at.dispatched.length === 1)
    at.finish('a')
    await at.until(async () => (await at.status(id)) === 'completed')
  })
})

describe('an attempt that was handed to the workers', () => {
  it('[R-90] times out from when they begin, and is lost when they do not', async () => {
    const at = await createOrchestratorFixture([heavy('a', S, { timeout: '5s' })], { unprepared: true })
    const id = await at.started()
    await at.until(() => at.dispatched.length === 2)
    expect((await typesOf(at, id)).slice(-2)).toEqual(['a.task.started', 'a.task.lost'])
    expect(at.dispatched[0]).toMatchObject({ aborted: 'timeout' })
    at.dispatched[1]!.sink.begun()
    await at.until(async () => (await at.status(id)) === 'failed')
    expect((await typesOf(at, id)).filter((type) => type.startsWith('a.task.'))).toEqual([
      'a.task.started',
      'a.task.lost',
      'a.task.running',
      'a.task.failed',
    ])
    expect((await at.settle(at.runs.state(id)))?.error).toMatchObject({ kind: 'timeout' })
  })

  it('[R-90] that begins late, under a token of before, does not begin another', async () => {
    const at = await createOrchestratorFixture([heavy('a', S, { timeout: '5s' })], { unprepared: true })
    const id = await at.started()
    await at.until(() => at.dispatched.length === 2)
    at.dispatched[0]!.sink.begun()
    at.dispatched[1]!.sink.begun()
    at.dispatched[1]!.sink.done({ ok: true, outputs: { result: 1 } })
    await at.until(async () => (await at.status(id)) === 'completed')
    expect((await typesOf(at, id)).filter((type) => type === 'a.task.running')).toHaveLength(1)
    expect(at.warnings).toEqual([])
  })
})
