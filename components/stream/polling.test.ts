import { describe, expect, it } from 'vitest'
import { createManualClock } from '@/testing/manual-clock'
import { createPolling } from './polling'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('polling', () => {
  it('waits 3 s from the end of a round to the next, until it is stopped', async () => {
    const clock = createManualClock()
    let rounds = 0
    let end = () => {}
    const polling = createPolling(clock.wait, () => {
      rounds += 1
      return new Promise((resolve) => (end = resolve))
    })
    polling.start()
    polling.start()
    clock.pass(60_000)
    expect(rounds).toBe(1)
    end()
    await turn()
    clock.pass(2_999)
    expect(rounds).toBe(1)
    clock.pass(1)
    expect(rounds).toBe(2)
    polling.stop()
    end()
    await turn()
    expect(clock.pending()).toEqual([])
    polling.start()
    expect(rounds).toBe(3)
  })

  it('lets a round know that it was stopped meanwhile', async () => {
    const clock = createManualClock()
    const after: boolean[] = []
    const polling = createPolling(clock.wait, async (isCurrent) => {
      await turn()
      after.push(isCurrent())
    })
    polling.start()
    polling.stop()
    polling.start()
    await expect.poll(() => after).toEqual([false, true])
  })
})
