import { describe, expect, it } from 'vitest'
import type { AttemptFiles, AttemptRequest, AttemptResult } from '@/server/ports/runner'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import { WorkQueue } from './work-queue'
import { reportSchema, type Order, type Report } from './worker-protocol'

const LEASE_MS = 1_000
const noFiles: AttemptFiles = {
  get: async () => null,
  pathOf: () => '/nowhere',
  putFile: () => Promise.reject(new Error('no file is made here')),
}

/** A queue on a virtual clock, and the attempts that were handed to it. */
function opened() {
  const world = new World(new Random(1))
  const queue = new WorkQueue({
    clock: world.clock(),
    artifacts: noFiles,
    filesDir: '/nowhere',
    spoolDir: '/nowhere',
  })
  const join = (leaseMs: number | null = null) => queue.connect({ pool: 'p', tasks: ['t'], leaseMs })
  const dispatch = (work: string, token = 1, more: Partial<AttemptRequest> = {}) => {
    const results: AttemptResult[] = []
    const seen: string[] = []
    const request: AttemptRequest = {
      executionId: 'e',
      pipelineId: 'p',
      nodeId: 'n',
      generation: 1,
      item: null,
      attempt: 1,
      token,
      idempotencyKey: work,
      task: 't',
      input: { a: 1 },
      timeoutMs: null,
      ...more,
    }
    const handle = queue.dispatch(request, {
      begun: () => void seen.push('begun'),
      progress: ({ message }) => void seen.push(`progress ${message}`),
      log: (stream, text) => void seen.push(`${stream} ${text}`),
      done: (result) => void results.push(result),
    })
    return { results, seen, handle }
  }
  return { world, queue, join, dispatch }
}

const worksOf = (orders: readonly Order[] | null) =>
  orders?.map(({ type, work, token }) => `${type} ${work} ${token}`)
const complete = (work: string, token: number, value = 1): Report => ({
  type: 'complete',
  work,
  token,
  outputs: { value },
})
const LOST_BY_SILENCE: AttemptResult = { ok: 'lost', reason: 'the worker has not reported for 1000 ms' }

describe('claims', () => {
  it('hand out attempts in the order of their dispatch, as many as the worker has room for', async () => {
    const { queue, join, dispatch } = opened()
    const link = join()
    for (const work of ['a', 'b', 'c']) dispatch(work)
    expect(worksOf(await link.claim({ capacity: 2 }))).toEqual(['run a 1', 'run b 1'])
    const next = link.claim({ capacity: 2 })
    expect(queue.pools()).toEqual([{ name: 'p', tasks: ['t'], capacity: 2, used: 2, waiting: 1 }])
    link.report(complete('a', 1))
    expect(worksOf(await next)).toEqual(['run c 1'])
  })

  it('wait until there is an order, and an earlier one is answered with nothing', async () => {
    const { join, dispatch } = opened()
    const link = join()
    const first = link.claim({ capacity: null })
    const second = link.claim({ capacity: null })
    expect(await first).toEqual([])
    dispatch('a')
    expect(worksOf(await second)).toEqual(['run a 1'])
  })

  it('hand out thousands in their order, without those that were ended while they waited', async () => {
    const { queue, join, dispatch } = opened()
    const link = join()
    const all = Array.from({ length: 5_000 }, (_, index) => dispatch(`w${index}`))
    for (const [index, { handle }] of all.entries()) if (index % 3 === 0) handle.abort('cancelled')
    expect(queue.pools()).toMatchObject([{ waiting: 3_333 }])
    const works: string[] = []
    while (works.length < 3_333) {
      for (const { work, token } of (await link.claim({ capacity: 7 })) ?? []) {
        works.push(work)
        queueMicrotask(() => link.report(complete(work, token)))
      }
    }
    expect(works).toEqual(all.map((_, index) => `w${index}`).filter((_, index) => index % 3 !== 0))
    expect(queue.pools()).toMatchObject([{ waiting: 0 }])
    expect(all[0]!.results).toMatchObject([{ ok: false, error: { kind: 'cancelled' } }])
  })

  it('hand an attempt to one worker of a pool only', async () => {
    const { queue, join, dispatch } = opened()
    const [one, other] = [join(), join()]
    dispatch('a')
    dispatch('b')
    expect(worksOf(await one.claim({ capacity: 1 }))).toEqual(['run a 1'])
    expect(worksOf(await other.claim({ capacity: 3 }))).toEqual(['run b 1'])
    expect(queue.pools()).toMatchObject([{ capacity: 4, used: 2, waiting: 0 }])
    expect(other.report(complete('a', 1))).toEqual({ accepted: false, why: 'unknown' })
    expect(one.report(complete('a', 1))).toEqual({ accepted: true })
  })
})

