import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import { sendFrom } from '@/testing/send-from'
import { appRouter, type AppRouter } from './router'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: { root: ['viewer', 'operator', 'approver', 'editor', 'admin'], vic: ['viewer'], nobody: [] },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const client = (name: string, headers: Record<string, string> = {}) =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${api.base}/api/trpc`,
        fetch: api.checkedFetch,
        headers: { authorization: `Bearer ${name}`, ...headers },
      }),
    ],
  })

const refusalOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof TRPCClientError)) throw new Error('was not refused')
  return error.data as {
    code: string
    httpStatus: number
    refusal: { code: string; issues: { path: unknown[] }[] } | null
    stack?: string
  }
}

describe('tRPC', () => {
  it('runs the same operations as REST', async () => {
    const root = client('root')
    expect(
      await root.pipelines.create.mutate({
        definition: { id: 't', nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }] },
      }),
    ).toMatchObject({ id: 't', revision: 1 })
    const { execution_id } = await root.executions.start.mutate({ pipeline_id: 't' })
    if (execution_id === null) throw new Error('nothing was begun')
    await api.closed(execution_id)
    const [view, entries, who] = await Promise.all([
      root.executions.get.query({ execution_id }),
      root.executions.entries.query({ execution_id }),
      root.session.whoami.query({}),
    ])
    expect(view.status).toBe('completed')
    expect(entries.entries.map((entry) => entry.event.seq)).toEqual(
      Array.from({ length: view.last_seq }, (_, n) => n + 1),
    )
    expect(who).toMatchObject({ name: 'root', rights: ['read', 'decide', 'operate', 'edit', 'administer'] })
    const rerun = { execution_id, nodes: ['a'] }
    expect(await root.executions.rerun.mutate({ ...rerun, dry_run: true })).toEqual({
      nodes: ['a'],
      newer_sub_pipelines: [],
    })
    expect(await root.executions.rerun.mutate(rerun)).toEqual({ nodes: ['a'], newer_sub_pipelines: [] })
    const forked = await root.executions.fork.mutate({ execution_id, at_seq: 0 })
    expect((await root.executions.get.query({ execution_id: forked.execution_id })).origin).toEqual({
      execution_id,
      seq: 0,
    })
    expect((await root.tasks.catalog.query({})).items.map((task) => task.type)).toContain('duckdb.query')
    expect((await root.overview.get.query({})).slots.total).toBe(100)
  })

  it('keeps drafts, publishes with a note and compares revisions', async () => {
    const root = client('root')
    const definition = { id: 'd', nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }] }
    const draft = { pipeline_id: 'd', if_match: 0, base_revision: 0, text: 'id: d' }
    const { version } = await root.drafts.put.mutate(draft)
    expect(await refusalOf(root.drafts.put.mutate(draft))).toMatchObject({
      httpStatus: 409,
      refusal: { code: 'stale_draft', issues: [{ path: ['version'] }] },
    })
    expect(await root.drafts.get.query({ pipeline_id: 'd' })).toMatchObject({ text: 'id: d', version })
    expect((await root.drafts.list.query({})).items).toHaveLength(1)
    await root.pipelines.create.mutate({ definition, note: 'begun' })
    expect((await root.drafts.list.query({})).items).toEqual([])
    await root.pipelines.update.mutate({
      pipeline_id: 'd',
      if_match: 1,
      definition: { ...definition, name: 'D' },
    })
    const { items } = await root.pipelines.revisions.query({ pipeline_id: 'd' })
    expect(items.map(({ note }) => note)).toEqual([null, 'begun'])
    const { pipeline } = await root.pipelines.diff.query({ pipeline_id: 'd', from: 1, to: 2 })
    expect(pipeline).toEqual([{ path: ['name'], after: 'D' }])
    await root.drafts.put.mutate({ ...draft, base_revision: 2 })
    await root.drafts.remove.mutate({ pipeline_id: 'd' })
    expect(await refusalOf(root.drafts.get.query({ pipeline_id: 'd' }))).toMatchObject({ httpStatus: 404 })
  })

  it('refuses with the words of REST, all issues at once, and nothing of its insides', async () => {
    const root = client('root')
    const invalid = await refusalOf(
      root.pipelines.create.mutate({
        definition: { id: 'x', nodes: [{ id: 'a', task: 'nope', startWhen: 'event:b.completed' }] },
      }),
    )
    expect(invalid).toMatchObject({ httpStatus: 422, refusal: { code: 'invalid_definition' } })
    expect(invalid.refusal?.issues.length).toBeGreaterThan(1)
    expect(await refusalOf(root.executions.get.query({ execution_id: 'nowhere' }))).toMatchObject({
      httpStatus: 404,
      refusal: { code: 'not_found' },
    })
    const shape = await refusalOf(root.executions.list.query({ limit: 1_000, extra: 1 } as never))
    expect(shape.refusal).toMatchObject({ code: 'invalid_request' })
    expect(shape.refusal?.issues.map((issue) => issue.path)).toEqual(
      expect.arrayContaining([['limit'], ['extra']]),
    )
    expect(shape.stack).toBeUndefined()
  })

  it('asks every procedure for its right before it looks at the input', async () => {
    const open: string[] = []
    for (const [path, procedure] of Object.entries(
      appRouter._def.procedures as unknown as Record<string, { _def: { type: string } }>,
    )) {
      const type = procedure._def.type
      const answer =
        type === 'query'
          ? await api.call('GET', `/api/trpc/${path}`, undefined, { authorization: 'Bearer nobody' })
          : await api.call('POST', `/api/trpc/${path}`, {}, { authorization: 'Bearer nobody' })
      if (answer.status !== 403) open.push(`${path} ${answer.status}`)
      const method = type === 'query' ? 'GET' : 'POST'
      const stranger = { method, token: 'wrong', from: '127.0.0.2' }
      expect([401, 429], path).toContain(await sendFrom(`${api.base}/api/trpc/${path}`, stranger))
    }
    expect(open.toSorted()).toEqual(
      ['session.signOut 200', 'session.whoami 400']
        .toSorted()
        .map((line) => expect.stringContaining(line.split(' ')[0] ?? '')),
    )
    expect((await refusalOf(client('vic').executions.start.mutate({ pipeline_id: 't' }))).code).toBe(
      'FORBIDDEN',
    )
  })

  it('changes nothing by GET, by another content type, or from a foreign page', async () => {
    const input = encodeURIComponent(JSON.stringify({ pipeline_id: 't' }))
    expect((await api.call('GET', `/api/trpc/executions.start?input=${input}`)).status).toBe(405)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
    ]) {
      expect(
        (
          await api.call('POST', '/api/trpc/executions.start', JSON.stringify({ pipeline_id: 't' }), {
            'content-type': type,
          })
        ).status,
        type,
      ).toBe(415)
    }
    const foreign = await fetch(`${api.base}/api/trpc/executions.start`, {
      method: 'POST',
      headers: { cookie: 'person=root', origin: 'https://evil.example', 'content-type': 'application/json' },
      body: JSON.stringify({ pipeline_id: 't' }),
    })
    expect(foreign.status).toBe(403)
    expect(api.defects).toEqual([])
  })

  it.each([
    ['{"pipeline_id":"t","inputs":{"n":9007199254740993}}', 'would become 9007199254740992'],
    ['{"pipeline_id":"t","inputs":{"n":1e400}}', '1e400 is larger'],
    ['{"pipeline_id":"t","pipeline_id":"u"}', "the key 'pipeline_id' is written twice"],
    ['{"pipeline_id":"t"', 'not valid JSON'],
  ])('[R-86] refuses what it would read as something else: %s', async (text, why) => {
    const post = await api.call('POST', '/api/trpc/executions.start', text)
    expect(post).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(why) as string } },
    })
    const get = await api.call('GET', `/api/trpc/executions.get?input=${encodeURIComponent(text)}`)
    expect(get).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining(why) as string } },
    })
  })

  it('bounds what one batch may carry', async () => {
    const path = Array.from({ length: 51 }, () => 'session.whoami').join(',')
    const input = encodeURIComponent(
      JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [n, {}]))),
    )
    expect((await api.call('GET', `/api/trpc/${path}?batch=1&input=${input}`)).status).toBe(400)
  })
})
