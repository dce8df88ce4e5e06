import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { Answer } from '@/testing/checked-call'

let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({
    people: { root: ['admin'], ada: ['editor'], bob: ['editor'], eve: ['viewer'] },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const as = (name: string, more: Record<string, string> = {}) => ({ authorization: `Bearer ${name}`, ...more })
const put = (name: string, id: string, body: object, ifMatch?: number) =>
  api.call(
    'PUT',
    `/api/v1/pipelines/${id}/draft`,
    body,
    as(name, ifMatch === undefined ? {} : { 'if-match': `${ifMatch}` }),
  )
const get = (name: string, path: string) => api.call('GET', `/api/v1${path}`, undefined, as(name))
const remove = (name: string, id: string) =>
  api.call('DELETE', `/api/v1/pipelines/${id}/draft`, undefined, as(name))
const errorOf = (answer: Answer) =>
  (answer.body as { error: { code: string; message: string; issues: { path: string[]; message: string }[] } })
    .error
const versionOf = (answer: Answer) => (answer.body as { version: number }).version
const definition = (id: string, name = id) => ({
  id,
  name,
  nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
})

describe('drafts', () => {
  it('keeps any text, one save after another, for its author alone', async () => {
    const text = 'id: half\nnodes:\n  - id: "'
    const first = await put('ada', 'half', { base_revision: 0, text }, 0)
    expect(first.status).toBe(200)
    const second = await put('ada', 'half', { base_revision: 0, text: '{', format: 'json' }, versionOf(first))
    expect(versionOf(second)).toBeGreaterThan(versionOf(first))
    expect((await get('ada', '/pipelines/half/draft')).body).toEqual({
      pipeline_id: 'half',
      name: null,
      base_revision: 0,
      text: '{',
      format: 'json',
      version: versionOf(second),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect((await get('ada', '/drafts')).body).toEqual({
      items: [
        {
          pipeline_id: 'half',
          name: null,
          base_revision: 0,
          format: 'json',
          version: versionOf(second),
          updated_at: expect.stringMatching(/Z$/),
        },
      ],
      next_cursor: null,
    })
    for (const name of ['bob', 'root']) {
      expect((await get(name, '/pipelines/half/draft')).status).toBe(404)
      expect((await get(name, '/drafts')).body).toEqual({ items: [], next_cursor: null })
      expect((await remove(name, 'half')).status).toBe(404)
    }
    expect((await get('eve', '/drafts')).status).toBe(403)
    expect((await remove('ada', 'half')).status).toBe(204)
    expect((await get('ada', '/pipelines/half/draft')).status).toBe(404)
  })

  it.each([
    ['yaml', 'id: named\nname: "The weather: today" # of today\nnodes: [', 'The weather: today'],
    ['yaml', 'id: named\nname:\nnodes: []', null],
    ['yaml', 'nodes:\n  - id: a\n    name: of a node', null],
    ['json', '{\n  "id": "named",\n  "name": "Say \\"hi\\"",\n  "nodes": []\n}', 'Say "hi"'],
  ] as const)(
    '[R-92] is listed with the name that it gives its pipeline (%s, %j)',
    async (format, text, name) => {
      const saved = await put('ada', 'named', { base_revision: 0, text, format }, 0)
      expect((await get('ada', '/drafts')).body).toMatchObject({ items: [{ pipeline_id: 'named', name }] })
      expect((await remove('ada', 'named')).status).toBe(204)
      expect(versionOf(saved)).toBeGreaterThan(0)
    },
  )

  it('never lets one tab overwrite another', async () => {
    const body = { base_revision: 0, text: 'one' }
    const first = await put('ada', 'tabs', body, 0)
    const late = await put('ada', 'tabs', { ...body, text: 'two' }, 0)
    expect([late.status, errorOf(late).code]).toEqual([409, 'stale_draft'])
    expect(errorOf(late).issues).toMatchObject([{ path: ['version'], message: `${versionOf(first)}` }])
    expect((await get('ada', '/pipelines/tabs/draft')).body).toMatchObject({ text: 'one' })
    await remove('ada', 'tabs')
    const gone = await put('ada', 'tabs', body, versionOf(first))
    expect(errorOf(gone).message).toContain('There is no draft any more')
  })

  it('refuses what is no draft', async () => {
    const body = { base_revision: 0, text: '' }
    expect((await put('ada', 'refused', body)).status).toBe(428)
    expect((await put('ada', 'Not_an_id', body, 0)).status).toBe(422)
    expect((await put('ada', 'refused', { ...body, base_revision: -1 }, 0)).status).toBe(422)
    expect((await put('ada', 'refused', { ...body, format: 'toml' }, 0)).status).toBe(422)
    expect((await put('ada', 'refused', { ...body, more: 1 }, 0)).status).toBe(422)
    expect((await put('ada', 'refused', { base_revision: 0 }, 0)).status).toBe(422)
    const large = await put('ada', 'refused', { ...body, text: 'x'.repeat(2_000_000) }, 0)
    expect(large.status).toBe(200)
    const larger = await put('ada', 'refused', { ...body, text: 'x'.repeat(5_100_000) }, versionOf(large))
    expect(larger.status).toBe(413)
  })

  it('[R-84] goes when it is published, with a note that the revision keeps', async () => {
    const draft = { base_revision: 0, text: 'id: noted' }
    await put('ada', 'noted', draft, 0)
    await put('bob', 'noted', draft, 0)
    const note = 'First of its kind: ü & more'
    const created = await api.call(
      'POST',
      `/api/v1/pipelines?note=${encodeURIComponent(note)}`,
      definition('noted'),
      as('ada'),
    )
    expect(created.status).toBe(201)
    expect((await get('ada', '/pipelines/noted/draft')).status).toBe(404)
    expect((await get('bob', '/pipelines/noted/draft')).status).toBe(200)
    const save = (name: string, query = '') =>
      api.call(
        'PUT',
        `/api/v1/pipelines/noted${query}`,
        definition('noted', 'new'),
        as(name, { 'if-match': '1' }),
      )
    expect((await save('bob', `?note=${'x'.repeat(501)}`)).status).toBe(422)
    expect((await save('bob')).body).toMatchObject({ revision: 2 })
    expect((await get('bob', '/pipelines/noted/draft')).status).toBe(404)
    expect((await get('eve', '/pipelines/noted/revisions')).body).toMatchObject({
      items: [
        { revision: 2, created_by: 'bob', note: null },
        { revision: 1, created_by: 'ada', note },
      ],
    })
  })

  it('[R-84] lists what differs between two revisions', async () => {
    const first = { ...definition('compared'), layout: { a: { x: 0, y: 0 } } }
    await api.call('POST', '/api/v1/pipelines', first, as('ada'))
    const second = {
      ...first,
      nodes: [
        { ...first.nodes[0], timeout: '90s' },
        { id: 'b', task: 'noop', startWhen: 'event:a.completed' },
      ],
      layout: { a: { x: 1, y: 0 } },
    }
    await api.call('PUT', '/api/v1/pipelines/compared', second, as('ada', { 'if-match': '1' }))
    const found = await get('eve', '/pipelines/compared/diff?from=1&to=2')
    expect(found.body).toEqual({
      from: 1,
      to: 2,
      pipeline: [],
      nodes: {
        added: ['b'],
        removed: [],
        changed: [{ id: 'a', fields: [{ path: ['timeout'], after: '90s' }] }],
        moved: ['a'],
        renamed: [],
      },
      triggers: { added: [], removed: [], changed: [] },
      notes: { added: [], removed: [], changed: [], moved: [] },
      rehearsals: { added: [], removed: [], changed: [] },
    })
    for (const [path, status] of [
      ['compared/diff?from=1&to=3', 404],
      ['compared/diff?from=3&to=1', 404],
      ['nowhere/diff?from=1&to=1', 404],
      ['compared/diff?from=1', 422],
      ['compared/diff?from=0&to=1', 422],
    ] as const) {
      expect((await get('eve', `/pipelines/${path}`)).status, path).toBe(status)
    }
  })

  it('outlives its pipeline', async () => {
    await api.call('POST', '/api/v1/pipelines', definition('mortal'), as('bob'))
    await put('ada', 'mortal', { base_revision: 1, text: 'id: mortal' }, 0)
    expect((await api.call('DELETE', '/api/v1/pipelines/mortal', undefined, as('bob'))).status).toBe(204)
    expect((await get('ada', '/pipelines/mortal/draft')).body).toMatchObject({ base_revision: 1 })
  })
})
