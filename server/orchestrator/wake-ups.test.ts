import { describe, expect, it } from 'vitest'
import type { Clock } from '@/server/ports/clock'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import { createWakeUps } from './wake-ups'

function wakeUps() {
  const world = new World(new Random(1))
  const woken: string[] = []
  const all = createWakeUps(world.clock(), (executionId) => woken.push(`${executionId}@${world.now - begun}`))
  const begun = world.now
  return { world, woken, all, at: (ms: number) => begun + ms }
}

describe('wake-ups', () => {
  it('[R-72] wakes each execution once, when it is due, earliest first', async () => {
    const { world, woken, all, at } = wakeUps()
    all.start()
    all.set('b', at(20))
    all.set('a', at(10))
    all.set('c', at(30))
    all.set('c', null)
    all.set('b', at(25))
    while (await world.advance());
    expect(woken).toEqual(['a@10', 'b@25'])
  })

  it('[R-72] wakes nobody before it is started: at a boot everything is counted first', async () => {
    const { world, woken, all, at } = wakeUps()
    all.set('a', at(-5))
    expect(await world.advance()).toBe(false)
    all.start()
    while (await world.advance());
    expect(woken).toEqual(['a@0'])
  })

  it('[R-1] a clock that wakes it twice leaves one timer behind', async () => {
    const { now } = new World(new Random(1))
    const set = new Set<() => void>()
    const clock: Clock = {
      now: () => now,
      at(_at, wake) {
        const timer = () => {
          set.delete(timer)
          wake()
        }
        set.add(timer)
        return () => void set.delete(timer)
      },
      after: () => () => undefined,
      defer: (run) => run(),
    }
    const all = createWakeUps(clock, () => undefined)
    all.start()
    all.set('a', now + 10)
    const [timer] = set
    timer!()
    timer!()
    expect(set.size).toBe(1)
  })

  it('[R-72] a clock that is set back puts them off', async () => {
    const { world, woken, all, at } = wakeUps()
    all.start()
    all.set('a', at(10))
    world.skew = -1_000
    while (await world.advance());
    expect(woken).toEqual(['a@1010'])
  })
})
