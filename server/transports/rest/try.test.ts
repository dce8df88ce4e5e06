import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TrialAnswer } from '@/server/operations/try-node'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'
import { buildModule } from '@/testing/build-module'

const built = fileURLToPath(new URL('../../../node_modules/.cache/penstock-try', import.meta.url))
let api: ApiServer
beforeAll(async () => {
  mkdirSync(built, { recursive: true })
  const all = ['viewer', 'operator', 'approver', 'editor', 'admin']
  api = await openApiServer({
    people: { root: all, eve: ['editor'], ed: ['editor'], oz: ['operator'] },
    childEntry: await buildModule(built),
    egressAllow: '',
  })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  rmSync(built, { recursive: true, force: true })
})

const startWhen = 'event:never.written &&'
const as = (name: string) => ({ authorization: `Bearer ${name}` })
const attempt = (node: object, more: object = {}, headers = {}) =>
  api.call('POST', '/api/v1/pipelines/try', { node: { id: 'n', startWhen, ...node }, ...more }, headers)
async function tried(node: object, more: object = {}): Promise<TrialAnswer> {
  const { status, body } = await attempt(node, more)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as TrialAnswer
}
const errorOf = ({ body }: Answer) =>
  (body as { error: { code: string; message: string; issues: { path: unknown[] }[] } }).error
const script = (code: string, more: object = {}) => ({
  task: 'script.javascript',
  inputBindings: { code },
  ...more,
})
const endless = script('for (;;) {}', { timeout: '50s' })

