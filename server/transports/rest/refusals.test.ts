import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { approval, S, set } from '@/testing/definitions'

type Refused = { error: { message: string; issues: { path: unknown[]; message: string; hint?: string }[] } }

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer()
  await create({
    id: 'child',
    inputs: { who: { type: 'string' }, day: { type: 'string', default: 'today' } },
    nodes: [set('a', { text: '{{ pipeline.input.who }}' })],
  })
})
afterAll(() => api[Symbol.asyncDispose]())

async function create(definition: object) {
  const answer = await api.call('POST', '/api/v1/pipelines', definition)
  expect(answer.status).toBe(201)
  return (answer.body as { issues: { path: unknown[]; code: string; hint?: string }[] }).issues
}

/** `path: message (hint)` of every issue of a request that is refused as not fitting. */
async function refused(path: string, body: unknown, method = 'POST'): Promise<string[]> {
  const answer = await api.call(method, `/api/v1${path}`, body)
  expect(answer.status).toBe(422)
  return (answer.body as Refused).error.issues.map(
    ({ path: at, message, hint }) => `${at.join('.')}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  )
}

describe('requests that do not fit', () => {
  it('[G-4] say what was meant: misspelt, absent and of the wrong type', async () => {
    expect(await refused('/pipelines/child/executions', { input: {}, priority: 'high' })).toEqual([
      "priority: 'high' is not a number",
      "input: 'input' is not a field here (did you mean inputs?)",
    ])
    expect(await refused('/schedules/p/t', { activ: 'no' }, 'PUT')).toEqual([
      "active: 'active' is missing",
      "activ: 'activ' is not a field here (did you mean active?)",
    ])
    expect(await refused('/executions?statu=failed', undefined, 'GET')).toEqual([
      "statu: 'statu' is not a field here (did you mean status?)",
    ])
  })

  it('[G-4] [R-64] name every form that would do', async () => {
    expect(await refused('/executions/x/rerun', { nodes: 'all' })).toEqual([
      "nodes: 'all' is not allowed here (one of 'failed', an array)",
    ])
    expect(await refused('/executions/x/rerun', {})).toEqual(["nodes: 'nodes' is missing"])
    const node = { decision: 'approve' }
    expect(await refused('/executions/x/nodes/y/decision', node)).toEqual([
      "decision: 'approve' is not allowed here (did you mean approved?)",
    ])
  })

  it('[R-83] say how a duration is written, also where it stands in a field with a default', async () => {
    const hook = { url: 'http://a.example', event_types: ['pipeline.completed'] }
    expect(await refused('/webhooks', { ...hook, retry: { atempts: 3, backoff: 1 } })).toEqual([
      'retry.backoff: 1 is not a string (write a duration from 1s to 1d, such as 30s or PT5M)',
      "retry.atempts: 'atempts' is not a field here (did you mean attempts?)",
    ])
  })

  it('[N-15] [R-65] mocks are either outputs or an error, and only of what the node makes', async () => {
    const start = (mocks: object) => refused('/pipelines/child/executions', { inputs: { who: 'x' }, mocks })
    expect(await start({ a: {} })).toEqual(["mocks.a: give either 'outputs' or 'error'"])
    expect(await start({ a: { error: 'boom' } })).toEqual(["mocks.a.error: 'boom' is not an object"])
    expect(await start({ b: { outputs: {} } })).toEqual(["mocks.b: there is no node 'b' (did you mean a?)"])
    expect(await start({ a: { outputs: { txt: 1 } } })).toEqual([
      "mocks.a.outputs.txt: 'a' has no output 'txt' (did you mean text?)",
    ])
  })

  it('[R-65] a mock stands for no gate below it', async () => {
    const sub = (pipeline: string) => ({ id: 'sub', pipeline, startWhen: S })
    await create({ id: 'gated', nodes: [approval('ok', S)] })
    await create({ id: 'between', nodes: [sub('gated')] })
    await create({ id: 'above', nodes: [sub('between')] })
    expect(await refused('/pipelines/above/executions', { mocks: { sub: { outputs: {} } } })).toEqual([
      "mocks.sub: 'sub' cannot be mocked: it runs 'between', which runs 'gated', with the approval 'ok'",
    ])
  })

  it('[E-18] a webhook of events that nothing publishes is refused', async () => {
    const url = 'http://a.example'
    expect(await refused('/webhooks', { url, event_types: ['pipeline.complete', 'a.task.over'] })).toEqual([
      "event_types.0: nothing publishes 'pipeline.complete'; did you mean pipeline.completed?",
      "event_types.1: nothing publishes 'a.task.over'",
    ])
  })
})

describe('what a definition names and is not there', () => {
  it('[G-4] [N-9] the inputs of a pipeline that a node runs', async () => {
    const sub = { id: 'sub', pipeline: 'child', startWhen: S, inputBindings: { whom: 'Ada' } }
    expect(await create({ id: 'parent', nodes: [sub] })).toMatchObject([
      { path: ['nodes', 0, 'inputBindings', 'whom'], code: 'unknown_input', hint: 'did you mean who?' },
      { path: ['nodes', 0, 'inputBindings'], code: 'missing_input' },
    ])
    expect(await create({ id: 'right', nodes: [{ ...sub, inputBindings: { who: 'Ada' } }] })).toEqual([])
  })

  it('[R-51] more people than may decide', async () => {
    let made = 0
    const asking = (bindings: object) =>
      create({
        id: `asks_${(made += 1)}`,
        nodes: [
          approval('g', S, { inputBindings: { message: 'ok?', approvers: ['role:approver'], ...bindings } }),
        ],
      })
    expect(await asking({})).toEqual([])
    expect(await asking({ quorum: 2 })).toMatchObject([
      {
        path: ['nodes', 0, 'inputBindings', 'quorum'],
        code: 'unreachable_quorum',
        message: 'asks for 2 approvals, but only 1 person may give them',
      },
    ])
    expect(await asking({ rejectQuorum: 2 })).toMatchObject([
      { path: ['nodes', 0, 'inputBindings', 'rejectQuorum'], code: 'unreachable_quorum' },
    ])
    expect(await asking({ quorum: '{{ 1 + 1 }}' })).toEqual([])
    expect(await asking({ approvers: ['user:nobody'] })).toMatchObject([
      { message: 'asks for 1 approval, but nobody may give it' },
    ])
  })

  it('[A-1] [R-51] a role that nobody can hold', async () => {
    const approvers = ['role:aprover', 'role:approver', 'user:ada', 'role:{{ pipeline.input.role }}']
    const gate = approval('g', S, { inputBindings: { message: 'ok?', approvers } })
    const inputs = { role: { type: 'string', default: 'admin' } }
    expect(await create({ id: 'asks', inputs, nodes: [gate] })).toMatchObject([
      {
        path: ['nodes', 0, 'inputBindings', 'approvers', 0],
        code: 'unknown_role',
        hint: 'did you mean approver?',
      },
    ])
  })
})
