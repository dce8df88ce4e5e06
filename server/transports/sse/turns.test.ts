import { describe, expect, it } from 'vitest'
import { Turns } from './turns'

describe('turns', () => {
  it('lets one part of the work go on in each turn of the event loop, in the order of asking', async () => {
    const turns = new Turns()
    const order: string[] = []
    let loops = 0
    const count = () => {
      loops += 1
      if (order.length < 4) setImmediate(count)
    }
    setImmediate(count)
    const work = async (name: string) => {
      await turns.next()
      order.push(`${name} in turn ${loops}`)
      await turns.next()
      order.push(`${name} in turn ${loops}`)
    }
    await Promise.all([work('a'), work('b')])
    expect(order).toEqual(['a in turn 1', 'b in turn 2', 'a in turn 3', 'b in turn 4'])
  })
})
