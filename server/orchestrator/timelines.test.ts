import { expect, it } from 'vitest'
import { EngineRun, heavy } from '@/testing/engine-run'
import { createTimelines } from './timelines'

/** A journal of these runs, and what was read of it. */
function journalOf(...runs: EngineRun[]) {
  const read: string[] = []
  return {
    read: async (id: string, { after = 0, limit = Infinity }: { after?: number; limit?: number } = {}) => {
      const { entries } = runs[Number(id.slice(1))]!
      const page = entries.slice(after, after + limit)
      read.push(...page.map(({ event }) => `${id} ${event.seq}`))
      return page
    },
    seen: read,
  }
}

const stateOf = (run: EngineRun, executionId: string) => ({ ...run.state, executionId })

it('reads an entry once, also when several ask at the same time, and goes on from there', async () => {
  const run = new EngineRun({ nodes: [heavy('a')] })
  const journal = journalOf(run)
  const timelines = createTimelines(journal)
  const state = stateOf(run, 'x0')
  const [first, second] = await Promise.all([timelines(state), timelines(state)])
  expect(second).toBe(first)
  expect(first.finishedAt).toBe(null)
  run.complete('a')
  expect(await timelines(stateOf(run, 'x0'))).toBe(first)
  expect(first.finishedAt).toBe(run.now)
  expect(journal.seen).toEqual(run.entries.map(({ event }) => `x0 ${event.seq}`))
})

it('keeps those that were asked for last', async () => {
  const runs = Array.from({ length: 17 }, () => new EngineRun({ nodes: [heavy('a')] }))
  const journal = journalOf(...runs)
  const timelines = createTimelines(journal)
  const ask = (index: number) => timelines(stateOf(runs[index]!, `x${index}`))
  const zero = await ask(0)
  const one = await ask(1)
  for (let index = 2; index < 16; index += 1) await ask(index)
  expect(await ask(0)).toBe(zero)
  await ask(16)
  expect(await ask(0)).toBe(zero)
  expect(await ask(1)).not.toBe(one)
})
