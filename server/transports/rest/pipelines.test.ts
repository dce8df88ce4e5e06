import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer()
})
afterAll(() => api[Symbol.asyncDispose]())

const started = 'event:pipeline.started'
const chain = (id: string, more: object = {}) => ({
  schemaVersion: 1,
  id,
  name: id,
  nodes: [{ id: 'a', task: 'noop', startWhen: started }],
  ...more,
})
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('POST', `/api/v1${path}`, body, headers)
const put = (path: string, body: unknown, headers?: Record<string, string>) =>
  api.call('PUT', `/api/v1${path}`, body, headers)
const get = (path: string, headers?: Record<string, string>) =>
  api.call('GET', `/api/v1${path}`, undefined, headers)
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const issuesOf = (answer: Answer) =>
  (answer.body as { error: { issues: { path: (string | number)[]; code: string; message: string }[] } }).error
    .issues

describe('pipelines', () => {
  it('stores a definition as revision 1 and gives it back as it was written', async () => {
    const created = await post('/pipelines', chain('kept', { labels: { team: 'data' } }))
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ id: 'kept', revision: 1, issues: [] })
    const read = await get('/pipelines/kept')
    expect(read.body).toMatchObject({
      id: 'kept',
      revision: 1,
      current_revision: 1,
      labels: { team: 'data' },
      created_by: 'root',
      definition: chain('kept', { labels: { team: 'data' } }),
    })
    expect((await post('/pipelines', chain('kept'))).status).toBe(409)
  })

  it('[G-4] warns of a sub-pipeline that is not there yet', async () => {
    const parent = chain('parent', { nodes: [{ id: 'sub', pipeline: 'absent', startWhen: started }] })
    expect((await post('/pipelines', parent)).body).toMatchObject({
      issues: [{ path: ['nodes', 0, 'pipeline'], code: 'unknown_pipeline', severity: 'warning' }],
    })
    await post('/pipelines', chain('absent'))
    const again = { ...parent, description: 'with its child' }
    const saved = await put('/pipelines/parent', again, { 'if-match': '1' })
    expect(saved.body).toEqual({ id: 'parent', revision: 2, issues: [] })
  })

  it('takes YAML and gives it back with its comments', async () => {
    const yaml = `# the one that counts\nid: commented\nname: Commented\nnodes:\n  - id: a # first\n    task: noop\n    startWhen: ${started}\n`
    expect((await post('/pipelines', yaml, { 'content-type': 'application/yaml' })).status).toBe(201)
    const read = await get('/pipelines/commented', { accept: 'application/yaml' })
    expect(read.headers.get('content-type')).toMatch(/^application\/yaml/)
    expect(read.body).toBe(yaml)
    expect((await get('/pipelines/kept', { accept: 'application/yaml' })).body).toContain('id: kept')
  })

  it('the same content in another text keeps the revision and not the old comments', async () => {
    const yaml = (comment: string) =>
      `# ${comment}\nschemaVersion: 1\nid: explained\nname: Explained\nnodes:\n  - { id: a, task: noop, startWhen: 'event:pipeline.started' }\n`
    const type = { 'content-type': 'application/yaml' }
    const text = async () => (await get('/pipelines/explained', { accept: 'application/yaml' })).body
    await post('/pipelines', yaml('first'), type)
    const again = await put('/pipelines/explained', yaml('second'), { ...type, 'if-match': '1' })
    expect(again.body).toMatchObject({ revision: 1 })
    expect(await text()).toBe(yaml('second'))
    const { definition } = (await get('/pipelines/explained')).body as { definition: object }
    expect((await put('/pipelines/explained', definition, { 'if-match': '1' })).body).toMatchObject({
      revision: 1,
    })
    expect(await text()).toBe(yaml('second'))
  })

  it('adds a revision on the one that was seen, keeps it for the same content, refuses a stale one', async () => {
    await post('/pipelines', chain('revised'))
    expect(codeOf(await put('/pipelines/revised', chain('revised')))).toBe('precondition_required')
    expect((await put('/pipelines/revised', chain('revised'))).status).toBe(428)
    const changed = chain('revised', { description: 'new' })
    expect((await put('/pipelines/revised', changed, { 'if-match': '1' })).body).toMatchObject({
      revision: 2,
    })
    const { schemaVersion, ...rest } = changed
    expect(
      (await put('/pipelines/revised', { ...rest, schemaVersion }, { 'if-match': '"2"' })).body,
    ).toMatchObject({ revision: 2 })
    const stale = await put('/pipelines/revised', chain('revised'), { 'if-match': '1' })
    expect(stale.status).toBe(409)
    expect(JSON.stringify(stale.body)).toContain('The current revision is 2')
    expect((await put('/pipelines/revised', chain('revised'), { 'if-match': 'x' })).status).toBe(400)
    expect((await put('/pipelines/nowhere', chain('nowhere'), { 'if-match': '1' })).status).toBe(404)
    expect((await put('/pipelines/revised', chain('other'), { 'if-match': '2' })).status).toBe(422)
    expect((await get('/pipelines/revised?revision=1')).body).toMatchObject({
      revision: 1,
      current_revision: 2,
    })
    expect((await get('/pipelines/revised?revision=9')).status).toBe(404)
    const revisions = (await get('/pipelines/revised/revisions')).body as { items: { revision: number }[] }
    expect(revisions.items.map((item) => item.revision)).toEqual([2, 1])
  })

  it('lists by pages whose cursors are its own', async () => {
    for (const n of [1, 2, 3]) await post('/pipelines', chain(`paged_${n}`))
    const first = (await get('/pipelines?limit=2&search=paged')).body as {
      items: unknown[]
      next_cursor: string
    }
    expect(first.items).toHaveLength(2)
    const second = (
      await get(`/pipelines?limit=2&search=paged&cursor=${encodeURIComponent(first.next_cursor)}`)
    ).body as { items: unknown[]; next_cursor: null }
    expect(second.items).toHaveLength(1)
    expect(second.next_cursor).toBeNull()
    const forged = await get('/pipelines?cursor=forged')
    expect([forged.status, codeOf(forged)]).toEqual([400, 'invalid_cursor'])
    for (const limit of ['0', '251', 'x', '1e2', ''])
      expect((await get(`/pipelines?limit=${limit}`)).status, limit).toBe(422)
  })

  it('lists the latest run and the schedules of each where they are asked for', async () => {
    const triggers = [{ id: 'nightly', type: 'cron', cron: '0 3 * * *', timezone: 'UTC' }]
    await post('/pipelines', chain('active_one', { triggers }))
    await post('/pipelines', chain('active_two'))
    await post('/pipelines/active_one/executions', {})
    const second = (await post('/pipelines/active_one/executions', {})).body as { execution_id: string }
    const list = (await get('/pipelines?search=active_&activity=true')).body
    expect(list).toMatchObject({
      items: [
        {
          id: 'active_one',
          last_run: { execution_id: second.execution_id },
          schedules: [{ trigger_id: 'nightly', next_at: expect.stringMatching(/T03:00:00.000Z$/) }],
        },
        { id: 'active_two', last_run: null, schedules: [] },
      ],
    })
    const plain = (await get('/pipelines?search=active_two')).body as { items: object[] }
    expect(plain.items[0]).not.toHaveProperty('last_run')
  })

  it('deletes what does not run; executions stay readable', async () => {
    await post(
      '/pipelines',
      chain('gone', {
        nodes: [{ id: 'w', task: 'wait', inputBindings: { duration: '1h' }, startWhen: started }],
      }),
    )
    const run = (await post('/pipelines/gone/executions', {})).body as { execution_id: string }
    expect((await api.call('DELETE', '/api/v1/pipelines/gone')).status).toBe(409)
    await post(`/executions/${run.execution_id}/cancel`, {})
    await api.closed(run.execution_id)
    expect((await api.call('DELETE', '/api/v1/pipelines/gone')).status).toBe(204)
    expect((await get('/pipelines/gone')).status).toBe(404)
    expect((await api.call('DELETE', '/api/v1/pipelines/gone')).status).toBe(404)
    expect((await get(`/executions/${run.execution_id}`)).body).toMatchObject({ status: 'cancelled' })
  })

  it('validates without storing: graph, all issues, broken YAML', async () => {
    const good = await post('/pipelines/validate', chain('only_checked'))
    expect(good.body).toMatchObject({
      valid: true,
      issues: [],
      graph: { levels: [['a']], critical_path: ['a'] },
    })
    expect((await get('/pipelines/only_checked')).status).toBe(404)
    const bad = await post('/pipelines/validate', 'id: [', { 'content-type': 'application/yaml' })
    expect(bad.status).toBe(200)
    expect(bad.body).toMatchObject({ valid: false, graph: null, issues: [{ code: 'invalid_yaml' }] })
  })

  it('[G-4] validating reports references to missing things, as saving does', async () => {
    const definition = {
      ...chain('names_much'),
      nodes: [{ id: 'a', pipeline: 'nowhere', startWhen: 'event:pipeline.started' }],
      triggers: [{ id: 'in', type: 'webhook', auth: 'bearer', secret: 'secret:absent' }],
    }
    const checked = await post('/pipelines/validate', definition)
    expect(checked.body).toMatchObject({
      valid: true,
      issues: [
        { code: 'unknown_pipeline', severity: 'warning' },
        { code: 'unknown_secret', severity: 'warning' },
      ],
    })
    expect((await post('/pipelines', definition)).body).toMatchObject({
      issues: (checked.body as { issues: unknown }).issues,
    })
  })
  it('[G-4] validating reports what is proven, with an example run and a fix; saving reports the warnings', async () => {
    const definition = {
      ...chain('bypassed'),
      inputs: { unused: { type: 'string', default: '' } },
      nodes: [
        { id: 'build', task: 'noop', startWhen: started },
        {
          id: 'ask',
          task: 'approval',
          startWhen: 'event:build.completed',
          inputBindings: { message: 'ok?', approvers: ['role:approver'] },
        },
        { id: 'ship', task: 'noop', startWhen: 'event:ask.approved || event:build.completed' },
      ],
    }
    const bypassed = {
      path: ['nodes', 2, 'startWhen'],
      code: 'bypassed_approval',
      severity: 'warning',
      counter_example: [{ node: 'ask', outcome: 'rejected' }],
      fix: { path: ['nodes', 2, 'startWhen'], value: 'event:ask.approved && event:build.completed' },
    }
    expect((await post('/pipelines/validate', definition)).body).toMatchObject({
      valid: true,
      issues: [bypassed, { code: 'unused_input', severity: 'info' }],
    })
    expect((await post('/pipelines', definition)).body).toMatchObject({ issues: [bypassed] })
  })

  it('[R-61] validating answers for five hundred nodes that all wait for each other in many ways', async () => {
    const event = (at: number, before: number) =>
      before % 2 === 0
        ? `event:n${at - before}.completed`
        : `(event:n${at - before}.failed && event:n${Math.max(0, at - before - 1)}.skipped)`
    const gate = (at: number) =>
      at === 0 ? started : Array.from({ length: Math.min(at, 60) }, (_, i) => event(at, i + 1)).join(' || ')
    const nodes = Array.from({ length: 500 }, (_, at) => ({
      id: `n${at}`,
      task: 'noop',
      startWhen: gate(at),
    }))
    const answer = await post('/pipelines/validate', { ...chain('dense'), nodes })
    expect(answer.body).toMatchObject({ valid: true })
  }, 10_000)

  it('[R-73] gives the first answer again for the same key, and refuses the key for another body', async () => {
    const key = { 'idempotency-key': 'k-1' }
    const first = await post('/pipelines', chain('keyed'), key)
    expect((await post('/pipelines', chain('keyed'), key)).body).toEqual(first.body)
    const other = await post('/pipelines', chain('keyed', { description: 'x' }), key)
    expect([other.status, codeOf(other)]).toEqual([409, 'idempotency_conflict'])
    const both = await Promise.all(
      [0, 1, 2].map(() => post('/pipelines', chain('keyed_at_once'), { 'idempotency-key': 'k-2' })),
    )
    expect(both.map((answer) => answer.status)).toEqual([201, 201, 201])
    expect((await post('/pipelines', chain('long_key'), { 'idempotency-key': 'x'.repeat(201) })).status).toBe(
      422,
    )
  })
})