describe('reports', () => {
  it('[R-12] with an old token are refused, and say so', async () => {
    const { join, dispatch } = opened()
    const link = join()
    const first = dispatch('a', 1)
    await link.claim({ capacity: null })
    first.handle.abort('timeout')
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['stop a 1'])
    const second = dispatch('a', 2)
    link.report({ type: 'fail', work: 'a', token: 1, error: { kind: 'cancelled', message: 'stopped' } })
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['run a 2'])
    expect(link.report(complete('a', 1))).toEqual({ accepted: false, why: 'old_token' })
    expect(link.report({ type: 'heartbeat', work: 'a', token: 1 })).toEqual({
      accepted: false,
      why: 'old_token',
    })
    expect(second.results).toEqual([])
    expect(first.results).toMatchObject([{ ok: false, error: { kind: 'timeout' } }])
  })

  it('[R-57] end an attempt once: a second end is refused and changes nothing', async () => {
    const { join, dispatch } = opened()
    const link = join()
    const { results, seen } = dispatch('a')
    await link.claim({ capacity: null })
    link.report({ type: 'log', work: 'a', token: 1, lines: [{ stream: 'log', text: 'hello' }] })
    link.report({ type: 'progress', work: 'a', token: 1, ratio: 0.5, message: 'half' })
    expect(link.report(complete('a', 1, 1))).toEqual({ accepted: true })
    expect(link.report(complete('a', 1, 2))).toEqual({ accepted: false, why: 'unknown' })
    expect(link.report({ type: 'lose', work: 'a', token: 1, reason: 'late' })).toEqual({
      accepted: false,
      why: 'unknown',
    })
    link.report({ type: 'log', work: 'a', token: 1, lines: [{ stream: 'log', text: 'late' }] })
    expect(results).toEqual([{ ok: true, outputs: { value: 1 } }])
    expect(seen).toEqual(['log hello', 'progress half'])
  })

  it('[R-57] do not change the verdict of an attempt that was ended from outside', async () => {
    const { join, dispatch } = opened()
    const link = join()
    const { results, handle } = dispatch('a')
    await link.claim({ capacity: null })
    handle.abort('cancelled')
    handle.abort('timeout')
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['stop a 1'])
    link.report(complete('a', 1))
    expect(results).toMatchObject([{ ok: false, error: { kind: 'cancelled' } }])
  })

  it('of attempts that nobody dispatched are refused', () => {
    expect(opened().join().report(complete('a', 1))).toEqual({ accepted: false, why: 'unknown' })
  })

  it.each([
    {},
    { type: 'complete', work: 'a', outputs: {} },
    { type: 'complete', work: 'a', token: 1.5, outputs: {} },
    { type: 'complete', work: 'a', token: 1, outputs: {}, path: '/etc/passwd' },
    { type: 'fail', work: 'a', token: 1, error: { kind: 'Not A Word', message: '' } },
    { type: 'progress', work: 'a', token: 1, ratio: 2, message: null },
    { type: 'log', work: 'a', token: 1, lines: [{ stream: 'disk', text: '' }] },
  ])('that are none are refused by their schema: %j', (message) => {
    expect(reportSchema.safeParse(message).success).toBe(false)
  })
})

