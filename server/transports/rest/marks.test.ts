import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { countApprovals } from '@/server/operations/count-approvals'
import { person } from '@/testing/person'

// What a run says of itself wherever it is shown: failures that were handled, values from mocks, and who can still decide.
let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: {
      root: ['viewer', 'operator', 'approver', 'editor', 'admin'],
      ann: ['approver'],
      ben: ['approver'],
      vic: ['viewer'],
      olga: ['operator', 'approver'],
    },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const S = 'event:pipeline.started'
const as = (name: string) => ({ authorization: `Bearer ${name}` })
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const get = async <T>(path: string, headers?: Record<string, string>) =>
  (await api.call('GET', `/api/v1${path}`, undefined, headers)).body as T
type Listed = { items: ({ execution_id: string } & Record<string, unknown>)[] }

let made = 0
async function define(nodes: object[], more: object = {}): Promise<string> {
  const id = `p_${(made += 1)}`
  const answer = await post('/pipelines', { schemaVersion: 1, id, name: id, nodes, ...more })
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return id
}
async function start(pipeline: string, body: object = {}, headers?: Record<string, string>): Promise<string> {
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
const failing = { id: 'load', task: 'fail', inputBindings: { message: 'no' }, startWhen: S }
const ask = (more: object = {}, startWhen = S) => ({
  id: 'ask',
  task: 'approval',
  inputBindings: { message: 'ok?', approvers: ['role:approver'], ...more },
  startWhen,
})

/** Resolves when an approval of the run waits. */
const asked = (executionId: string) =>
  expect.poll(async () => (await get<Listed>(`/approvals?execution_id=${executionId}`)).items.length).toBe(1)

describe('[R-89] handled failures', () => {
  it('stand in the execution, in lists, in the event that streams and webhooks carry, and in a filter', async () => {
    const pipeline = await define([
      failing,
      { id: 'fix', task: 'noop', startWhen: 'event:load.failed' },
      { id: 'chart', task: 'noop', startWhen: 'event:load.completed' },
    ])
    const id = await start(pipeline)
    expect(await api.closed(id)).toMatchObject({ status: 'completed', handled_failures: 1 })
    expect((await get<Listed>(`/executions?pipeline=${pipeline}`)).items).toMatchObject([
      { execution_id: id, status: 'completed', handled_failures: 1, mocked: false },
    ])
    const event = await get<object>(`/executions/${id}/events/pipeline.completed`)
    expect(event).toMatchObject({ payload: { handled_failures: 1 } })
    const listed = async (query: string) =>
      (await get<Listed>(`/executions?pipeline=${pipeline}&${query}`)).items.length
    expect(await listed('handled_failures=true')).toBe(1)
    expect(await listed('status=completed&handled_failures=false')).toBe(0)
  })

  it('are no success of the overview: it lists and counts them apart', async () => {
    const id = await start(
      await define([failing, { id: 'fix', task: 'noop', startWhen: 'event:load.failed' }]),
    )
    await api.closed(id)
    type Overview = { handled: Listed['items']; ended: { counts: { completed?: number }; handled: number }[] }
    const { handled, ended } = await get<Overview>('/overview')
    expect(handled.map((row) => row.execution_id)).toContain(id)
    const sum = (of: (hour: Overview['ended'][number]) => number) =>
      ended.reduce((total, hour) => total + of(hour), 0)
    expect(sum((hour) => hour.handled)).toBe(handled.length)
    expect(sum((hour) => hour.counts.completed ?? 0)).toBeGreaterThanOrEqual(handled.length)
  })

  it('of a run below count for the node that it worked for', async () => {
    const below = await define([failing, { id: 'fix', task: 'noop', startWhen: 'event:load.failed' }])
    const id = await start(await define([{ id: 'sub', pipeline: below, startWhen: S }]))
    expect(await api.closed(id)).toMatchObject({ status: 'completed', handled_failures: 1 })
  })
})

describe('values from mocks', () => {
  const nodes = [
    set('rows', { n: 1 }),
    set('sum', { n: '{{ rows.n + 1 }}' }, 'event:rows.completed'),
    ask({ message: '{{ sum.n }} rows' }, 'event:sum.completed'),
  ]
  const named = [{ value: 'sum.n', mocks: ['rows'] }]

  it('are named in the inbox, in the run and with the decision; the run is marked in lists', async () => {
    const pipeline = await define(nodes)
    const id = await start(pipeline, { mocks: { rows: { outputs: { n: 6 } } } })
    const real = await start(pipeline)
    await Promise.all([asked(id), asked(real)])
    expect((await get<Listed>(`/approvals?execution_id=${id}`)).items).toMatchObject([
      { request: { message: '7 rows' }, mocked: named, run_mocked: true },
    ])
    expect((await get<Listed>(`/approvals?execution_id=${real}`)).items).toMatchObject([
      { request: { message: '2 rows' }, mocked: [], run_mocked: false },
    ])
    expect(await get(`/executions/${id}`)).toMatchObject({
      mocked: true,
      mocks: ['rows'],
      nodes: { ask: { approval: { mocked: named } } },
    })
    const listed = async (query: string) =>
      (await get<Listed>(`/executions?pipeline=${pipeline}${query}`)).items.map((row) => row.execution_id)
    expect(await listed('&mocked=true')).toEqual([id])
    expect(await listed('&mocked=false')).toEqual([real])
    expect((await post(`/executions/${id}/nodes/ask/decision`, { decision: 'approved' })).status).toBe(200)
    await api.closed(id)
    expect(await get(`/executions/${id}/events/ask.approved`)).toMatchObject({ payload: { mocked: named } })
    await post(`/executions/${real}/cancel`, {})
  })

  it('follow into the run below, into a fork of that run, and into no run that was given others', async () => {
    const below = await define(
      [ask({ message: '{{ pipeline.input.n }} rows in {{ pipeline.input.place }}' })],
      { inputs: { n: { type: 'number' }, place: { type: 'string' } } },
    )
    const parent = await define([
      set('rows', { n: 1 }),
      {
        id: 'sub',
        pipeline: below,
        inputBindings: { n: '{{ rows.n }}', place: 'here' },
        startWhen: 'event:rows.completed',
      },
    ])
    const id = await start(parent, { mocks: { rows: { outputs: { n: 6 } } } })
    const childOf = async () =>
      (await get<{ nodes: { sub: { child_execution_id: string } } }>(`/executions/${id}`)).nodes.sub
        .child_execution_id
    await expect.poll(childOf).toBeTypeOf('string')
    const child = await childOf()
    await asked(child)
    const question = [{ value: 'pipeline.input.n', mocks: ['pipeline.input.n'] }]
    const view = { mocked: true, mocks: [], mocked_inputs: ['n'] }
    expect(await get(`/executions/${child}`)).toMatchObject({
      ...view,
      nodes: { ask: { approval: { mocked: question } } },
    })
    const forkOf = async (body: object) => {
      const answer = await post(`/executions/${child}/fork`, { at_seq: 0, ...body })
      return (answer.body as { execution_id: string }).execution_id
    }
    const same = await forkOf({})
    expect(await get(`/executions/${same}`)).toMatchObject(view)
    const other = await forkOf({ inputs: { n: 7, place: 'here' } })
    expect(await get(`/executions/${other}`)).toMatchObject({ mocked: false, mocked_inputs: [] })
    for (const each of [id, same, other]) await post(`/executions/${each}/cancel`, {})
  })
})

describe('[R-51] who can still decide', () => {
  const whyOf = async (id: string, who: string) =>
    (await get<Listed>(`/approvals?execution_id=${id}`, as(who))).items.map(({ can_decide, why_not }) => [
      can_decide,
      (why_not as { reason: string } | null)?.reason ?? null,
    ])[0]
  const mineOf = async (who: string, roles: string[]) =>
    (await countApprovals(api.ctx, person(who, roles), {})).mine

  it('is told to each: not listed, asked for the run, has decided, or can', async () => {
    const id = await start(await define([ask({ quorum: 2, excludeRequester: true })]), {}, as('olga'))
    await asked(id)
    expect(await whyOf(id, 'vic')).toEqual([false, 'not_listed'])
    expect(await whyOf(id, 'olga')).toEqual([false, 'requester'])
    expect(await whyOf(id, 'ann')).toEqual([true, null])
    const decide = (who: string) =>
      post(`/executions/${id}/nodes/ask/decision`, { decision: 'approved' }, as(who))
    expect((await decide('ann')).status).toBe(200)
    expect(await whyOf(id, 'ann')).toEqual([false, 'decided'])
    expect(await whyOf(id, 'ben')).toEqual([true, null])
    // What the list says is what the door does.
    for (const who of ['vic', 'olga', 'ann']) expect((await decide(who)).status).toBeGreaterThanOrEqual(403)
    expect((await decide('ben')).status).toBe(200)
    await api.closed(id)
  })

  it('is counted for each: what they can decide, beside all that waits', async () => {
    const pipeline = await define([ask({ quorum: 2, excludeRequester: true })])
    const ids = [await start(pipeline, {}, as('olga')), await start(pipeline)]
    for (const id of ids) await asked(id)
    expect(await mineOf('ann', ['approver'])).toBe(2)
    expect(await mineOf('vic', ['viewer'])).toBe(0)
    await post(`/executions/${ids[0]}/nodes/ask/decision`, { decision: 'approved' }, as('ann'))
    expect(await mineOf('ann', ['approver'])).toBe(1)
    expect((await countApprovals(api.ctx, person('ann', ['approver']), {})).pending).toBe(2)
    for (const id of ids) await post(`/executions/${id}/cancel`, {})
  })
})
