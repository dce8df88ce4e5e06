import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import type { ExecutionView } from '@/core/engine/view/view'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: { root: ['operator', 'approver', 'editor'], vic: ['viewer'], eve: ['operator', 'approver'] },
    hub: { heartbeatMs: 50, recheckMs: 20, gatherMs: 5 },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const get = async (path: string) => (await api.call('GET', `/api/v1${path}`)).body
const errorOf = (answer: Answer) => (answer.body as { error: { code: string; issues: object[] } }).error
const view = (id: string) => get(`/executions/${id}`) as Promise<ExecutionView>
const idOf = (answer: Answer) => (answer.body as { execution_id: string }).execution_id

let made = 0
/** A run of `a` (sets v to the input n), `b` (fails when n is 0) and `c`. */
async function run(n: number): Promise<string> {
  const id = `r_${(made += 1)}`
  const nodes = [
    { id: 'a', task: 'set', inputBindings: { v: '{{ pipeline.input.n }}' }, startWhen: S },
    { id: 'b', task: 'set', inputBindings: { v: '{{ 10 / a.v }}' }, startWhen: 'event:a.completed' },
    { id: 'c', task: 'noop', startWhen: 'event:b.completed' },
    { id: 'side', task: 'noop', startWhen: S },
  ]
  const inputs = { n: { type: 'number' } }
  const created = await post('/pipelines', {
    id,
    name: id,
    inputs,
    nodes,
    outputs: { of: { value: '{{ b.v }}' } },
  })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const started = await post(`/pipelines/${id}/executions`, { inputs: { n }, labels: { team: 'data' } })
  if (started.status !== 202) throw new Error(JSON.stringify(started.body))
  await api.closed(idOf(started))
  return idOf(started)
}

