import { describe, expect, it } from 'vitest'
import type { PipelineRegistry } from '@/server/ports/registry'
import { IMPLEMENTATIONS, T0 } from './contract-fixtures'

describe.each(IMPLEMENTATIONS)('the registry of pipelines in $name', ({ open }) => {
  const pipeline = (id: string, digest: string, at = T0, name = `Name of ${id}`) => ({
    name,
    description: null,
    labels: { team: 'data' },
    revision: {
      pipelineId: id,
      definition: { id, digest, nodes: [] },
      text: `# ${digest}\n`,
      digest,
      createdAt: at,
      createdBy: 'ada',
      createdById: 'usr_ada',
      note: `Why ${digest}`,
    },
  })
  type New = Parameters<PipelineRegistry['create']>[0]

  it('keeps every revision; the same digest is the same revision; a stale writer gets the current one', async () => {
    await using store = await open()
    const first: New = pipeline('report', 'd1')
    expect(await store.pipelines.create(first)).toEqual({ revision: 1 })
    expect(await store.pipelines.create(first)).toBe('exists')
    expect(await store.pipelines.update(pipeline('report', 'd2', T0 + 1), 1)).toEqual({ revision: 2 })
    expect(await store.pipelines.update(pipeline('report', 'd2', T0 + 2), 2)).toEqual({ revision: 2 })
    const rewritten = pipeline('report', 'd2', T0 + 3)
    await store.pipelines.update(
      { ...rewritten, revision: { ...rewritten.revision, text: '# other comment\n' } },
      2,
    )
    expect(await store.pipelines.revision('report')).toMatchObject({ revision: 2, text: '# other comment\n' })
    await store.pipelines.update({ ...rewritten, revision: { ...rewritten.revision, text: null } }, 2)
    expect((await store.pipelines.revision('report'))?.text).toBe('# other comment\n')
    expect(await store.pipelines.update(pipeline('report', 'd3'), 1)).toEqual({ stale: 2 })
    expect(await store.pipelines.update(pipeline('nobody', 'd3'), 1)).toBe('missing')
    expect(await store.pipelines.get('report')).toEqual({
      id: 'report',
      name: 'Name of report',
      description: null,
      labels: { team: 'data' },
      revision: 2,
      createdAt: T0,
      updatedAt: T0 + 1,
    })
    expect(await store.pipelines.revision('report', 1)).toEqual({ ...first.revision, revision: 1 })
    expect((await store.pipelines.revision('report'))?.digest).toBe('d2')
    expect(await store.pipelines.revision('report', 3)).toBeNull()
    const { items, nextCursor } = await store.pipelines.revisions('report', { limit: 1 })
    expect(items).toEqual([
      {
        pipelineId: 'report',
        revision: 2,
        digest: 'd2',
        createdAt: T0 + 1,
        createdBy: 'ada',
        createdById: 'usr_ada',
        note: 'Why d2',
      },
    ])
    const rest = await store.pipelines.revisions('report', { limit: 5, cursor: nextCursor ?? '' })
    expect(rest.items.map(({ revision }) => revision)).toEqual([1])
    expect(rest.nextCursor).toBeNull()
  })

  it('a deleted pipeline leaves the lists, its revisions stay readable and its numbers go on', async () => {
    await using store = await open()
    await store.pipelines.create(pipeline('report', 'd1'))
    expect(await store.pipelines.remove('report')).toBe(true)
    expect(await store.pipelines.remove('report')).toBe(false)
    expect(await store.pipelines.get('report')).toBeNull()
    expect((await store.pipelines.list({ limit: 5 })).items).toEqual([])
    expect((await store.pipelines.revision('report', 1))?.digest).toBe('d1')
    expect(await store.pipelines.update(pipeline('report', 'd2'), 1)).toBe('missing')
    expect(await store.pipelines.create(pipeline('report', 'd1'))).toEqual({ revision: 2 })
  })

  it('of two updates at once on the same revision one is stale', async () => {
    await using store = await open()
    await store.pipelines.create(pipeline('report', 'd1'))
    const results = await Promise.all(
      ['d2', 'd3', 'd4'].map((digest) => store.pipelines.update(pipeline('report', digest), 1)),
    )
    expect(results).toEqual([{ revision: 2 }, { stale: 2 }, { stale: 2 }])
  })

  it('lists by id, page by page, and searches for words as they are written', async () => {
    await using store = await open()
    for (const id of ['d', 'a', 'c', 'b']) await store.pipelines.create(pipeline(id, id))
    await store.pipelines.create(pipeline('odd', 'o', T0, '100% ÜBER_all'))
    const ids: string[] = []
    let page = await store.pipelines.list({ limit: 2 })
    for (;;) {
      ids.push(...page.items.map(({ id }) => id))
      if (page.nextCursor === null) break
      page = await store.pipelines.list({ limit: 2, cursor: page.nextCursor })
    }
    expect(ids).toEqual(['a', 'b', 'c', 'd', 'odd'])
    const found = async (search: string) =>
      (await store.pipelines.list({ limit: 10, search })).items.map(({ id }) => id)
    expect(await found('über_')).toEqual(['odd'])
    expect(await found('0%')).toEqual(['odd'])
    expect(await found('%')).toEqual(['odd'])
    expect(await found('NAME OF')).toEqual(['a', 'b', 'c', 'd'])
    expect(await found('nothing')).toEqual([])
  })
})
