import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionView } from '@/core/engine/view/view'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ people: { root: ['operator', 'approver', 'editor'], vic: ['viewer'] } })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const view = async (id: string) => (await api.call('GET', `/api/v1/executions/${id}`)).body as ExecutionView
const errorOf = (answer: Answer) => (answer.body as { error: { code: string; issues: object[] } }).error

let made = 0
/** An ended run of these nodes. */
async function run(nodes: readonly object[]): Promise<string> {
  const id = `h_${(made += 1)}`
  const created = await post('/pipelines', { id, name: id, nodes })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const started = await post(`/pipelines/${id}/executions`, {})
  const { execution_id } = started.body as { execution_id: string }
  await api.closed(execution_id)
  return execution_id
}

const fails = (id: string, more: object = {}) => ({
  id,
  task: 'fail',
  inputBindings: { message: 'no' },
  outputVariables: { rows: '{{ 1 }}' },
  startWhen: S,
  ...more,
})

describe('POST /executions/{id}/nodes/{node}/complete', () => {
  const nodes = [
    fails('load'),
    { id: 'use', task: 'set', inputBindings: { v: '{{ load.rows }}' }, startWhen: 'event:load.completed' },
  ]
  const body = { outputs: { rows: 12 }, reason: 'Loaded from the archive' }

  it('[R-94] completes a failed node, lets the run go on, and shows who did it and why', async () => {
    const id = await run(nodes)
    expect((await view(id)).status).toBe('failed')
    const key = { 'idempotency-key': 'by-hand' }
    const first = await post(`/executions/${id}/nodes/load/complete`, body, key)
    expect(first).toMatchObject({ status: 200, body: { nodes: ['load', 'use'] } })
    await api.closed(id)
    expect(await view(id)).toMatchObject({
      status: 'completed',
      generation: 2,
      nodes: {
        load: {
          status: 'completed',
          outputs: { rows: 12 },
          by_hand: { actor: 'root', reason: 'Loaded from the archive' },
        },
        use: { outputs: { v: 12 }, by_hand: null },
      },
    })
    const event = (await api.call('GET', `/api/v1/executions/${id}/events/load.completed`)).body
    expect(event).toMatchObject({ actor: 'root', payload: { by_hand: { reason: body.reason } } })
    const explained = (await api.call('GET', `/api/v1/executions/${id}/nodes/load/explain`)).body
    expect(explained).toMatchObject({
      summary: 'load was completed by hand by root: Loaded from the archive',
    })

    const { last_seq } = await view(id)
    expect(await post(`/executions/${id}/nodes/load/complete`, body, key)).toMatchObject({ body: first.body })
    expect((await view(id)).last_seq).toBe(last_seq)
    const records = await api.ctx.audit.read({ limit: 100 })
    expect(records.filter(({ subject }) => subject === `${id}/load`)).toMatchObject([
      { actor: 'root', action: 'node.completed_by_hand', result: { reason: body.reason } },
    ])
  })

  it('[R-94] refuses outputs that do not fit, no reason, what did not fail, and who may not operate', async () => {
    const id = await run(nodes)
    const path = `/executions/${id}/nodes`
    const wrong = await post(`${path}/load/complete`, { ...body, outputs: { row: 1 } })
    expect(wrong.status).toBe(422)
    expect(errorOf(wrong)).toMatchObject({
      code: 'invalid_outputs',
      issues: [
        { path: ['outputs', 'row'], code: 'unknown_output', hint: 'did you mean rows?' },
        { path: ['outputs', 'rows'], code: 'missing_output' },
      ],
    })
    for (const reason of [undefined, '', '  ', 'x'.repeat(5_000)])
      expect((await post(`${path}/load/complete`, { ...body, reason })).status, reason).toBe(422)
    expect(errorOf(await post(`${path}/use/complete`, { ...body, outputs: { v: 1 } })).code).toBe(
      'not_completable',
    )
    expect(errorOf(await post(`${path}/lod/complete`, body)).code).toBe('unknown_node')
    expect((await post('/executions/nowhere/nodes/load/complete', body)).status).toBe(404)
    const vic = { authorization: 'Bearer vic' }
    expect((await post(`${path}/load/complete`, body, vic)).status).toBe(403)
    expect((await view(id)).generation).toBe(1)
  })

  it('[R-94] takes files of the run only', async () => {
    const write = (id: string, path: string) => ({
      id,
      task: 'file.write',
      inputBindings: { path, content: 'x' },
      startWhen: S,
    })
    const id = await run([write('good', 'a.txt'), write('bad', "{{ '..' + '/a.txt' }}")])
    const { artifact } = (await view(id)).nodes['good']!.outputs as { artifact: { artifact_id: string } }
    const complete = (file: object) =>
      post(`/executions/${id}/nodes/bad/complete`, {
        outputs: { artifact: file, path: 'a.txt', bytes: 1 },
        reason: 'Written by hand',
      })
    expect(errorOf(await complete({ ...artifact, artifact_id: 'nobodys' }))).toMatchObject({
      code: 'invalid_outputs',
      issues: [{ path: ['outputs', 'artifact'], code: 'unknown_file' }],
    })
    expect((await complete(artifact)).status).toBe(200)
  })

  it('[R-65] [R-94] stands for no approval, also not for one that lies deeper', async () => {
    const gate = {
      id: 'gate',
      task: 'approval',
      inputBindings: { message: 'ok?', approvers: ['role:approver'], timeout: '1ms' },
      startWhen: S,
    }
    for (const definition of [
      { id: 'deep', nodes: [gate] },
      { id: 'middle', nodes: [{ id: 'down', pipeline: 'deep', startWhen: S }] },
    ])
      expect((await post('/pipelines', { name: definition.id, ...definition })).status).toBe(201)
    const id = await run([gate, { id: 'over', pipeline: 'middle', startWhen: S }])
    expect((await view(id)).nodes['over']?.status).toBe('failed')
    for (const [node, why] of [
      ['gate', /only its approvers/],
      ['over', /'middle', which runs 'deep', with the approval 'gate'/],
    ] as const) {
      const refused = await post(`/executions/${id}/nodes/${node}/complete`, { reason: 'x' })
      expect(refused.status).toBe(409)
      expect(errorOf(refused)).toMatchObject({ code: 'not_completable', message: expect.stringMatching(why) })
    }
  })
})