describe('POST /executions/{id}/rerun', () => {
  it('[R-54] [R-64] a dry run and the rerun answer the same set; the first changes nothing', async () => {
    const id = await run(0)
    const before = await view(id)
    expect(before.status).toBe('failed')
    const dry = await post(`/executions/${id}/rerun`, { nodes: 'failed', dry_run: true })
    expect(dry).toMatchObject({ status: 200, body: { nodes: ['b', 'c'] } })
    expect((await view(id)).last_seq).toBe(before.last_seq)
    expect(await post(`/executions/${id}/rerun`, { nodes: 'failed' })).toMatchObject({
      status: 200,
      body: { nodes: ['b', 'c'] },
    })
    await api.closed(id)
    expect(await view(id)).toMatchObject({
      status: 'failed',
      generation: 2,
      nodes: { a: { status: 'completed' } },
    })
  })

  it('[R-64] lists leave superseded events and variables out; with superseded=true they are there, marked', async () => {
    const id = await run(2)
    expect((await post(`/executions/${id}/rerun`, { nodes: ['b'] })).status).toBe(200)
    await api.closed(id)
    const events = async (query: string) =>
      (
        (await get(`/executions/${id}/events?limit=250&${query}`)) as {
          items: (Event & { superseded?: true })[]
        }
      ).items
    const types = 'event_types=b.completed,pipeline.completed'
    expect((await events(types)).map(({ generation }) => generation)).toEqual([2, 2])
    const all = await events(`${types}&superseded=true`)
    expect(all.map(({ type, superseded }) => [type, superseded ?? false])).toEqual([
      ['b.completed', true],
      ['pipeline.completed', true],
      ['b.completed', false],
      ['pipeline.completed', false],
    ])
    expect(await view(id)).toMatchObject({ status: 'completed', outputs: { of: 5 } })
  })

  it('[R-64] refuses what is not there, what did not fail, and who may not', async () => {
    const id = await run(1)
    const unknown = await post(`/executions/${id}/rerun`, { nodes: ['sid'] })
    expect(unknown.status).toBe(422)
    expect(errorOf(unknown)).toMatchObject({
      code: 'unknown_node',
      issues: [{ path: ['nodes', 0], hint: 'did you mean side?' }],
    })
    const nothing = await post(`/executions/${id}/rerun`, { nodes: 'failed', dry_run: true })
    expect([nothing.status, errorOf(nothing).code]).toEqual([409, 'nothing_to_rerun'])
    for (const body of [{}, { nodes: [] }, { nodes: 'all' }, { nodes: ['a'], force: true }])
      expect((await post(`/executions/${id}/rerun`, body)).status, JSON.stringify(body)).toBe(422)
    expect((await post('/executions/nowhere/rerun', { nodes: ['a'] })).status).toBe(404)
    expect((await post('/executions/nowhere/rerun', { nodes: ['a'], dry_run: true })).status).toBe(404)
    const vic = { authorization: 'Bearer vic' }
    expect((await post(`/executions/${id}/rerun`, { nodes: ['a'] }, vic)).status).toBe(403)
  })

  it('[R-73] a repeated key runs nothing again', async () => {
    const id = await run(1)
    const key = { 'idempotency-key': 'again' }
    const first = await post(`/executions/${id}/rerun`, { nodes: ['c'] }, key)
    await api.closed(id)
    const { last_seq } = await view(id)
    expect(await post(`/executions/${id}/rerun`, { nodes: ['c'] }, key)).toMatchObject({ body: first.body })
    expect((await view(id)).last_seq).toBe(last_seq)
    expect((await post(`/executions/${id}/rerun`, { nodes: ['a'] }, key)).status).toBe(409)
  })

  it('[R-64] [R-74] a rerun keeps the revisions below the run, shows them, and names the newer ones', async () => {
    const below = (name: string) => ({ id: 'below', name, nodes: [{ id: 't', task: 'noop', startWhen: S }] })
    const nodes = [
      { id: 'plain', task: 'noop', startWhen: S },
      { id: 'sub', pipeline: 'below', startWhen: S },
    ]
    for (const definition of [below('first'), { id: 'over', name: 'over', nodes }])
      expect((await post('/pipelines', definition)).status).toBe(201)
    const id = idOf(await post('/pipelines/over/executions', {}))
    await api.closed(id)
    expect(await view(id)).toMatchObject({ sub_pipelines: { below: 1 } })
    const put = await api.call('PUT', '/api/v1/pipelines/below', below('second'), { 'if-match': '1' })
    expect(put.status).toBe(200)
    const newer = [{ pipeline_id: 'below', revision: 1, newest: 2 }]
    const asked = { nodes: ['sub'], dry_run: true }
    expect(await post(`/executions/${id}/rerun`, asked)).toMatchObject({
      body: { nodes: ['sub'], newer_sub_pipelines: newer },
    })
    expect(await post(`/executions/${id}/rerun`, { ...asked, nodes: ['plain'] })).toMatchObject({
      body: { nodes: ['plain'], newer_sub_pipelines: [] },
    })
    expect((await post(`/executions/${id}/rerun`, { nodes: ['sub'] })).body).toMatchObject({
      newer_sub_pipelines: newer,
    })
    await api.closed(id)
    const child = (await view(id)).nodes['sub']!.child_execution_id!
    expect(await view(child)).toMatchObject({ revision: 1, status: 'completed' })
  })

  it('[R-64] [R-83] the stream of a run that was run again goes on past its first close, for every reader', async () => {
    const id = await run(1)
    const closedAt = (await view(id)).last_seq
    await post(`/executions/${id}/rerun`, { nodes: ['b'] })
    await api.closed(id)
    const { last_seq } = await view(id)
    const seqs = async (after?: number) => {
      const headers = {
        authorization: 'Bearer root',
        ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      }
      const text = await (await fetch(`${api.base}/api/v1/executions/${id}/stream`, { headers })).text()
      return [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
    }
    const range = (from: number) => Array.from({ length: last_seq - from + 1 }, (_, index) => from + index)
    expect(await seqs()).toEqual(range(1))
    expect(await seqs(closedAt)).toEqual(range(closedAt + 1))
    expect(await seqs(last_seq)).toEqual([])
  })

  it('[R-17] [R-64] the stream of a page goes on when a run that it follows is run again', async () => {
    const id = await run(1)
    const closedAt = (await view(id)).last_seq
    const abort = new AbortController()
    const response = await fetch(`${api.base}/api/v1/stream?executions=${id}`, {
      headers: { authorization: 'Bearer root' },
      signal: abort.signal,
    })
    let text = ''
    let asked = false
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (!asked && text.includes(`id: ${id}:${closedAt}\n`)) {
        asked = true
        await post(`/executions/${id}/rerun`, { nodes: ['c'] })
      }
      if ((text.match(/"type":"pipeline\.closed"/g) ?? []).length === 2) break
    }
    abort.abort()
    expect(text).toContain('"type":"pipeline.restarted"')
  })
})

