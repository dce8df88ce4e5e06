import { describe, expect, it } from 'vitest'
import type { DeliveryRow } from '@/server/ports/webhooks'
import { IMPLEMENTATIONS, T0, webhookOf, writeOf, type EventParts } from './contract-fixtures'
import type { Store } from './store'

/** Commits events, each with a delivery to each of these webhooks. */
async function owe(store: Store, executionId: string, events: EventParts[], webhookIds: readonly string[]) {
  const write = writeOf(executionId, events)
  const deliveries = write.entries.flatMap(({ event }) =>
    webhookIds.map((webhookId) => ({ webhookId, event })),
  )
  return store.journal.commit({ executions: [{ ...write, deliveries }] })
}

const keysOf = (rows: readonly DeliveryRow[]) => rows.map(({ executionId, seq }) => `${executionId}.${seq}`)

describe.each(IMPLEMENTATIONS)('webhooks in $name', ({ open }) => {
  it('[E-18] are stored as they were written, in order of id, page by page, up to a number', async () => {
    await using store = await open()
    const whole = webhookOf('w2', { pipelineId: 'report', previousSecret: 'old', previousUntil: T0 + 5 })
    expect(await store.webhookRows.insert(whole, 3)).toBe(true)
    expect(await store.webhookRows.insert(webhookOf('w1', { active: false }), 3)).toBe(true)
    expect(await store.webhookRows.insert(webhookOf('w3'), 3)).toBe(true)
    expect(await store.webhookRows.insert(webhookOf('w4'), 3)).toBe(false)
    expect(await store.webhookRows.get('w2')).toEqual(whole)
    expect(await store.webhookRows.get('w4')).toBeNull()
    const first = await store.webhookRows.list({ limit: 2 })
    expect(first.items).toEqual([webhookOf('w1', { active: false }), whole])
    const next = await store.webhookRows.list({ limit: 2, cursor: first.nextCursor! })
    expect(next).toEqual({ items: [webhookOf('w3')], nextCursor: null })

    const changed = webhookOf('w1', {
      url: 'http://other.example/',
      eventTypes: ['*.failed'],
      updatedAt: T0 + 9,
    })
    expect(await store.webhookRows.update(changed)).toBe(true)
    expect(await store.webhookRows.get('w1')).toEqual(changed)
    expect(await store.webhookRows.update(webhookOf('w9'))).toBe(false)
    expect(await store.webhookRows.get('w9')).toBeNull()
  })

  it('[R-19] deliveries are written with their commit, pending and due at once, and not when it conflicts', async () => {
    await using store = await open()
    await store.webhookRows.insert(webhookOf('w1'), 100)
    await owe(store, 'x1', [{ type: 'pipeline.started', at: T0 }], ['w1'])
    expect(await store.webhookRows.pending('w1', 10)).toEqual([
      {
        webhookId: 'w1',
        executionId: 'x1',
        seq: 1,
        eventType: 'pipeline.started',
        status: 'pending',
        attempts: 0,
        nextAt: T0,
        lastStatus: null,
        lastError: null,
        createdAt: T0,
        deliveredAt: null,
      },
    ])
    expect(await owe(store, 'x1', [{ type: 'pipeline.started', at: T0 }], ['w1'])).toEqual({
      conflicts: ['x1'],
    })
    expect(await store.webhookRows.pending('w1', 10)).toHaveLength(1)
  })

  it('[R-19] a webhook that is deleted before the commit gets no delivery, and the commit stands', async () => {
    await using store = await open()
    await store.webhookRows.insert(webhookOf('w1'), 100)
    expect(await owe(store, 'x1', [{ type: 'a.failed' }], ['w0', 'w1'])).toEqual({ conflicts: [] })
    expect(await store.webhookRows.pending('w0', 10)).toEqual([])
    expect(keysOf(await store.webhookRows.pending('w1', 10))).toEqual(['x1.1'])
  })

  it('[E-18] lists what is due first; outcomes of deliveries are recorded, but never of those that are gone', async () => {
    await using store = await open()
    const hooks = store.webhookRows
    await hooks.insert(webhookOf('w1'), 100)
    await hooks.insert(webhookOf('w2'), 100)
    await owe(
      store,
      'x2',
      [
        { type: 'b.failed', at: T0 + 10 },
        { type: 'c.failed', at: T0 + 5 },
      ],
      ['w1', 'w2'],
    )
    await owe(store, 'x1', [{ type: 'a.failed', at: T0 + 10 }], ['w1'])
    const before = await hooks.pending('w1', 10)
    expect(keysOf(before)).toEqual(['x2.2', 'x1.1', 'x2.1'])
    expect(keysOf(await hooks.pending('w1', 2))).toEqual(['x2.2', 'x1.1'])

    const [first, second, third] = before
    const arrived = {
      status: 'delivered',
      attempts: 1,
      nextAt: null,
      lastStatus: 204,
      deliveredAt: T0 + 20,
    } as const
    const again = { attempts: 2, nextAt: T0 + 99, lastStatus: 500, lastError: 'it answered 500' } as const
    const dead = { status: 'dead', attempts: 10, nextAt: null, lastError: 'no answer' } as const
    const rows = [
      { ...first!, ...arrived },
      { ...second!, ...again },
      { ...third!, ...dead },
      { ...third!, ...dead, executionId: 'gone' },
    ]
    await hooks.record(rows)
    expect(keysOf(await hooks.pending('w1', 10))).toEqual(['x1.1'])
    expect(await Promise.all(rows.map((row) => hooks.delivery(row)))).toEqual([...rows.slice(0, 3), null])
    // The other webhook's deliveries of the same events are untouched.
    expect(keysOf(await hooks.pending('w2', 10))).toEqual(['x2.2', 'x2.1'])
  })

  it('[E-18] lists deliveries newest first, page by page, of one status or of all', async () => {
    await using store = await open()
    const hooks = store.webhookRows
    await hooks.insert(webhookOf('w1'), 100)
    const types = Array.from({ length: 4 }, (_, at) => ({ type: 'a.failed', at: T0 + Math.floor(at / 2) }))
    for (const id of ['x1', 'x2', 'x3']) await owe(store, id, types, ['w1'])
    const all = [
      'x3.4',
      'x3.3',
      'x2.4',
      'x2.3',
      'x1.4',
      'x1.3',
      'x3.2',
      'x3.1',
      'x2.2',
      'x2.1',
      'x1.2',
      'x1.1',
    ]
    const statuses = ['pending', 'delivered', 'dead'] as const
    const statusOf = (key: string) => statuses[all.indexOf(key) % 3]!
    const rows = await hooks.pending('w1', 100)
    await hooks.record(
      rows.map((row) => {
        const status = statusOf(`${row.executionId}.${row.seq}`)
        return { ...row, status, nextAt: status === 'pending' ? row.nextAt : null }
      }),
    )
    for (const status of [undefined, ...statuses]) {
      const keys: string[] = []
      for (let cursor: string | null | undefined; cursor !== null;) {
        const range = { limit: 3, ...(status && { status }), ...(cursor && { cursor }) }
        const page = await hooks.deliveries('w1', range)
        expect(page.items.length).toBeLessThanOrEqual(3)
        keys.push(...keysOf(page.items))
        cursor = page.nextCursor
      }
      expect(keys).toEqual(all.filter((key) => status === undefined || statusOf(key) === status))
    }
    expect((await hooks.deliveries('w2', { limit: 3 })).items).toEqual([])
    await expect(hooks.deliveries('w1', { limit: 3, cursor: 'bm9wZQ' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  it('[E-18] a deleted webhook takes its deliveries along, however many, and nobody else’s', async () => {
    await using store = await open()
    await store.webhookRows.insert(webhookOf('w1'), 100)
    await store.webhookRows.insert(webhookOf('w2'), 100)
    const many = Array.from({ length: 6_000 }, () => ({ type: 'a.failed', at: T0 }))
    await owe(store, 'x1', many, ['w1'])
    await owe(store, 'x2', [{ type: 'a.failed' }], ['w1', 'w2'])
    expect(await store.webhookRows.remove('w1')).toBe(true)
    expect(await store.webhookRows.get('w1')).toBeNull()
    expect((await store.webhookRows.deliveries('w1', { limit: 1 })).items).toEqual([])
    expect(keysOf(await store.webhookRows.pending('w2', 10))).toEqual(['x2.1'])
    expect(await store.webhookRows.remove('w1')).toBe(false)
  })

  it('forgets what was delivered long ago, so many at a time, and nothing else', async () => {
    await using store = await open()
    const hooks = store.webhookRows
    await hooks.insert(webhookOf('w1'), 100)
    await owe(
      store,
      'x1',
      [0, 1, 2, 3, 4].map((at) => ({ type: 'a.failed', at: T0 + at })),
      ['w1'],
    )
    const rows = await hooks.pending('w1', 10)
    await hooks.record(
      rows.map((row, at) => ({ ...row, status: at === 0 ? 'dead' : 'delivered', nextAt: null })),
    )
    expect(await hooks.forgetDelivered(T0 + 4, 2)).toBe(2)
    expect(await hooks.forgetDelivered(T0 + 4, 2)).toBe(1)
    expect(await hooks.forgetDelivered(T0 + 4, 2)).toBe(0)
    expect(keysOf((await hooks.deliveries('w1', { limit: 10 })).items)).toEqual(['x1.5', 'x1.1'])
  })
})