describe('bad input', () => {
  const yaml = { 'content-type': 'application/yaml' }
  const cases: [name: string, send: () => Promise<Answer>, status: number, place: RegExp][] = [
    ['a broken YAML', () => post('/pipelines', 'id: x\nnodes: [', yaml), 400, /line \d+/],
    ['a broken JSON', () => post('/pipelines', '{"id": '), 400, /not valid JSON/],
    ['an unknown key', () => post('/pipelines', chain('bad_key', { nodez: [] })), 422, /nodez/],
    [
      'an unknown event',
      () =>
        post(
          '/pipelines',
          chain('bad_event', { nodes: [{ id: 'a', task: 'noop', startWhen: 'event:b.completed' }] }),
        ),
      422,
      /b\.completed/,
    ],
    [
      'a cycle',
      () =>
        post(
          '/pipelines',
          chain('bad_cycle', {
            nodes: [
              { id: 'a', task: 'noop', startWhen: 'event:b.completed' },
              { id: 'b', task: 'noop', startWhen: 'event:a.completed' },
            ],
          }),
        ),
      422,
      /cycle/,
    ],
    [
      'a duplicate node id',
      () => post('/pipelines', chain('bad_twin', { nodes: [chain('x').nodes[0], chain('x').nodes[0]] })),
      422,
      /duplicate_node_id/,
    ],
    ['a body over the limit', () => post('/pipelines', `"${'x'.repeat(5_000_001)}"`), 413, /too_large/],
    [
      'a wrong content type',
      () => post('/pipelines', 'id=x', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      /unsupported_media_type/,
    ],
    [
      'another charset',
      () => post('/pipelines', '{}', { 'content-type': 'application/json; charset=utf-16' }),
      415,
      /unsupported_media_type/,
    ],
    [
      'a compressed body',
      () => post('/pipelines', '{}', { 'content-encoding': 'gzip' }),
      415,
      /unsupported_media_type/,
    ],
    [
      'nesting without end',
      () => post('/pipelines', '['.repeat(5_000) + ']'.repeat(5_000)),
      400,
      /nests deeper/,
    ],
    [
      'a key that stands twice',
      () => post('/pipelines', '{"id":"a","nodes":[{"id":"a",\n"id":"b"}]}'),
      400,
      /line 2, column 1.*"path":\["nodes",0,"id"\],"code":"duplicate_key"|"path":\["nodes",0,"id"\].*line 2, column 1/,
    ],
    [
      'YAML that is JSON with a key that stands twice',
      () => post('/pipelines', '{"id":"a",\n"id":"b"}', { 'content-type': 'application/yaml' }),
      400,
      /line 2, column 1: Map keys must be unique/,
    ],
    [
      'a number that is infinite',
      () => post('/pipelines/nowhere/executions', '{"inputs":{"n":1e400}}'),
      400,
      /"path":\["inputs","n"\].*1e400 is larger than a number can be|1e400 is larger than a number can be.*"path":\["inputs","n"\]/,
    ],
    [
      'inputs with a whole number that would become another',
      () => post('/pipelines/nowhere/executions', '{"inputs":{"n":[9007199254740993]}}'),
      400,
      /9007199254740993 would become 9007199254740992.*"path":\["inputs","n",0\],"code":"number_inexact"|"path":\["inputs","n",0\].*9007199254740993 would become 9007199254740992/,
    ],
    [
      'an event with one',
      () =>
        post(
          '/events',
          '{"execution_id":"01JX","event_type":"external.a.b","payload":{"n":9007199254740993}}',
        ),
      400,
      /would become 9007199254740992/,
    ],
    [
      'values for a trial with one',
      () => post('/pipelines/try', '{"node":"a","pins":{"b":{"n":9007199254740993}}}'),
      400,
      /would become 9007199254740992/,
    ],
    [
      'a definition in YAML with one',
      () =>
        post(
          '/pipelines',
          'id: big\nnodes:\n  - { id: a, task: set, inputBindings: { n: 9007199254740993 } }\n',
          {
            'content-type': 'application/yaml',
          },
        ),
      400,
      /line 3, column 45: 9007199254740993 would become 9007199254740992/,
    ],
    ['a key __proto__', () => post('/pipelines', '{"__proto__": {"admin": true}}'), 400, /__proto__/],
    ['an unknown pipeline', () => post('/pipelines/nowhere/executions', {}), 404, /nowhere/],
    ['a query that does not exist', () => get('/pipelines?limitt=3'), 422, /limitt/],
    ['a query that is not UTF-8', () => get('/executions?text=%FF'), 400, /malformed/],
    ['a query that stands twice', () => get('/pipelines?limit=3&limit=4'), 422, /duplicate_field/],
  ]
  it.each(cases)('%s: refused, with the place', async (_name, send, status, place) => {
    const answer = await send()
    expect(answer.status).toBe(status)
    expect(JSON.stringify(answer.body)).toMatch(place)
  })

  it('stores nothing of what was refused, and leaves prototypes alone', async () => {
    for (const id of ['bad_key', 'bad_event', 'bad_cycle', 'bad_twin'])
      expect((await get(`/pipelines/${id}`)).status, id).toBe(404)
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined()
    expect(api.defects).toEqual([])
  })

  it('[G-4] reports all issues at once, each with path, code and message', async () => {
    const answer = await post(
      '/pipelines',
      chain('many', {
        extra: 1,
        nodes: [
          { id: 'a', task: 'nope', startWhen: started },
          { id: 'b', task: 'noop', startWhen: 'event:c.completed' },
        ],
      }),
    )
    const codes = issuesOf(answer).map((issue) => issue.code)
    expect(codes).toEqual(expect.arrayContaining(['unknown_field', 'unknown_task', 'unknown_event']))
    expect(issuesOf(answer).find((issue) => issue.code === 'unknown_event')?.path).toEqual([
      'nodes',
      1,
      'startWhen',
    ])
  })
})