describe('POST /executions/{id}/rerun with a revision', () => {
  const put = (id: string, definition: object, revision: number) =>
    api.call('PUT', `/api/v1/pipelines/${id}`, definition, { 'if-match': String(revision) })
  const chain = (id: string, b: object) => ({
    id,
    name: id,
    nodes: [
      { id: 'a', task: 'set', inputBindings: { v: 1 }, startWhen: S },
      { id: 'b', startWhen: 'event:a.completed', ...b },
      { id: 'c', task: 'noop', startWhen: 'event:b.completed' },
    ],
  })
  const bad = { task: 'fail', inputBindings: { message: 'no' } }

  it('[R-88] goes on in a new execution with the corrected revision; the answer and both runs name each other', async () => {
    expect((await post('/pipelines', chain('mended', bad))).status).toBe(201)
    const id = idOf(await post('/pipelines/mended/executions', {}))
    await api.closed(id)
    expect((await put('mended', chain('mended', { task: 'noop' }), 1)).status).toBe(200)
    const { last_seq } = await view(id)
    expect((await post(`/executions/${id}/rerun`, { nodes: 'failed', dry_run: true })).body).toEqual({
      nodes: ['b', 'c'],
      newer_sub_pipelines: [],
      newer_revision: 2,
    })
    const asked = { nodes: 'failed', revision: 2 }
    expect((await post(`/executions/${id}/rerun`, { ...asked, dry_run: true })).body).toEqual({
      nodes: ['b', 'c'],
      newer_sub_pipelines: [],
      forked_at_seq: last_seq,
    })
    const key = { 'idempotency-key': 'mended' }
    const answer = await post(`/executions/${id}/rerun`, asked, key)
    expect(answer).toMatchObject({
      status: 200,
      body: { nodes: ['b', 'c'], forked_at_seq: last_seq, execution_id: expect.any(String) as string },
    })
    await api.closed(idOf(answer))
    expect(await view(idOf(answer))).toMatchObject({
      status: 'completed',
      revision: 2,
      origin: { execution_id: id, seq: last_seq },
      nodes: { a: { outputs: { v: 1 }, attempts: 1 } },
    })
    expect(await view(id)).toMatchObject({
      last_seq,
      forks: [{ execution_id: idOf(answer), revision: 2, status: 'completed' }],
    })
    expect((await post(`/executions/${id}/rerun`, asked, key)).body).toEqual(answer.body)
    // Its own revision is no other one.
    const same = await post(`/executions/${id}/rerun`, { nodes: 'failed', revision: 1 })
    expect(same.body).toEqual({ nodes: ['b', 'c'], newer_sub_pipelines: [], newer_revision: 2 })
  })

  it('[R-88] refuses a revision that is not there, or that does nothing else, before anything happens', async () => {
    const id = await run(1)
    const { pipeline_id } = await view(id)
    const refused = async (body: object) => errorOf(await post(`/executions/${id}/rerun`, body)).code
    expect(await refused({ nodes: 'failed', revision: 9 })).toBe('not_found')
    const definition = (await get(`/pipelines/${pipeline_id}`)) as { definition: object }
    expect((await put(pipeline_id, { ...definition.definition, description: 'x' }, 1)).status).toBe(200)
    expect(await refused({ nodes: 'failed', revision: 2 })).toBe('nothing_to_rerun')
    expect(await refused({ nodes: 'failed', revision: 2, dry_run: true })).toBe('nothing_to_rerun')
    expect(await refused({ nodes: ['sid'], revision: 2 })).toBe('unknown_node')
    const vic = { authorization: 'Bearer vic' }
    expect((await post(`/executions/${id}/rerun`, { nodes: ['a'], revision: 2 }, vic)).status).toBe(403)
  })

  it('[R-88] gives values only to inputs that the revision still has, and takes the defaults of new ones', async () => {
    const text = (inputs: object, b: object) => ({ ...chain('asking', b), inputs })
    const n = { type: 'number' }
    expect((await post('/pipelines', text({ n, old: n }, bad))).status).toBe(201)
    const id = idOf(await post('/pipelines/asking/executions', { inputs: { n: 1, old: 2 } }))
    await api.closed(id)
    const more = { type: 'string', default: 'x' }
    expect((await put('asking', text({ n, more }, { task: 'noop' }), 1)).status).toBe(200)
    const answer = await post(`/executions/${id}/rerun`, { nodes: 'failed', revision: 2 })
    await api.closed(idOf(answer))
    expect(await view(idOf(answer))).toMatchObject({ status: 'completed', inputs: { n: 1, more: 'x' } })
    expect((await put('asking', text({ n, asked: n }, { task: 'noop' }), 2)).status).toBe(200)
    expect(errorOf(await post(`/executions/${id}/rerun`, { nodes: 'failed', revision: 3 }))).toMatchObject({
      code: 'invalid_inputs',
      issues: [{ path: ['inputs', 'asked'] }],
    })
  })

  it('[R-65] [R-88] whoever asked for the old run may not decide the new one where requesters may not', async () => {
    const ask = {
      id: 'ask',
      task: 'approval',
      inputBindings: { message: 'ok?', approvers: ['role:approver'], excludeRequester: true },
      startWhen: 'event:b.completed',
    }
    const asking = (b: object) => {
      const { nodes, ...rest } = chain('four_eyes', b)
      return { ...rest, nodes: [...nodes, ask] }
    }
    expect((await post('/pipelines', asking(bad))).status).toBe(201)
    const id = idOf(await post('/pipelines/four_eyes/executions', {}))
    await api.closed(id)
    expect((await put('four_eyes', asking({ task: 'noop' }), 1)).status).toBe(200)
    const eve = { authorization: 'Bearer eve' }
    const next = idOf(await post(`/executions/${id}/rerun`, { nodes: 'failed', revision: 2 }, eve))
    expect((await view(next)).nodes['ask']?.status).toBe('waiting')
    const decide = (who?: Record<string, string>) =>
      post(`/executions/${next}/nodes/ask/decision`, { decision: 'approved' }, who)
    expect(errorOf(await decide()).code).toBe('not_an_approver')
    expect(errorOf(await decide(eve)).code).toBe('not_an_approver')
  })

  it('[R-88] [R-74] takes the newest revisions of sub-pipelines, also where the revision of the run stays', async () => {
    expect((await post('/pipelines', { ...chain('inner', bad), id: 'inner' })).status).toBe(201)
    const over = { id: 'outer', name: 'outer', nodes: [{ id: 'sub', pipeline: 'inner', startWhen: S }] }
    expect((await post('/pipelines', over)).status).toBe(201)
    const id = idOf(await post('/pipelines/outer/executions', {}))
    await api.closed(id)
    expect((await put('inner', chain('inner', { task: 'noop' }), 1)).status).toBe(200)
    const answer = await post(`/executions/${id}/rerun`, { nodes: 'failed', sub_pipelines: 'newest' })
    expect(answer.body).toMatchObject({ nodes: ['sub'], newer_sub_pipelines: [] })
    await api.closed(idOf(answer))
    expect(await view(idOf(answer))).toMatchObject({
      status: 'completed',
      revision: 1,
      sub_pipelines: { inner: 2 },
    })
  })
})

