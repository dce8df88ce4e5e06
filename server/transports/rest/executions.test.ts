import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: {
      root: ['viewer', 'operator', 'approver', 'editor', 'admin'],
      ann: ['approver'],
      vic: ['viewer'],
      olga: ['operator'],
    },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const as = (name: string) => ({ authorization: `Bearer ${name}` })
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const get = (path: string, headers?: Record<string, string>) =>
  api.call('GET', `/api/v1${path}`, undefined, headers)
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const itemsOf = (answer: Answer) => (answer.body as { items: Record<string, unknown>[] }).items

let made = 0
async function define(nodes: object[], more: object = {}): Promise<string> {
  const id = `p_${(made += 1)}`
  const answer = await post('/pipelines', { schemaVersion: 1, id, name: id, nodes, ...more })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return id
}
async function run(pipeline: string, body: object = {}, headers?: Record<string, string>): Promise<string> {
  const answer = await post(`/pipelines/${pipeline}/executions`, body, headers)
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
  return (answer.body as { execution_id: string }).execution_id
}
const set = (id: string, values: object, startWhen = S) => ({
  id,
  task: 'set',
  inputBindings: values,
  startWhen,
})
const gate = {
  id: 'gate',
  task: 'approval',
  inputBindings: { message: 'ok?', approvers: ['role:approver'] },
  startWhen: S,
}

/** Resolves when the gate of the run waits for people. */
async function waiting(executionId: string): Promise<void> {
  const opened = new Promise<void>((resolve) => {
    const forget = api.ctx.feed.onCommit((commit) => {
      if (
        commit.executionId !== executionId ||
        !commit.entries.some(({ event }) => event.type === 'gate.waiting')
      )
        return
      forget()
      resolve()
    })
  })
  if (!(await api.ctx.events.has(executionId, 'gate.waiting'))) await opened
}