describe('[R-94] whoever decides is told what people completed, in whichever run', () => {
  const ask = (startWhen: string) => ({
    id: 'ask',
    task: 'approval',
    inputBindings: { message: 'ok?', approvers: ['role:approver'] },
    startWhen,
  })
  const byHandIn = async (executionId: string) => {
    const path = `/api/v1/approvals?execution_id=${executionId}`
    const items = async () => ((await api.call('GET', path)).body as { items: { by_hand: string[] }[] }).items
    await expect.poll(async () => (await items()).length).toBe(1)
    return (await items())[0]!.by_hand
  }
  const create = (id: string, nodes: object[], more: object = {}) =>
    post('/pipelines', { id, name: id, nodes, ...more })
  const start = async (id: string) =>
    ((await post(`/pipelines/${id}/executions`, {})).body as { execution_id: string }).execution_id
  const childOf = async (id: string) => {
    await expect.poll(async () => (await view(id)).nodes['sub']?.child_execution_id ?? null).not.toBeNull()
    return (await view(id)).nodes['sub']!.child_execution_id!
  }
  const reason = 'Loaded from the archive'

  it('above: before the node for which the run works', async () => {
    await create('asking', [ask(S)])
    await create('above', [
      fails('load'),
      { id: 'sub', pipeline: 'asking', startWhen: 'event:load.completed' },
    ])
    const id = await start('above')
    await api.closed(id)
    await post(`/executions/${id}/nodes/load/complete`, { outputs: { rows: 1 }, reason })
    expect(await byHandIn(await childOf(id))).toEqual(['above/load'])
  })

  it('below: in the run of a node before it', async () => {
    const retry = { maxAttempts: 2, strategy: 'fixed', delay: '1h' }
    await create('below', [fails('load', { retry })])
    await create('asks_after', [{ id: 'sub', pipeline: 'below', startWhen: S }, ask('event:sub.completed')])
    const id = await start('asks_after')
    const child = await childOf(id)
    await expect.poll(async () => (await view(child)).nodes['load']?.status).toBe('retrying')
    await post(`/executions/${child}/nodes/load/complete`, { outputs: { rows: 1 }, reason })
    expect(await byHandIn(id)).toEqual(['below/load'])
  })
})