describe('POST /executions/{id}/fork', () => {
  it('[R-78] starts a run from an instant of another, and shows where it came from', async () => {
    const id = await run(2)
    const at = (await get(`/executions/${id}/events/a.completed`)) as Event
    const forked = await post(`/executions/${id}/fork`, { at_seq: at.seq })
    expect(forked).toMatchObject({ status: 202, body: { execution_id: expect.any(String) as string } })
    await api.closed(idOf(forked))
    expect(await view(idOf(forked))).toMatchObject({
      status: 'completed',
      origin: { execution_id: id, seq: at.seq },
      labels: { team: 'data' },
      outputs: { of: 5 },
      nodes: { a: { status: 'completed', outputs: { v: 2 } } },
    })
    const counted = await api.call('HEAD', `/api/v1/executions/${idOf(forked)}/events/a.started`)
    expect(counted.status).toBe(404)
    const names = ((await get(`/executions/${idOf(forked)}/variables`)) as { items: { name: string }[] })
      .items
    expect(names.some(({ name }) => name.includes('/'))).toBe(false)
  })

  it('[R-78] at 0 replays with other inputs', async () => {
    const id = await run(0)
    const replayed = await post(`/executions/${id}/fork`, { at_seq: 0, inputs: { n: 5 } })
    await api.closed(idOf(replayed))
    expect(await view(idOf(replayed))).toMatchObject({
      status: 'completed',
      inputs: { n: 5 },
      outputs: { of: 2 },
    })
  })

  it('[R-78] refuses a seq that is not there, inputs that do not fit, and who may not', async () => {
    const id = await run(1)
    const refused = async (body: object, headers?: Record<string, string>) => {
      const answer = await post(`/executions/${id}/fork`, body, headers)
      return [answer.status, errorOf(answer).code]
    }
    expect(await refused({ at_seq: 9_999 })).toEqual([422, 'unknown_seq'])
    expect(await refused({ at_seq: -1 })).toEqual([422, 'invalid_request'])
    expect(await refused({})).toEqual([422, 'invalid_request'])
    expect(await refused({ at_seq: 1, inputs: { n: 'x' } })).toEqual([422, 'invalid_inputs'])
    expect(await refused({ at_seq: 1, revision: 7 })).toEqual([404, 'not_found'])
    expect(await refused({ at_seq: 1 }, { authorization: 'Bearer vic' })).toEqual([403, 'forbidden'])
  })
})