describe('trying one node outside of any run', () => {
  it('renders the input over the samples, runs the work in a child and answers with what the node would write', async () => {
    const node = {
      ...script('console.log("rows " + input.rows.length); return input.rows.length * input.factor'),
      outputVariables: { count: '{{ result.result + 1 }}' },
    }
    const answer = await tried(
      {
        ...node,
        inputBindings: {
          ...node.inputBindings,
          input: { rows: '{{ fetch.rows }}', factor: '{{ pipeline.input.factor }}' },
        },
      },
      { variables: { fetch: { rows: [1, 2, 3] } }, inputs: { factor: 2 } },
    )
    expect(answer).toMatchObject({
      status: 'completed',
      input: { input: { rows: [1, 2, 3], factor: 2 } },
      outputs: { count: 7 },
      error: null,
      left_out: [],
      logs: [{ stream: 'stdout', text: 'rows 3' }],
    })
    expect(answer.duration_ms).toBeGreaterThan(0)
    expect((await api.call('GET', '/api/v1/executions')).body).toMatchObject({ items: [] })
    expect((await api.ctx.audit.read({ limit: 50 })).at(-1)).toMatchObject({
      actor: 'root',
      action: 'node.tried',
      subject: 'n',
      result: { task: 'script.javascript', status: 'completed' },
    })
  })

  it('tries one item of a forEach', async () => {
    const node = { task: 'set', forEach: { items: '{{ a.list }}' }, inputBindings: { word: '{{ item }}!' } }
    const variables = { a: { list: ['x', 'y'] } }
    expect(await tried(node, { variables })).toMatchObject({ outputs: { word: 'x!' } })
    expect(await tried(node, { variables, item: 1 })).toMatchObject({ outputs: { word: 'y!' } })
    expect(await tried(node, { variables, item: 2 })).toMatchObject({
      status: 'failed',
      error: { message: 'forEach.items has 2 items: there is none at 2' },
    })
  })

  it('fails as a real attempt would: what is not there, what does not fit, what the task says, what is switched off', async () => {
    expect(await tried({ task: 'set', inputBindings: { v: '{{ a.rows }}' } })).toMatchObject({
      status: 'failed',
      input: null,
      error: { kind: 'variable_not_found', message: expect.stringContaining('a.rows') },
    })
    expect(await tried({ task: 'script.javascript', inputBindings: { code: 7 } })).toMatchObject({
      error: { kind: 'invalid_input', message: expect.stringContaining('code') },
    })
    expect(await tried(script('console.log("so far"); throw new Error("no rows")'))).toMatchObject({
      status: 'failed',
      error: { kind: 'task_failed', message: expect.stringContaining('no rows') },
      logs: [{ text: 'so far' }],
    })
    expect(await tried({ task: 'shell', inputBindings: { script: 'true' } })).toMatchObject({
      error: { message: expect.stringContaining('PENSTOCK_ALLOW_SHELL=true') },
    })
    const inside = { task: 'http.request', inputBindings: { method: 'GET', url: `${api.base}/healthz` } }
    expect(await tried(inside)).toMatchObject({ error: { kind: 'egress_refused' } })
    expect(await tried(script('for (;;) {}', { timeout: '1s' }))).toMatchObject({
      error: { kind: 'timeout' },
    })
  })

  it('lists files with the content of small ones, and stores none', async () => {
    const write = (content: string) => ({ task: 'file.write', inputBindings: { path: 'a/b.csv', content } })
    const small = await tried(write('a,b\n1,2\n'))
    expect(small.files).toEqual([
      {
        artifact_id: (small.outputs['artifact'] as { artifact_id: string }).artifact_id,
        name: 'a/b.csv',
        content_type: 'text/csv; charset=utf-8',
        bytes: 8,
        preview: { encoding: 'utf8', content: 'a,b\n1,2\n' },
      },
    ])
    expect((await tried(write('x'.repeat(300_000)))).files).toMatchObject([{ bytes: 300_000, preview: null }])
    const [home] = readdirSync(join(api.folder, 'work'))
    await vi.waitFor(() => expect(readdirSync(join(api.folder, 'work', home!))).toEqual([]))
    const query = {
      task: 'duckdb.query',
      inputBindings: { sql: 'select * from read_csv_auto($file)', files: { file: '{{ w.artifact }}' } },
    }
    expect(await tried(query, { variables: { w: small.outputs } })).toMatchObject({
      error: { kind: 'invalid_input', message: expect.stringContaining('files of a trial are gone with it') },
    })
  })

  it('reads artifacts of the executions that it names, and of no other', async () => {
    const definition = {
      id: 'writes',
      nodes: [
        {
          id: 'w',
          task: 'file.write',
          startWhen: 'event:pipeline.started',
          inputBindings: { path: 't.csv', content: 'n\n4\n' },
        },
      ],
    }
    await api.call('POST', '/api/v1/pipelines', definition)
    const begun = await api.call('POST', '/api/v1/pipelines/writes/executions', {})
    const { execution_id } = begun.body as { execution_id: string }
    await api.closed(execution_id)
    const { body } = await api.call('GET', `/api/v1/executions/${execution_id}/artifacts`)
    const [{ artifact_id }] = (body as { items: [{ artifact_id: string }] }).items
    const query = {
      task: 'duckdb.query',
      inputBindings: {
        sql: 'select n + 1 as m from read_csv_auto($file)',
        files: { file: '{{ w.artifact }}' },
      },
    }
    const variables = { w: { artifact: { artifact_id } } }
    expect(await tried(query, { variables, executions: [execution_id] })).toMatchObject({
      status: 'completed',
      outputs: { rows: [{ m: 5 }] },
    })
    expect(await tried(query, { variables, executions: ['another'] })).toMatchObject({
      status: 'failed',
      error: { kind: 'invalid_input' },
    })
  })

  it('leaves out what is too large to show, and keeps the last lines', async () => {
    const code = 'for (let n = 1; n <= 250; n += 1) console.log(n); return "x".repeat(1_100_000)'
    const answer = await tried(script(code))
    expect(answer).toMatchObject({ status: 'completed', outputs: {}, left_out: ['result'] })
    expect(answer.logs).toHaveLength(200)
    expect(answer.logs.at(-1)).toEqual({ stream: 'stdout', text: '250' })
  })

  it('refuses what has no work of its own, what no engine could run, and who may not edit', async () => {
    for (const node of [{ task: 'approval' }, { task: 'wait' }, { pipeline: 'other' }]) {
      const refused = await attempt(node)
      expect(refused.status, JSON.stringify(refused.body)).toBe(422)
      expect(errorOf(refused)).toMatchObject({ code: 'invalid_request' })
    }
    const broken = errorOf(await attempt({ task: 'set', inputBindings: { v: '{{ a. }}' } }))
    expect(broken).toMatchObject({
      code: 'invalid_definition',
      issues: [{ path: ['node', 'inputBindings', 'v'] }],
    })
    expect(errorOf(await attempt({ task: 'nothing' })).issues[0]?.path).toEqual(['node', 'task'])
    expect((await attempt({ task: 'set', colour: 'red' })).status).toBe(422)
    expect((await attempt({ task: 'noop' }, {}, as('oz'))).status).toBe(403)
  })

  it('[R-83] takes no node, however odd, for more than a node', async () => {
    const odd: object[] = [
      { id: '__proto__' },
      { id: 'n'.repeat(100_000) },
      { id: 7 },
      { task: 'constructor' },
      { task: 'set', pipeline: 'both' },
      { task: 'set', inputBindings: { v: `{{ ${'('.repeat(3_000)}1 }}` } },
      { task: 'set', inputBindings: { v: '{{ [1,2,3].map(a, [1,2,3].map(b, a + b)) }}'.repeat(50) } },
      { task: 'set', forEach: { items: '{{ 1 }}' } },
      { task: 'set', timeout: 'soon' },
      { task: 'set', retry: { maxAttempts: 1e9 } },
    ]
    for (const node of odd) {
      const { status } = await attempt(node)
      expect(status, JSON.stringify(node).slice(0, 100)).toBeLessThan(500)
    }
    for (const more of [
      { variables: { n: 7 } },
      { variables: [] },
      { inputs: 'all' },
      { item: -1 },
      { item: 1e300 },
      { executions: Array.from({ length: 51 }, () => 'e') },
      { executions: ['..'], variables: { constructor: { prototype: 1 } } },
    ]) {
      const { status } = await attempt({ task: 'set', inputBindings: { v: 1 } }, more)
      expect([200, 422], JSON.stringify(more).slice(0, 100)).toContain(status)
    }
    expect(api.defects).toEqual([])
  })

  it('a person tries one node at a time, the server two; a caller who disconnects frees the slot', async () => {
    const begin = (name: string) => {
      const gone = new AbortController()
      const answer = fetch(`${api.base}/api/v1/pipelines/try`, {
        method: 'POST',
        headers: { ...as(name), 'content-type': 'application/json' },
        body: JSON.stringify({ node: { id: 'n', startWhen, ...endless } }),
        signal: gone.signal,
      }).catch((error: Error) => error.name)
      return { gone, answer }
    }
    const refused = async (name: string, words: string) => {
      const answer = await attempt({ task: 'noop' }, {}, as(name))
      return answer.status === 429 && errorOf(answer).message.includes(words)
    }
    const eve = begin('eve')
    await vi.waitUntil(() => refused('eve', 'You are trying'), { timeout: 10_000 })
    const ed = begin('ed')
    await vi.waitUntil(() => refused('root', 'Two nodes'), { timeout: 10_000 })
    for (const { gone, answer } of [eve, ed]) {
      gone.abort()
      expect(await answer).toBe('AbortError')
    }
    await vi.waitUntil(async () => (await attempt({ task: 'noop' }, {}, as('eve'))).status === 200, {
      timeout: 10_000,
    })
    expect(api.defects).toEqual([])
  })
})
