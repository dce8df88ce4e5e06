import { describe, expect, it } from 'vitest'
import { createSubscriptions, type Listener } from './subscriptions'

const idle = { onData: () => undefined, catchUp: async () => true }
const of = (execution: string, seq: number, rest: Partial<Listener> = {}): Listener => ({
  ...idle,
  topic: { execution, after: () => seq },
  ...rest,
})

describe('subscriptions', () => {
  it('request each topic once, an execution from the least that a listener has', () => {
    const subscriptions = createSubscriptions()
    expect(subscriptions.request()).toEqual({ topics: '', query: '' })
    subscriptions.add(of('b', 9))
    subscriptions.add(of('b', 4))
    const list: Listener = { ...idle, topic: { list: 'slots' } }
    subscriptions.add(list)
    subscriptions.add(of('a', 0))
    expect(subscriptions.request()).toEqual({
      topics: 'a,b slots',
      query: 'executions=a%3A0%2Cb%3A4&lists=slots',
    })
    subscriptions.remove(list)
    expect(subscriptions.request().topics).toBe('a,b')
  })

  it('ignore data that is no JSON object', () => {
    const subscriptions = createSubscriptions()
    const seen: unknown[] = []
    subscriptions.add(of('a', 0, { onData: (data) => seen.push(data) }))
    for (const text of ['', '{', 'null', '[]', '{}', '{"event":null}'])
      subscriptions.deliver('execution', text)
    expect(seen).toEqual([])
  })

  it('let those catch up who have less than the server sent', () => {
    const subscriptions = createSubscriptions()
    const behind: string[] = []
    const catchUp = (name: string) => async () => behind.push(name) > 0
    subscriptions.add(of('a', 3, { catchUp: catchUp('a') }))
    subscriptions.add(of('b', 3, { catchUp: catchUp('b') }))
    expect(subscriptions.reconcile(new Map([['a', 3]]))).toBe(true)
    expect(subscriptions.reconcile(new Map([['b', 4]]))).toBe(false)
    expect(behind).toEqual(['b'])
  })

  it('have caught up when everybody has', async () => {
    const subscriptions = createSubscriptions()
    subscriptions.add(of('a', 0))
    expect(await subscriptions.catchUp()).toBe(true)
    subscriptions.add(of('b', 0, { catchUp: async () => false }))
    expect(await subscriptions.catchUp()).toBe(false)
  })
})
