import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Demand } from '@/core/pipeline/definition/demand'
import { Pools, type PoolRequest } from './pools'
import { AGEING_MS } from './rank'

const request = (key: string, demands: Readonly<Record<string, number>>, rank = 0): PoolRequest<string> => ({
  key,
  owner: key,
  demands: Object.entries(demands).map(([pool, amount]) => ({ pool, amount })),
  priority: 0,
  since: rank * 1_000,
  weight: 0,
  subject: key,
})

/** Admits all that fit, and answers with their keys in order. */
function admitAll(pools: Pools<string>): string[] {
  const admitted: string[] = []
  for (let next = pools.next(0); next !== null; next = pools.next(0)) {
    for (const { pool, amount } of next.demands) pools.hold(next.key, pool, amount)
    admitted.push(next.key)
  }
  return admitted
}

function release(pools: Pools<string>, { key, demands }: PoolRequest<string>): void {
  for (const { pool } of demands) pools.hold(key, pool, 0)
}

describe('pools', () => {
  it('admit by rank, then arrival, while there is room', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 2)
    for (const [key, rank] of [
      ['late', 5],
      ['first', 1],
      ['second', 1],
    ] as const)
      pools.wait(request(key, { slots: 1 }, rank))
    expect(admitAll(pools)).toEqual(['first', 'second'])
    expect(pools.stateOf('slots')).toMatchObject({ capacity: 2, used: 2, waiting: 1 })
    release(pools, request('first', { slots: 1 }))
    expect(admitAll(pools)).toEqual(['late'])
  })

  it('say what is lacking: room, or a turn', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 2)
    const one: Demand[] = [{ pool: 'slots', amount: 1 }]
    expect(pools.shortage('a', one)).toBeNull()
    pools.hold('a', 'slots', 2)
    expect(pools.shortage('b', one)).toEqual({
      pool: 'slots',
      reason: 'full',
      amount: 1,
      used: 2,
      capacity: 2,
    })
    pools.wait(request('b', { slots: 2 }))
    pools.hold('a', 'slots', 1)
    expect(pools.next(0)).toBeNull()
    expect(pools.shortage('c', one)).toMatchObject({ reason: 'behind_others' })
    expect(pools.shortage('c', one, { chosen: true })).toBeNull()
  })

  it('an owner in the middle of a step may use what it has given back in that step', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 1)
    pools.hold('a', 'slots', 1)
    const one: Demand[] = [{ pool: 'slots', amount: 1 }]
    expect(pools.shortage('a', one, { held: () => 1 })).toMatchObject({ reason: 'full' })
    expect(pools.shortage('a', one, { held: () => 0 })).toBeNull()
  })

  it('a request that waits for a full pool does not hold up requests for another', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 10)
    pools.setCapacity('gpu', 1)
    pools.hold('x', 'gpu', 1)
    for (let index = 0; index < 100; index++) pools.wait(request(`gpu${index}`, { slots: 1, gpu: 1 }, 0))
    pools.wait(request('cpu', { slots: 1 }, 9))
    expect(admitAll(pools)).toEqual(['cpu'])
    expect(pools.shortage('new', [{ pool: 'slots', amount: 1 }])).toBeNull()
    pools.hold('x', 'gpu', 0)
    expect(admitAll(pools)).toEqual(['gpu0'])
  })

  it('a large request does not starve behind small ones', () => {
    const pools = new Pools<string>()
    pools.setCapacity('cpu', 4)
    pools.hold('a', 'cpu', 2)
    pools.hold('b', 'cpu', 1)
    pools.wait(request('large', { cpu: 3 }, 1))
    pools.wait(request('small', { cpu: 1 }, 2))
    expect(admitAll(pools)).toEqual([])
    pools.hold('b', 'cpu', 0)
    expect(admitAll(pools)).toEqual([])
    pools.hold('a', 'cpu', 0)
    expect(admitAll(pools)).toEqual(['large', 'small'])
  })

  it('[H-5] a request that is larger than a pool holds up nobody, and goes when the pool grows', () => {
    const pools = new Pools<string>()
    pools.setCapacity('cpu', 4)
    pools.wait(request('huge', { cpu: 5 }, 0))
    pools.wait(request('small', { cpu: 1 }, 9))
    expect(admitAll(pools)).toEqual(['small'])
    expect(pools.shortage('new', [{ pool: 'cpu', amount: 1 }])).toBeNull()
    expect(pools.shortage('new', [{ pool: 'cpu', amount: 5 }])).toMatchObject({ reason: 'too_large' })
    pools.setCapacity('cpu', 6)
    expect(admitAll(pools)).toEqual(['huge'])
    // One that waited when the pool shrank waits on, and nobody waits for it.
    pools.wait(request('large', { cpu: 3 }, 1))
    pools.wait(request('next', { cpu: 1 }, 2))
    pools.setCapacity('cpu', 2)
    release(pools, request('huge', { cpu: 5 }))
    release(pools, request('small', { cpu: 1 }))
    expect(admitAll(pools)).toEqual(['next'])
    expect(pools.stateOf('cpu')).toMatchObject({ used: 1, waiting: 1 })
  })

  it('[H-6] pools that nobody set have the capacity that the caller says', () => {
    const pools = new Pools<string>((name) => (name === 'absent' ? 0 : Infinity))
    pools.wait(request('a', { absent: 1 }))
    expect(admitAll(pools)).toEqual([])
    expect(pools.stateOf('absent')).toMatchObject({ capacity: 0, waiting: 1 })
    pools.setCapacity('absent', 1)
    expect(admitAll(pools)).toEqual(['a'])
    expect(pools.shortage('b', [{ pool: 'other', amount: 9 }])).toBeNull()
  })

  it('ranks change while one waits', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 0)
    pools.wait(request('a', { slots: 1 }, 1))
    pools.wait(request('b', { slots: 1 }, 2))
    pools.wait(request('b', { slots: 1 }, 0))
    expect(pools.queue().map(({ key }) => key)).toEqual(['b', 'a'])
    pools.setCapacity('slots', 1)
    expect(admitAll(pools)).toEqual(['b'])
  })

  it('capacities change while pools are in use', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 1)
    for (const key of ['a', 'b', 'c', 'd']) pools.wait(request(key, { slots: 1 }))
    expect(admitAll(pools)).toEqual(['a'])
    pools.setCapacity('slots', 2)
    expect(admitAll(pools)).toEqual(['b'])
    pools.setCapacity('slots', 1)
    pools.hold('a', 'slots', 0)
    expect(admitAll(pools)).toEqual([])
    pools.setCapacity('slots', null)
    expect(admitAll(pools)).toEqual(['c', 'd'])
  })

  it('what is held is set and not counted: saying it twice changes nothing', () => {
    const pools = new Pools<string>()
    pools.setCapacity('cpu', 1)
    for (let round = 0; round < 3; round++) pools.hold('a', 'cpu', 0.1)
    pools.hold('b', 'cpu', 0.2)
    pools.hold('a', 'cpu', 0.7)
    expect(pools.stateOf('cpu')!.used).toBe(0.9)
    for (const owner of ['a', 'b', 'a']) pools.hold(owner, 'cpu', 0)
    expect(pools.stateOf('cpu')).toMatchObject({ used: 0, waiting: 0 })
  })

  it('a pool without a limit, holders and requests is forgotten', () => {
    const pools = new Pools<string>()
    pools.hold('a', 'items:x/n', 1)
    pools.wait(request('b', { 'items:x/n': 1 }))
    pools.hold('a', 'items:x/n', 0)
    expect(pools.stateOf('items:x/n')).not.toBeNull()
    pools.withdraw('b')
    expect(pools.stateOf('items:x/n')).toBeNull()
    expect(pools.next(0)).toBeNull()
  })

  const of = (owner: string, key: string, more: Partial<PoolRequest<string>> = {}): PoolRequest<string> => ({
    ...request(key, { slots: 1 }),
    owner,
    ...more,
  })

  it('[H-4] within a run those go first for which most of it waits, and priority goes before that', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 0)
    pools.wait(of('x', 'short', { weight: 1_000, since: 0 }))
    pools.wait(of('x', 'long', { weight: 720_000, since: 9_000 }))
    pools.wait(of('x', 'urgent', { weight: 1, priority: 1, since: 9_000 }))
    expect(pools.queue().map(({ key }) => key)).toEqual(['urgent', 'long', 'short'])
    pools.setCapacity('slots', 3)
    expect(admitAll(pools)).toEqual(['urgent', 'long', 'short'])
  })

  it('[H-5] runs share what there is: one with thousands of nodes leaves room for a small one', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 10)
    const served: string[] = []
    const busy: { owner: string; key: string }[] = []
    const holding = new Map<string, number>()
    const turn = (now: number) => {
      for (let next = pools.next(now); next !== null; next = pools.next(now)) {
        const { owner, key } = next
        holding.set(owner, (holding.get(owner) ?? 0) + 1)
        pools.hold(owner, 'slots', holding.get(owner)!)
        busy.push({ owner, key })
        served.push(owner)
      }
    }
    for (let at = 0; at < 1_000; at++) pools.wait(of('wide', `w${at}`))
    turn(0)
    // An hour later the wide run still waits, and was there first.
    for (let at = 0; at < 20; at++) pools.wait(of('small', `s${at}`, { since: 3_600_000 }))
    for (let at = 0; at < 40; at++) {
      const { owner } = busy.shift()!
      holding.set(owner, holding.get(owner)! - 1)
      pools.hold(owner, 'slots', holding.get(owner)!)
      turn(3_600_000 + at * 1_000)
    }
    const small = served.slice(10, 50).filter((owner) => owner === 'small').length
    expect(small).toBeGreaterThanOrEqual(18)
    expect(small).toBeLessThanOrEqual(22)
  })

  it('[H-4][H-5] one that needs much of two pools does not starve behind those that need little of either', () => {
    const pools = new Pools<string>()
    pools.setCapacity('cpu', 2)
    pools.setCapacity('gpu', 2)
    let now = 0
    const busy: PoolRequest<string>[] = []
    const small = (pool: string) => {
      now += 1_000
      pools.wait({ ...request(`${pool}${now}`, { [pool]: 1 }), since: now })
    }
    const turn = (): boolean => {
      for (let next = pools.next(now); next !== null; next = pools.next(now)) {
        for (const { pool, amount } of next.demands) pools.hold(next.key, pool, amount)
        if (next.key === 'large') return true
        busy.push(next)
      }
      return false
    }
    for (const pool of ['cpu', 'gpu', 'cpu', 'gpu']) small(pool)
    turn()
    pools.wait({ ...request('large', { cpu: 2, gpu: 2 }), since: now })
    let rounds = 0
    // Whenever one ends another of its kind is there: by luck alone both pools are never empty at once.
    for (let got = false; !got && rounds < 200; rounds += 1) {
      const ended = busy.shift()
      if (ended !== undefined) release(pools, ended)
      for (const pool of ['cpu', 'gpu']) if (rounds % 2 === 0 || pool === 'cpu') small(pool)
      got = turn()
    }
    expect(rounds).toBeLessThan(200)
    for (const pool of ['cpu', 'gpu']) expect(pools.stateOf(pool)).toMatchObject({ used: 2 })
    expect([...pools.stateOf('cpu')!.holders.keys()]).toEqual(['large'])
  })

  it('[H-5] a low priority is late and never starves', () => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 1)
    pools.hold('x', 'slots', 1)
    pools.wait(of('low', 'low', { since: 0 }))
    let now = 0
    for (let served = ''; served !== 'low'; now += 10_000) {
      pools.wait(of(`high${now}`, `high${now}`, { priority: 9, since: now }))
      pools.hold('x', 'slots', 0)
      served = pools.next(now)!.key
      pools.hold('x', 'slots', 1)
    }
    expect(now).toBeGreaterThan(9 * AGEING_MS)
    expect(now).toBeLessThan(9 * AGEING_MS + 60_000)
  })

  it.each([
    ['one run', 1],
    ['a thousand runs', 1_000],
  ])('[H-17] a decision takes less than a millisecond while 10,000 nodes of %s wait', (_what, runs) => {
    const pools = new Pools<string>()
    pools.setCapacity('slots', 0)
    pools.setCapacity('gpu', 0)
    for (let at = 0; at < 10_000; at += 1)
      pools.wait(
        of(`x${at % runs}`, `n${at}`, {
          weight: (at * 7_919) % 10_007,
          demands: [
            { pool: 'slots', amount: 1 },
            ...(at % 3 === 0 ? [{ pool: 'gpu', amount: 1 + (at % 2) }] : []),
          ],
        }),
      )
    pools.setCapacity('slots', 100)
    pools.setCapacity('gpu', 10)
    const held = new Map<string, number>()
    const hold = (owner: string, pool: string, by: number) => {
      const amount = (held.get(`${owner} ${pool}`) ?? 0) + by
      held.set(`${owner} ${pool}`, amount)
      pools.hold(owner, pool, amount)
    }
    const busy: PoolRequest<string>[] = []
    let decisions = 0
    const started = performance.now()
    while (decisions < 3_000) {
      const next = pools.next(decisions)
      decisions += 1
      if (next !== null) {
        for (const { pool, amount } of next.demands) hold(next.owner, pool, amount)
        busy.push(next)
        continue
      }
      const ended = busy.shift()!
      for (const { pool, amount } of ended.demands) hold(ended.owner, pool, -amount)
    }
    expect((performance.now() - started) / decisions).toBeLessThan(1)
  })

  type Step =
    | {
        readonly do: 'wait'
        readonly key: number
        readonly demands: Readonly<Record<string, number>>
        readonly rank: number
      }
    | { readonly do: 'withdraw'; readonly key: number }
    | { readonly do: 'release'; readonly key: number }
    | { readonly do: 'capacity'; readonly pool: string; readonly amount: number | null }
  const pool = fc.constantFrom('p', 'q', 'r')
  const key = fc.integer({ min: 0, max: 30 })
  const steps = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('wait' as const),
          key,
          demands: fc.dictionary(pool, fc.integer({ min: 1, max: 4 }), { minKeys: 1, noNullPrototype: true }),
          rank: fc.integer({ min: 0, max: 5 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ do: fc.constantFrom('withdraw' as const, 'release' as const), key }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          do: fc.constant('capacity' as const),
          pool,
          amount: fc.option(fc.integer({ min: 0, max: 5 })),
        }),
      },
    ),
    { maxLength: 120 },
  ) as fc.Arbitrary<Step[]>

  it('whatever comes: no pool is overdrawn, who fits waits only behind a better rank that lacks the same pool', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const pools = new Pools<string>()
        const capacity = new Map<string, number>()
        const waiting = new Map<string, PoolRequest<string>>()
        const holding = new Map<string, PoolRequest<string>>()
        const used = (name: string) =>
          [...holding.values()].reduce(
            (sum, { demands }) => sum + (demands.find((demand) => demand.pool === name)?.amount ?? 0),
            0,
          )
        const lacks = ({ demands }: PoolRequest<string>) =>
          demands.filter(
            (demand) => used(demand.pool) + demand.amount > (capacity.get(demand.pool) ?? Infinity),
          )
        for (const now of list) {
          if (now.do === 'wait') {
            const one = request(`k${now.key}`, now.demands, now.rank)
            if (holding.has(one.key)) continue
            pools.wait(one)
            waiting.set(one.key, one)
          } else if (now.do === 'withdraw') {
            pools.withdraw(`k${now.key}`)
            waiting.delete(`k${now.key}`)
          } else if (now.do === 'release') {
            const one = holding.get(`k${now.key}`)
            if (one !== undefined) release(pools, one)
            holding.delete(`k${now.key}`)
          } else {
            pools.setCapacity(now.pool, now.amount)
            capacity.set(now.pool, now.amount ?? Infinity)
          }
          for (let next = pools.next(0); next !== null; next = pools.next(0)) {
            expect(lacks(waiting.get(next.key)!)).toEqual([])
            for (const demand of next.demands) pools.hold(next.key, demand.pool, demand.amount)
            holding.set(next.key, next)
            waiting.delete(next.key)
          }
          for (const one of waiting.values()) {
            if (lacks(one).length > 0) continue
            const before = [...waiting.values()].filter(
              (other) =>
                other.since <= one.since &&
                other.demands.every(({ pool: name, amount }) => amount <= (capacity.get(name) ?? Infinity)) &&
                lacks(other).some(({ pool: name }) => one.demands.some((demand) => demand.pool === name)),
            )
            expect(before).not.toEqual([])
          }
          for (const name of ['p', 'q', 'r']) {
            expect(pools.stateOf(name)?.used ?? 0).toBe(used(name))
            const wanted = [...waiting.values()].filter(({ demands }) =>
              demands.some((demand) => demand.pool === name),
            )
            expect(pools.stateOf(name)?.waiting ?? 0).toBe(wanted.length)
          }
        }
        // Everybody is served once there is room.
        for (const name of ['p', 'q', 'r']) pools.setCapacity(name, null)
        expect(admitAll(pools).toSorted()).toEqual([...waiting.keys()].toSorted())
        expect(pools.queue()).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
