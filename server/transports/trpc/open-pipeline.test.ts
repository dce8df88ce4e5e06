import { createTRPCClient, httpBatchLink } from '@trpc/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiServer, type ApiServer } from '@/testing/api-server'
import type { AppRouter } from './router'

const example = { id: 'e', name: 'E', description: null, yaml: 'id: e\n' }
let api: ApiServer
beforeAll(async () => {
  api = await openApiServer({ people: { ada: ['editor'], eve: ['viewer'] }, examples: [example] })
})
afterAll(() => api[Symbol.asyncDispose]())

const as = (name: string) =>
  createTRPCClient<AppRouter>({
    links: [
      httpBatchLink({
        url: `${api.base}/api/trpc`,
        fetch: api.checkedFetch,
        headers: { authorization: `Bearer ${name}` },
      }),
    ],
  })
const definition = (name: string) => ({
  id: 'opened',
  name,
  nodes: [{ id: 'a', task: 'noop', startWhen: 'event:pipeline.started' }],
})

describe('opening a pipeline', () => {
  it('answers at once with what there is: nothing, a draft, a revision, and what the draft began from', async () => {
    const ada = as('ada')
    const open = () => ada.pipelines.open.query({ pipeline_id: 'opened' })
    expect(await open()).toEqual({
      caller: 'ada',
      may_edit: true,
      pipeline: null,
      draft: null,
      base: null,
    })
    const draft = { pipeline_id: 'opened', base_revision: 0, if_match: 0, text: 'id: opened' }
    await ada.drafts.put.mutate(draft)
    expect(await open()).toMatchObject({ pipeline: null, draft: { text: 'id: opened' }, base: null })
    await ada.pipelines.create.mutate({ definition: definition('One') })
    expect(await open()).toMatchObject({ pipeline: { revision: 1, name: 'One' }, draft: null, base: null })
    const { version } = await ada.drafts.put.mutate({ ...draft, base_revision: 1 })
    await api.call(
      'PUT',
      '/api/v1/pipelines/opened?note=Why',
      { ...definition('Two'), description: 'x' },
      { authorization: 'Bearer ada', 'if-match': '1' },
    )
    await ada.drafts.put.mutate({ ...draft, base_revision: 1 })
    const found = await open()
    expect(found).toMatchObject({
      pipeline: { revision: 2, note: 'Why' },
      draft: { base_revision: 1 },
      base: { revision: 1 },
    })
    expect(found.base?.yaml).toContain('name: One')
    expect(found.draft?.version).toBeGreaterThan(version)
    expect(await as('eve').pipelines.open.query({ pipeline_id: 'opened' })).toMatchObject({
      caller: 'eve',
      may_edit: false,
      pipeline: { revision: 2 },
      draft: null,
    })
  })

  it('removes only the version of a draft that was seen', async () => {
    const ada = as('ada')
    const draft = { pipeline_id: 'seen', base_revision: 0, text: 'a' }
    const first = await ada.drafts.put.mutate({ ...draft, if_match: 0 })
    const second = await ada.drafts.put.mutate({ ...draft, text: 'b', if_match: first.version })
    const removed = ada.drafts.remove.mutate({ pipeline_id: 'seen', if_match: first.version })
    await expect(removed).rejects.toMatchObject({ data: { refusal: { code: 'not_found' } } })
    await ada.drafts.remove.mutate({ pipeline_id: 'seen', if_match: second.version })
  })

  it('gives the examples of the product to callers who may read', async () => {
    expect(await as('eve').pipelines.examples.query({})).toEqual({ items: [example] })
  })
})
