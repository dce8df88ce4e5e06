import { describe, expect, it } from 'vitest'
import { DRAFTS_MAX } from '@/server/ports/drafts'
import { IMPLEMENTATIONS, T0 } from './contract-fixtures'

const draft = (user: string, pipelineId: string, updatedAt = T0, text = 'id: a\nnodes: [') => ({
  userId: `usr_${user}`,
  userName: user,
  pipelineId,
  baseRevision: 3,
  text,
  format: 'yaml' as const,
  updatedAt,
})
const pipeline = (id: string, createdBy: string, digest = 'd1') => ({
  name: id,
  description: null,
  labels: {},
  revision: {
    pipelineId: id,
    definition: {},
    text: null,
    digest,
    createdAt: T0,
    createdBy,
    createdById: `usr_${createdBy}`,
  },
})

describe.each(IMPLEMENTATIONS)('the drafts in $name', ({ open }) => {
  it('[R-92] keeps the text as it is, for its user alone, with the name as it was shown', async () => {
    await using store = await open()
    const { drafts } = store
    const text = 'id: a\r\nname: "half typed \u0000 ü\n\t'
    const saved = await drafts.put(draft('ada', 'a', T0, text), 0)
    expect(saved).toEqual({ version: T0 })
    expect(await drafts.get('usr_ada', 'a')).toEqual({ ...draft('ada', 'a', T0, text), version: T0 })
    expect(await drafts.get('usr_bob', 'a')).toBeNull()
    expect((await drafts.list('usr_bob', { limit: 5 })).items).toEqual([])
    expect(await drafts.remove('usr_bob', 'a')).toBe(false)
    expect(await drafts.put({ ...draft('bob', 'a'), format: 'json' }, 0)).toEqual({ version: T0 })
    expect((await drafts.get('usr_ada', 'a'))?.text).toBe(text)
    expect((await drafts.get('usr_bob', 'a'))?.format).toBe('json')
  })

  it('gives a stale writer the current version, and writes nothing', async () => {
    await using store = await open()
    const { drafts } = store
    expect(await drafts.put(draft('ada', 'a'), 7)).toEqual({ stale: 0 })
    expect(await drafts.get('usr_ada', 'a')).toBeNull()
    await drafts.put(draft('ada', 'a', T0, 'one'), 0)
    expect(await drafts.put(draft('ada', 'a', T0, 'two'), 0)).toEqual({ stale: T0 })
    // Versions grow although the clock stands, or goes back.
    expect(await drafts.put(draft('ada', 'a', T0, 'two'), T0)).toEqual({ version: T0 + 1 })
    expect(await drafts.put(draft('ada', 'a', T0 - 9, 'three'), T0 + 1)).toEqual({ version: T0 + 2 })
    expect(await drafts.put(draft('ada', 'a', T0, 'four'), T0 + 1)).toEqual({ stale: T0 + 2 })
    expect((await drafts.get('usr_ada', 'a'))?.text).toBe('three')
    const racing = await Promise.all(
      ['x', 'y', 'z'].map((text) => drafts.put(draft('ada', 'a', T0, text), T0 + 2)),
    )
    expect(racing.filter((answer) => typeof answer === 'object' && 'version' in answer)).toHaveLength(1)
  })

  it('does not take a draft that was begun again for the one before', async () => {
    await using store = await open()
    const { drafts } = store
    await drafts.put(draft('ada', 'a', T0), 0)
    expect(await drafts.remove('usr_ada', 'a')).toBe(true)
    expect(await drafts.remove('usr_ada', 'a')).toBe(false)
    await drafts.put(draft('ada', 'a', T0 + 5), 0)
    expect(await drafts.put(draft('ada', 'a', T0 + 6), T0)).toEqual({ stale: T0 + 5 })
    expect(await drafts.remove('usr_ada', 'a', T0)).toBe(false)
    expect(await drafts.remove('usr_ada', 'a', T0 + 5)).toBe(true)
    expect(await drafts.remove('usr_ada', 'a', T0 + 5)).toBe(false)
  })

  it('lists by pages in order of the pipeline, of the texts the beginning', async () => {
    await using store = await open()
    const { drafts } = store
    for (const id of ['d', 'a', 'c', 'b']) await drafts.put(draft('ada', id), 0)
    await drafts.put(draft('bob', 'e'), 0)
    const first = await drafts.list('usr_ada', { limit: 3 })
    const { text: beginning, ...summary } = draft('ada', 'a')
    expect(first.items[0]).toEqual({ ...summary, beginning, version: T0 })
    await drafts.put(draft('eve', 'long', T0, 'ü'.repeat(5_000)), 0)
    expect((await drafts.list('usr_eve', { limit: 1 })).items[0]?.beginning).toBe('ü'.repeat(2_000))
    expect(first.items.map(({ pipelineId }) => pipelineId)).toEqual(['a', 'b', 'c'])
    const rest = await drafts.list('usr_ada', { limit: 3, cursor: first.nextCursor ?? '' })
    expect([rest.items.map(({ pipelineId }) => pipelineId), rest.nextCursor]).toEqual([['d'], null])
    const refused = { code: 'invalid_cursor' }
    await expect(drafts.list('usr_ada', { limit: 3, cursor: 'forged' })).rejects.toMatchObject(refused)
    await expect(drafts.list('usr_ada', { limit: 0 })).rejects.toThrow()
  })

  it('[R-61] keeps so many for one person and no more', async () => {
    await using store = await open()
    const { drafts } = store
    for (let at = 0; at < DRAFTS_MAX; at++) await drafts.put(draft('ada', `p${at}`), 0)
    expect(await drafts.put(draft('ada', 'more'), 0)).toBe('full')
    expect(await drafts.put(draft('ada', 'p0'), T0)).toEqual({ version: T0 + 1 })
    expect(await drafts.put(draft('bob', 'more'), 0)).toEqual({ version: T0 })
    await drafts.remove('usr_ada', 'p0')
    expect(await drafts.put(draft('ada', 'more'), 0)).toEqual({ version: T0 })
  })

  it('[R-84] goes when its user publishes, and only then', async () => {
    await using store = await open()
    const { drafts, pipelines } = store
    for (const user of ['ada', 'bob']) for (const id of ['a', 'b']) await drafts.put(draft(user, id), 0)
    await pipelines.create(pipeline('a', 'ada'))
    expect(await drafts.get('usr_ada', 'a')).toBeNull()
    expect(await drafts.get('usr_ada', 'b')).not.toBeNull()
    expect(await drafts.get('usr_bob', 'a')).not.toBeNull()
    expect(await pipelines.create(pipeline('a', 'bob'))).toBe('exists')
    expect(await pipelines.update(pipeline('a', 'bob', 'd2'), 7)).toEqual({ stale: 1 })
    expect(await drafts.get('usr_bob', 'a')).not.toBeNull()
    expect(await pipelines.update(pipeline('a', 'bob', 'd2'), 1)).toEqual({ revision: 2 })
    expect(await drafts.get('usr_bob', 'a')).toBeNull()
    // What was published already is no unsaved work either.
    await drafts.put(draft('bob', 'a'), 0)
    expect(await pipelines.update(pipeline('a', 'bob', 'd2'), 2)).toEqual({ revision: 2 })
    expect(await drafts.get('usr_bob', 'a')).toBeNull()
    // A pipeline goes; what somebody wrote about it stays.
    await drafts.put(draft('ada', 'a'), 0)
    await pipelines.remove('a')
    expect(await drafts.get('usr_ada', 'a')).not.toBeNull()
  })
})
