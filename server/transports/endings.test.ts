import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Endings } from './endings'

type Feed = ConstructorParameters<typeof Endings>[0]
type Commit = Parameters<Parameters<Feed['onCommit']>[0]>[0]

/** A feed whose commits the test makes. */
function openFeed() {
  const commits = new Set<(commit: Commit) => void>()
  const removals = new Set<(executionId: string) => void>()
  const feed: Feed = {
    onCommit(listener) {
      commits.add(listener)
      return () => commits.delete(listener)
    },
    onRemoved(listener) {
      removals.add(listener)
      return () => removals.delete(listener)
    },
  }
  return {
    feed,
    listeners: () => commits.size + removals.size,
    commit: (executionId: string, finishedAt: number | null) => {
      for (const listener of [...commits]) listener({ executionId, row: { finishedAt } } as Commit)
    },
    remove: (executionId: string) => {
      for (const listener of [...removals]) listener(executionId)
    },
  }
}

const patience = (options: Partial<Parameters<Endings['wait']>[1]> = {}) => ({
  ms: 1_000,
  signal: new AbortController().signal,
  hasEnded: async () => false,
  ...options,
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('[R-93] waiting for the end of an execution', () => {
  it('ends with the commit that ends the execution, and no other', async () => {
    const { feed, commit, listeners } = openFeed()
    const endings = new Endings(feed)
    const first = endings.wait('a', patience())
    const second = endings.wait('a', patience())
    const other = endings.wait('b', patience({ ms: 10 }))
    commit('a', null)
    expect(endings.size).toBe(3)
    commit('a', 5)
    expect(await Promise.all([first, second])).toEqual([true, true])
    await vi.advanceTimersByTimeAsync(10)
    expect(await other).toBe(false)
    expect([endings.size, listeners(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('sees an end that came before it listened', async () => {
    const { feed, listeners } = openFeed()
    const endings = new Endings(feed)
    expect(await endings.wait('a', patience({ hasEnded: async () => true }))).toBe(true)
    expect([endings.size, listeners(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('leaves nothing behind when the caller goes away, the execution is removed, or a question fails', async () => {
    const { feed, remove, listeners } = openFeed()
    const endings = new Endings(feed)
    const gone = new AbortController()
    const left = endings.wait('a', patience({ signal: gone.signal }))
    gone.abort()
    expect(await left).toBe(false)
    expect(await endings.wait('a', patience({ signal: gone.signal }))).toBe(false)
    const removed = endings.wait('a', patience())
    remove('a')
    expect(await removed).toBe(false)
    const broken = endings.wait('a', patience({ hasEnded: () => Promise.reject(new Error('no disk')) }))
    await expect(broken).rejects.toThrow('no disk')
    expect([endings.size, listeners(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })

  it('ends for everybody when the server stops', async () => {
    const { feed, listeners } = openFeed()
    const endings = new Endings(feed)
    const waiting = endings.wait('a', patience())
    endings.stop()
    expect(await waiting).toBe(false)
    expect(await endings.wait('b', patience())).toBe(false)
    expect([endings.size, listeners(), vi.getTimerCount()]).toEqual([0, 0, 0])
  })
})