describe('executions', () => {
  it('runs, and shows state, events, variables and entries', async () => {
    const pipeline = await define(
      [set('a', { v: '{{ pipeline.input.x + 1 }}' }), set('b', { v: '{{ a.v * 10 }}' }, 'event:a.completed')],
      {
        inputs: { x: { type: 'number', default: 2 } },
        outputs: { y: { value: '{{ b.v }}', required: true } },
      },
    )
    const id = await run(pipeline, { labels: { why: 'test' }, priority: 7 })
    const view = await api.closed(id)
    expect(view).toMatchObject({
      status: 'completed',
      outputs: { y: 30 },
      labels: { why: 'test' },
      priority: 7,
      requested_by: 'root',
      last_seq: expect.any(Number),
    })
    const events = itemsOf(await get(`/executions/${id}/events?limit=250`))
    expect(events.map((event) => event['seq'])).toEqual(events.map((_event, index) => index + 1))
    expect(itemsOf(await get(`/executions/${id}/variables`)).map((variable) => variable['name'])).toContain(
      'a.v',
    )
    const entries = (await get(`/executions/${id}/entries?after=1`)).body as {
      entries: { event: { seq: number } }[]
      closed: boolean
    }
    expect(entries.entries[0]?.event.seq).toBe(2)
    expect(entries.closed).toBe(true)
  })

  it('[R-34] filters events by patterns in which * is one segment, and pages by seq', async () => {
    const id = await run(await define([set('a', { v: 1 })]))
    await api.closed(id)
    const types = itemsOf(await get(`/executions/${id}/events?event_types=*.completed`)).map(
      (event) => event['type'],
    )
    expect(types).toEqual(expect.arrayContaining(['a.completed', 'pipeline.completed']))
    expect(types).not.toContain('a.task.completed')
    const page = (await get(`/executions/${id}/events?limit=2`)).body as {
      items: { seq: number }[]
      next_cursor: string
    }
    const next = itemsOf(await get(`/executions/${id}/events?limit=2&cursor=${page.next_cursor}`))
    expect(next[0]?.['seq']).toBe(3)
    for (const wrong of ['cursor=x', `cursor=${Buffer.from('line:3').toString('base64url')}`]) {
      expect((await get(`/executions/${id}/events?${wrong}`)).status, wrong).toBe(400)
    }
    for (const wrong of [
      'event_types=a..b',
      'event_types=%3B',
      'entity_type=x',
      'from=yesterday',
      'after=-1',
    ]) {
      expect((await get(`/executions/${id}/events?${wrong}`)).status, wrong).toBe(422)
    }
    expect((await get('/executions?from=2026-11-28')).body).toMatchObject({
      error: { issues: [{ path: ['from'], hint: expect.stringContaining('2026-01-31T06:00:00Z') }] },
    })
  })

  it('[R-2] answers the latest event of a type, and HEAD whether there is one', async () => {
    const id = await run(await define([set('a', { v: 1 })]))
    await api.closed(id)
    expect((await get(`/executions/${id}/events/a.completed`)).body).toMatchObject({
      type: 'a.completed',
      execution_id: id,
    })
    expect((await get(`/executions/${id}/events/a.failed`)).status).toBe(404)
    expect((await api.call('HEAD', `/api/v1/executions/${id}/events/a.completed`)).status).toBe(200)
    expect((await api.call('HEAD', `/api/v1/executions/${id}/events/a.failed`)).status).toBe(404)
  })

  it('[N-O7][R-83] refuses inputs that are missing, mistyped or unknown, with every issue', async () => {
    const pipeline = await define([set('a', { v: 1 })], {
      inputs: { d: { type: 'string' }, k: { type: 'number', default: 5 } },
    })
    for (const inputs of [{}, { d: 1 }, { d: 'x', k: 'y' }, { d: 'x', zz: 1 }, { d: null }]) {
      const answer = await post(`/pipelines/${pipeline}/executions`, { inputs })
      expect([answer.status, codeOf(answer)], JSON.stringify(inputs)).toEqual([422, 'invalid_inputs'])
    }
    const all = await post(`/pipelines/${pipeline}/executions`, { inputs: { k: 'y', zz: 1 } })
    expect(
      (all.body as { error: { issues: { path: string[] }[] } }).error.issues
        .map((issue) => issue.path[1])
        .toSorted(),
    ).toEqual(['d', 'k', 'zz'])
    expect(
      (await post(`/pipelines/${pipeline}/executions`, { inputs: { d: 'x' }, revision: 2 })).status,
    ).toBe(404)
  })

  it('[R-83] gives the path of an input, whatever its name', async () => {
    const pipeline = await define([set('a', { v: 1 })], { inputs: { inputs: { type: 'number' } } })
    const answer = await post(`/pipelines/${pipeline}/executions`, { inputs: { inputs: 'x' } })
    expect(answer.body).toMatchObject({ error: { issues: [{ path: ['inputs', 'inputs'] }] } })
  })

  it('refuses unknown fields, priorities out of range and too many labels', async () => {
    const pipeline = await define([set('a', { v: 1 })])
    const labels = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`l${n}`, 'x']))
    for (const body of [
      { input: {} },
      { priority: 10 },
      { priority: -1 },
      { labels },
      { labels: { team: 'a\u202eb' } },
      { labels: { '\u202e': 'x' } },
      { pipeline_id: 'other' },
      { idempotency_key: 'x' },
      { mocks: { a: { output: {} } } },
      { mocks: { nobody: { outputs: {} } } },
    ]) {
      expect((await post(`/pipelines/${pipeline}/executions`, body)).status, JSON.stringify(body)).toBe(422)
    }
  })

  it('[R-84] refuses the name of a secret as an input, with its place: no task reads secrets', async () => {
    const inputs = { token: { type: 'string', default: 'none' }, more: { type: 'object', default: {} } }
    const pipeline = await define([set('a', { v: '{{ pipeline.input.token }}' })], { inputs })
    const given = { token: 'secret:sx', more: { deep: ['secret:sy'] } }
    const refused = {
      status: 422,
      body: {
        error: {
          code: 'invalid_inputs',
          issues: [{ path: ['inputs', 'token'] }, { path: ['inputs', 'more', 'deep', 0] }],
        },
      },
    }
    expect(await post(`/pipelines/${pipeline}/executions`, { inputs: given })).toMatchObject(refused)
    const id = await run(pipeline, { inputs: { token: 'what secret:sx is for' } })
    await api.closed(id)
    expect(await post(`/executions/${id}/fork`, { at_seq: 0, inputs: given })).toMatchObject(refused)
  })

  it('replaces the work of a node by a mock', async () => {
    const pipeline = await define([{ id: 'a', task: 'fail', inputBindings: { message: 'no' }, startWhen: S }])
    const view = await api.closed(await run(pipeline, { mocks: { a: { outputs: {} } } }))
    expect(view['status']).toBe('completed')
  })

  it('[R-73] starts once per idempotency key, also after the end and with inputs that no longer fit', async () => {
    const pipeline = await define([set('a', { v: 1 })])
    const key = { 'idempotency-key': 'start-1' }
    const first = await run(pipeline, {}, key)
    await api.closed(first)
    await api.call(
      'PUT',
      `/api/v1/pipelines/${pipeline}`,
      { id: pipeline, inputs: { need: { type: 'string' } }, nodes: [set('a', { v: 1 })] },
      { 'if-match': '1' },
    )
    expect(await run(pipeline, {}, key)).toBe(first)
    expect((await post(`/pipelines/${pipeline}/executions`, { priority: 3 }, key)).status).toBe(409)
    expect(
      (await post(`/pipelines/${pipeline}/executions`, {}, { ...key, ...as('olga') })).status,
      'a key belongs to its person',
    ).toBe(422)
  })

  it('[R-18] lists newest first, filtered', async () => {
    const pipeline = await define([set('a', { v: 1 })])
    const ids = [await run(pipeline, { labels: { n: 'one' } }), await run(pipeline)]
    for (const id of ids) await api.closed(id)
    expect(
      itemsOf(await get(`/executions?pipeline=${pipeline}`)).map((item) => item['execution_id']),
    ).toEqual(ids.toReversed())
    expect(
      itemsOf(await get(`/executions?pipeline=${pipeline}&label=n:one`)).map((item) => item['execution_id']),
    ).toEqual([ids[0]])
    expect(itemsOf(await get(`/executions?pipeline=${pipeline}&status=failed,cancelled`))).toEqual([])
    const idsOf = async (query: string) =>
      itemsOf(await get(`/executions?pipeline=${pipeline}&${query}`)).map((item) => item['execution_id'])
    expect(await idsOf('text=ONE')).toEqual([ids[0]])
    expect(await idsOf(`text=${String(ids[1]).toLowerCase()}`)).toEqual([ids[1]])
    expect(await idsOf('revision=2')).toEqual([])
    expect(await idsOf('min_duration=1h')).toEqual([])
    expect(await idsOf('max_duration=1h&requested_by=nobody')).toEqual([])
    expect(await idsOf('max_duration=1h&revision=1')).toEqual(ids.toReversed())
    expect((await get('/executions?revision=1')).body).toMatchObject({
      error: { issues: [{ path: ['revision'], code: 'needs_pipeline' }] },
    })
    for (const wrong of [
      'status=lost',
      'label=n',
      'from=1',
      'cursor=zz',
      'revision=x',
      'min_duration=long',
      'text=',
    ])
      expect([400, 422], wrong).toContain((await get(`/executions?${wrong}`)).status)
  })

  it('[R-69] cancels once, answers the same again, and refuses on a run that ended otherwise', async () => {
    const pipeline = await define([
      { id: 'w', task: 'wait', inputBindings: { duration: '1h' }, startWhen: S },
    ])
    const id = await run(pipeline)
    expect((await post(`/executions/${id}/cancel`, { reason: 'stop' })).status).toBe(200)
    await api.closed(id)
    expect((await post(`/executions/${id}/cancel`, {})).body).toMatchObject({ status: 'cancelled' })
    const done = await run(await define([set('a', { v: 1 })]))
    await api.closed(done)
    const late = await post(`/executions/${done}/cancel`, {})
    expect([late.status, codeOf(late)]).toEqual([409, 'execution_finished'])
    expect((await post('/executions/nowhere/cancel', {})).status).toBe(404)
  })

  it('explains a waiting node, and counts the overview', async () => {
    const id = await run(await define([gate, set('after', { v: 1 }, 'event:gate.approved')]))
    await waiting(id)
    expect((await get(`/executions/${id}/nodes/after/explain`)).body).toMatchObject({
      node: 'after',
      status: 'pending',
      start_when: { truth: 'pending' },
    })
    expect((await get(`/executions/${id}/nodes/nobody/explain`)).status).toBe(404)
    expect((await get('/overview')).body).toMatchObject({
      approvals: { pending: expect.any(Number) },
      slots: { total: 100 },
    })
    type Ended = { ended: { from: string; counts: Record<string, number> }[] }
    const cancelledLately = async () => {
      const { ended } = (await get('/overview')).body as Ended
      expect(ended).toHaveLength(24)
      return ended.reduce((sum, { counts }) => sum + (counts['cancelled'] ?? 0), 0)
    }
    const before = await cancelledLately()
    await post(`/executions/${id}/cancel`, {})
    await api.closed(id)
    expect(await cancelledLately()).toBe(before + 1)
  })

  it('does not know nodes that are not there', async () => {
    const id = await run(await define([set('a', { v: 1 })]))
    await api.closed(id)
    for (const path of ['logs', 'logs/stream', 'explain'])
      expect((await get(`/executions/${id}/nodes/nowhere/${path}`)).status, path).toBe(404)
    expect((await get(`/executions/${id}/nodes/a/logs`)).status).toBe(200)
    const resumed = await api.call('GET', `/api/v1/executions/${id}/nodes/a/logs/stream`, undefined, {
      'last-event-id': '1e3',
    })
    expect(resumed.status).toBe(400)
  })

  it('does not know executions that are not there', async () => {
    for (const path of [
      '',
      '/events',
      '/events/a.completed',
      '/variables',
      '/artifacts',
      '/artifacts/x',
      '/entries',
      '/nodes/a/logs',
      '/nodes/a/explain',
      '/stream',
      '/nodes/a/logs/stream',
    ]) {
      expect((await get(`/executions/nowhere${path}`)).status, path).toBe(404)
    }
  })
})

