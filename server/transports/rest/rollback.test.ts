import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ people: { root: ['operator', 'editor'], vic: ['viewer'] } })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const get = async (path: string) => (await api.call('GET', `/api/v1${path}`)).body
const errorOf = (answer: Answer) => (answer.body as { error: { code: string; message: string } }).error
const view = (id: string) => get(`/executions/${id}`) as Promise<ExecutionView>

const undo = (id: string) => ({
  rollback: { task: 'log', inputBindings: { message: `undo ${id} {{ ${id}.v }}` } },
})
const nodes = [
  { id: 'a', task: 'set', inputBindings: { v: 1 }, startWhen: S, phase: 'first', ...undo('a') },
  {
    id: 'b',
    task: 'set',
    inputBindings: { v: '{{ a.v }}' },
    startWhen: 'event:a.completed',
    phase: 'second',
    ...undo('b'),
  },
  {
    id: 'mail',
    task: 'noop',
    startWhen: 'event:b.completed',
    phase: 'second',
    rollback: { irreversible: true },
  },
]

let made = 0
async function run(more: object = {}): Promise<string> {
  const id = `rb_${(made += 1)}`
  const created = await post('/pipelines', { id, name: id, nodes, ...more })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const started = await post(`/pipelines/${id}/executions`, {})
  const executionId = (started.body as { execution_id: string }).execution_id
  await api.closed(executionId)
  return executionId
}

describe('POST /executions/{id}/rollback', () => {
  it('[H-11][H-O5][R-30] a dry run and the rollback answer the same plan; the first changes nothing', async () => {
    const id = await run()
    const before = await view(id)
    const plan = {
      order: [['b'], ['a']],
      irreversible: ['mail'],
      uncompensated: [],
      nodes: ['a', 'b', 'mail'],
      stops: [],
      consumed: [
        { node_id: 'b', by: ['mail'] },
        { node_id: 'a', by: ['b'] },
      ],
      other_runs: [],
    }
    const dry = await post(`/executions/${id}/rollback`, { scope: 'execution', dry_run: true })
    expect(dry).toMatchObject({ status: 200, body: plan })
    expect((await view(id)).last_seq).toBe(before.last_seq)
    expect(await post(`/executions/${id}/rollback`, { scope: 'execution', reason: 'wrong' })).toMatchObject({
      status: 200,
      body: plan,
    })
    await api.closed(id)
    expect(await view(id)).toMatchObject({
      status: 'rolled_back',
      lifecycle: 'ROLLBACK',
      rollback: { trigger: 'manual', reason: 'wrong', actor: 'root', steps: { a: { status: 'completed' } } },
      nodes: { a: { status: 'rolled_back' }, mail: { status: 'completed' } },
    })
    // How it had ended before counts no more.
    expect((await api.call('GET', `/api/v1/executions/${id}/events/pipeline.completed`)).status).toBe(404)
    const { items } = (await get(`/executions/${id}/events?entity_type=rollback`)) as { items: Event[] }
    expect(items.map(({ type }) => type)).toEqual([
      'b.rollback.started',
      'b.rollback.completed',
      'a.rollback.started',
      'a.rollback.completed',
    ])
    expect(errorOf(await post(`/executions/${id}/rollback`, { scope: 'execution' }))).toMatchObject({
      code: 'nothing_to_roll_back',
    })
  })

  it('[R-63] a phase is rolled back and runs again; what came before stays', async () => {
    const id = await run()
    const asked = { scope: 'phase', target: 'second', restart: true }
    expect(await post(`/executions/${id}/rollback`, asked)).toMatchObject({
      status: 200,
      body: { order: [['b']] },
    })
    await api.closed(id)
    expect(await view(id)).toMatchObject({
      status: 'completed',
      generation: 3,
      nodes: { a: { status: 'completed' } },
    })
    expect((await api.call('GET', `/api/v1/executions/${id}/events/b.rolled_back`)).status).toBe(404)
  })

  it('[H-1][R-26] a verification that fails rolls back by itself, and the last try fails', async () => {
    const id = await run({
      nodes: nodes.slice(0, 2),
      verify: [{ name: 'is two', check: '{{ b.v == 2 }}' }],
      policy: { rollback: { on: 'verify_failed', maxAttempts: 2 } },
    })
    const seen = await view(id)
    expect(seen).toMatchObject({
      status: 'failed',
      generation: 2,
      checks: [{ held: false, text: 'b.v is 1' }],
    })
    expect(seen.error?.message).toContain('it was tried 2 times')
  })

  it('[H-19] who may only look rolls nothing back; what does not exist is named', async () => {
    const id = await run()
    const ask = (body: object, headers?: Record<string, string>) =>
      post(`/executions/${id}/rollback`, body, headers)
    expect((await ask({ scope: 'execution' }, { authorization: 'Bearer vic' })).status).toBe(403)
    expect(errorOf(await ask({ scope: 'node', target: 'x' }))).toMatchObject({ code: 'unknown_node' })
    expect(errorOf(await ask({ scope: 'phase', target: 'secnd' }))).toMatchObject({
      code: 'unknown_phase',
      message: "there is no phase 'secnd'; did you mean second?",
    })
    expect((await ask({ scope: 'artifact', target: 'x' })).status).toBe(404)
    expect((await ask({ scope: 'all' })).status).toBe(422)
  })
})