describe('two attempts of the same work', () => {
  it('are never with workers at once: the later one waits for the end of the earlier one', async () => {
    const { queue, join, dispatch } = opened()
    const link = join()
    dispatch('a', 1)
    await link.claim({ capacity: null })
    dispatch('a', 2)
    dispatch('b', 1)
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['run b 1'])
    expect(queue.pools()).toMatchObject([{ used: 2 }])
    link.report(complete('a', 1))
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['run a 2'])
  })

  it.each(['at once', 'a turn before'])('that are ended while they wait are skipped, %s', async (when) => {
    const { join, dispatch } = opened()
    const link = join()
    dispatch('a', 1)
    await link.claim({ capacity: null })
    const second = dispatch('a', 2)
    const third = dispatch('a', 3)
    second.handle.abort('cancelled')
    if (when === 'a turn before') await new Promise((resolve) => setImmediate(resolve))
    link.report(complete('a', 1))
    expect(worksOf(await link.claim({ capacity: null }))).toEqual(['run a 3'])
    expect(second.results).toMatchObject([{ ok: false, error: { kind: 'cancelled' } }])
    link.report(complete('a', 3))
    expect(third.results).toHaveLength(1)
  })
})

describe('the lease of a worker elsewhere', () => {
  it('is over when the worker is silent: the attempt is lost, and its late result is refused', async () => {
    const { world, join, dispatch } = opened()
    const link = join(LEASE_MS)
    const { results } = dispatch('a')
    expect(await link.claim({ capacity: 1 })).toMatchObject([{ leaseMs: LEASE_MS }])
    while (await world.advance()) continue
    expect(results).toEqual([LOST_BY_SILENCE])
    expect(link.report(complete('a', 1))).toEqual({ accepted: false, why: 'unknown' })
    const again = dispatch('a', 2)
    expect(worksOf(await link.claim({ capacity: 1 }))).toEqual(['run a 2'])
    expect(link.report(complete('a', 1))).toEqual({ accepted: false, why: 'old_token' })
    expect(again.results).toEqual([])
  })

  it('is renewed by a heartbeat and by every other report', async () => {
    const { world, join, dispatch } = opened()
    const link = join(LEASE_MS)
    const { results } = dispatch('a')
    await link.claim({ capacity: 1 })
    const begun = world.now
    world.schedule(begun + 900, () => link.report({ type: 'heartbeat', work: 'a', token: 1 }))
    world.schedule(begun + 1_800, () => link.report({ type: 'log', work: 'a', token: 1, lines: [] }))
    while (results.length === 0) await world.advance()
    expect(world.now - begun).toBe(2_800)
    expect(results).toEqual([LOST_BY_SILENCE])
  })

  it('is over with the worker: what it holds is lost and what waits stays', async () => {
    const { queue, join, dispatch } = opened()
    const link = join(null)
    const [held, waiting] = [dispatch('a'), dispatch('b')]
    await link.claim({ capacity: 1 })
    const claim = link.claim({ capacity: 1 })
    link.close('the machine was switched off')
    expect(await claim).toBeNull()
    expect(await link.claim({ capacity: 1 })).toBeNull()
    expect(held.results).toEqual([{ ok: 'lost', reason: 'the machine was switched off' }])
    expect(waiting.results).toEqual([])
    expect(queue.pools()).toMatchObject([{ capacity: 0, used: 0, waiting: 1 }])
    expect(worksOf(await join().claim({ capacity: 1 }))).toEqual(['run b 1'])
  })
})

describe('files', () => {
  it('are opened and stored for an attempt that the worker holds, and for no other', async () => {
    const { join, dispatch } = opened()
    const link = join()
    dispatch('a', 2)
    await link.claim({ capacity: 1 })
    const file = { work: 'a', label: 'files.x', file: { artifact_id: 'x' } }
    const stale = { ok: false, error: { kind: 'stale_attempt' } }
    expect(await link.open({ ...file, token: 1 })).toMatchObject(stale)
    expect(await link.open({ ...file, token: 2 })).toMatchObject({ error: { kind: 'invalid_input' } })
    const content = { bytes: 0, open: () => expect.unreachable('nobody may read it') }
    const made = { work: 'a', token: 1, name: 'x', contentType: 'text/plain' }
    expect(await link.store(made, content)).toMatchObject(stale)
  })
})