describe('events and approvals', () => {
  it('[E-17][E-O3][R-20] publishes an external event to one execution, and refuses other types', async () => {
    const id = await run(await define([set('a', { v: 1 }, `${S} && event:external.data_ready`)]))
    const published = await post('/events', {
      execution_id: id,
      event_type: 'external.data_ready',
      payload: { rows: 3 },
    })
    expect(published.status).toBe(202)
    expect(published.body).toMatchObject({ event_id: expect.any(String), seq: expect.any(Number) })
    await api.closed(id)
    for (const type of [
      'a.completed',
      'pipeline.completed',
      'external',
      'external.',
      'external.A',
      'externalx.a',
      'external.a\nid: 9',
    ]) {
      expect((await post('/events', { execution_id: id, event_type: type })).status, type).toBe(422)
    }
    expect((await post('/events', { execution_id: 'nowhere', event_type: 'external.x' })).status).toBe(404)
    const late = await post('/events', { execution_id: id, event_type: 'external.data_ready' })
    expect([late.status, codeOf(late)]).toEqual([409, 'execution_finished'])
  })

  it('[R-61] refuses a payload over 64 KB with 413', async () => {
    const id = await run(await define([set('a', { v: 1 }, `${S} && event:external.data_ready`)]))
    const answer = await post('/events', {
      execution_id: id,
      event_type: 'external.data_ready',
      payload: { text: 'x'.repeat(70_000) },
    })
    expect([answer.status, codeOf(answer)]).toEqual([413, 'payload_too_large'])
    await post(`/executions/${id}/cancel`, {})
  })

  it('[R-57][R-73] gives the first answer again for the same key, by header or field, also after the end', async () => {
    const id = await run(await define([set('a', { v: 1 }, `${S} && event:external.data_ready`)]))
    const body = { execution_id: id, event_type: 'external.data_ready', payload: {} }
    const first = await post('/events', { ...body, idempotency_key: 'e-1' })
    await api.closed(id)
    expect((await post('/events', body, { 'idempotency-key': 'e-1' })).body).toEqual(first.body)
    expect(
      (await post('/events', { ...body, payload: { other: 1 } }, { 'idempotency-key': 'e-1' })).status,
    ).toBe(409)
    expect(
      (await post('/events', { ...body, idempotency_key: 'e-1' }, { 'idempotency-key': 'e-2' })).status,
    ).toBe(422)
  })

  it('[R-51] an approval knows who has decided: it is theirs no more, and says how far it is', async () => {
    const two = { ...gate, inputBindings: { ...gate.inputBindings, quorum: 2 } }
    const id = await run(await define([two]))
    await waiting(id)
    const seen = async (query = '') => itemsOf(await get(`/approvals?execution_id=${id}${query}`, as('ann')))
    expect(await seen('&mine=true')).toMatchObject([{ can_decide: true, approved: 0, decided: null }])
    const decided = await post(`/executions/${id}/nodes/gate/decision`, { decision: 'approved' }, as('ann'))
    expect(decided.status).toBe(200)
    expect(await seen()).toMatchObject([{ can_decide: false, approved: 1, decided: 'approved' }])
    expect(await seen('&mine=true')).toEqual([])
    await post(`/executions/${id}/cancel`, {})
  })

  it('[R-51] decides once, by a listed approver, through either door', async () => {
    const id = await run(await define([gate, set('yes', { v: 1 }, 'event:gate.approved')]))
    await waiting(id)
    expect(
      itemsOf(await get(`/approvals?status=pending&mine=true&execution_id=${id}`, as('ann'))),
    ).toMatchObject([{ node_id: 'gate', can_decide: true }])
    expect(itemsOf(await get(`/approvals?mine=true&execution_id=${id}`, as('vic')))).toEqual([])
    const decision = `/executions/${id}/nodes/gate/decision`
    expect((await post(decision, { decision: 'maybe' }, as('ann'))).status).toBe(422)
    expect((await post(decision, { decision: 'approved' }, as('vic'))).status).toBe(403)
    expect(
      (await post('/events', { execution_id: id, event_type: 'external.gate.approved' }, as('olga'))).status,
      'an operator who is not listed',
    ).toBe(403)
    expect(
      (await post('/events', { execution_id: id, event_type: 'external.other.approved' }, as('ann'))).status,
      'no gate of that name',
    ).toBe(403)
    expect(
      (await post(`/executions/${id}/nodes/yes/decision`, { decision: 'approved' }, as('ann'))).status,
    ).toBe(409)
    expect(
      (await post(`/executions/${id}/nodes/nobody/decision`, { decision: 'approved' }, as('ann'))).status,
    ).toBe(404)
    const both = await Promise.all(
      [0, 1, 2].map(() => post(decision, { decision: 'approved', comment: 'fine' }, as('ann'))),
    )
    expect(both.map((answer) => answer.status).toSorted()).toEqual([200, 409, 409])
    expect(both.find((answer) => answer.status === 200)?.body).toMatchObject({
      type: 'external.gate.approved',
      actor: 'ann',
      payload: { comment: 'fine' },
    })
    expect(await api.closed(id)).toMatchObject({
      status: 'completed',
      nodes: { yes: { status: 'completed' } },
    })
  })

  it('[R-65] takes the actor from who is signed in, never from the payload', async () => {
    const id = await run(await define([gate]))
    await waiting(id)
    await post(
      '/events',
      {
        execution_id: id,
        event_type: 'external.gate.approved',
        payload: { approver: 'root', actor: 'root' },
      },
      as('ann'),
    )
    await api.closed(id)
    expect((await get(`/executions/${id}/events/external.gate.approved`)).body).toMatchObject({
      actor: 'ann',
    })
  })

  it('never decides by GET: a link preview must not approve', async () => {
    const id = await run(await define([gate]))
    await waiting(id)
    expect((await get(`/executions/${id}/nodes/gate/decision`)).status).toBe(405)
    expect(itemsOf(await get(`/approvals?execution_id=${id}`))).toHaveLength(1)
    await post(`/executions/${id}/cancel`, {})
    expect(api.defects).toEqual([])
  })
})
