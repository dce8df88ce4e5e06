import { describe, expect, it } from 'vitest'
import type { WebhookRow } from '@/server/ports/webhooks'
import { writeOf } from '@/server/store/contract-fixtures'
import { createSubscriptions } from './subscriptions'

const rowOf = (webhookId: string, eventTypes: string[], changes: Partial<WebhookRow> = {}): WebhookRow => ({
  webhookId,
  url: 'https://receiver.example/',
  eventTypes,
  pipelineId: null,
  retry: { attempts: 1, backoffMs: 1_000, maxDelayMs: 1_000 },
  active: true,
  secret: '',
  previousSecret: null,
  previousUntil: null,
  createdAt: 0,
  createdBy: 'ada',
  createdById: 'usr_ada',
  updatedAt: 0,
  ...changes,
})

const types = ['pipeline.started', 'a.completed', 'a.task.completed', 'b.failed', 'external.shop.sold']
const { entries } = writeOf('x1', types)

describe('subscriptions', () => {
  it.each([
    [['a.completed'], ['a.completed']],
    [['*.completed'], ['a.completed']],
    [['*.task.*'], ['a.task.completed']],
    [['external.*.sold', 'external.shop.*'], ['external.shop.sold']],
    [['*.*'], ['pipeline.started', 'a.completed', 'b.failed']],
    [['*'], []],
    [['*.*.*.*'], []],
    [['a', 'a.complete', 'a.completed.'], []],
    [['__proto__', 'constructor'], []],
  ])('[E-18] [R-34] %j is owed %j', (patterns, expected) => {
    const subscriptions = createSubscriptions()
    subscriptions.set(rowOf('w1', patterns))
    const owed = subscriptions.owed('p', entries)
    expect(owed.map(({ event }) => event.type)).toEqual(expected)
  })

  it('[E-18] a webhook gets each event once, in order, whatever others get', () => {
    const subscriptions = createSubscriptions()
    subscriptions.set(rowOf('w1', ['*.*', 'b.failed', 'b.*']))
    subscriptions.set(rowOf('w2', ['b.failed']))
    const owed = subscriptions.owed('p', entries).map(({ webhookId, event }) => `${webhookId} ${event.seq}`)
    expect(owed).toEqual(['w1 1', 'w1 2', 'w1 4', 'w2 4'])
  })

  it('[E-18] only of its pipeline, only while it is active, and as it was changed last', () => {
    const subscriptions = createSubscriptions()
    const count = (pipelineId: string) => subscriptions.owed(pipelineId, entries).length
    subscriptions.set(rowOf('w1', ['b.failed'], { pipelineId: 'p' }))
    expect([count('p'), count('q')]).toEqual([1, 0])
    subscriptions.set(rowOf('w1', ['*.*'], { pipelineId: 'q' }))
    expect([count('p'), count('q')]).toEqual([0, 3])
    subscriptions.set(rowOf('w1', ['*.*'], { active: false }))
    expect([count('p'), count('q')]).toEqual([0, 0])
    subscriptions.set(rowOf('w1', ['*.*']))
    subscriptions.delete('w1')
    expect(count('p')).toBe(0)
  })
})
