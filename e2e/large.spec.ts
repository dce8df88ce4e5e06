// Large runs are watched from their start to their end, and opened again: the page never stands still for long.
import type { Page } from '@playwright/test'
import { listOf } from '@/testing/definitions'
import { card, expect, test, type Rest } from './fixture'

const NODES = 2_000
const LAYER = 25
const ITEMS = 1_000

/** A page may stand still for so long, in milliseconds, where it does the known work of `pace` in `USUAL`. */
const LONGEST = 200
const USUAL = 6

// More nodes than people are usually allowed; what is recorded of so many changes would cost more than they do.
test.use({ serverEnv: { PENSTOCK_MAX_NODES: String(NODES) }, trace: 'off' })

/** Two thousand nodes, of which a layer begins when the one before it has ended. */
const layered = (id: string) => ({
  schemaVersion: 1,
  id,
  name: 'Two thousand nodes',
  nodes: Array.from({ length: NODES }, (_, at) => ({
    id: `n${at}`,
    name: `Step ${at}`,
    task: 'set',
    startWhen: at < LAYER ? 'event:pipeline.started && event:external.go' : `event:n${at - LAYER}.completed`,
    inputBindings: { total: at < LAYER ? 1 : `{{ n${at - LAYER}.total + 1 }}` },
  })),
})

/** From now on the page keeps how long its tasks take that are long. */
async function keepLongTasks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const kept: number[] = []
    Object.assign(window, { longTasks: kept })
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) kept.push(Math.round(duration))
    }).observe({ type: 'longtask', buffered: true })
  })
}

/** The longest task since it was asked last, in milliseconds; 0: none was long. */
const longestTask = (page: Page) =>
  page.evaluate(() => {
    const { longTasks } = window as unknown as { longTasks: number[] }
    return Math.max(0, ...longTasks.splice(0))
  })

/** Milliseconds that known work takes in this page now: the median of some times. */
const pace = (page: Page) =>
  page.evaluate(() => {
    const once = () => {
      const from = performance.now()
      const words = new Map<string, number>()
      for (let at = 0; at < 40_000; at++)
        words.set(`word ${at % 5_000}`, (words.get(`word ${at % 5_000}`) ?? 0) + at)
      return performance.now() - from + Math.min(0, words.size)
    }
    return Array.from({ length: 9 }, once).sort((a, b) => a - b)[4] ?? 0
  })

async function go(rest: Rest, id: string): Promise<void> {
  const sent = await rest.call('POST', '/events', { execution_id: id, event_type: 'external.go' })
  expect(sent.status).toBe(202)
}

test('a run of 2,000 nodes and one of 1,000 items are watched to their end, and opened again', async ({
  page,
  rest,
}) => {
  await keepLongTasks(page)
  const figures: string[] = []
  /** What is told of the longest task while some work is done, and what it may be on a machine of this pace, before and after. */
  const longestIn = async (what: string, work: () => Promise<void>) => {
    const before = await pace(page)
    await longestTask(page)
    await work()
    const longest = await longestTask(page)
    const paces = [before, await pace(page)]
    const may = Math.max(LONGEST, (LONGEST * Math.max(...paces)) / USUAL)
    const told = paces.map((one) => one.toFixed(1)).join(', ')
    figures.push(`${what}: ${longest} ms of ${Math.round(may)} ms (pace ${told})`)
    return { longest, may }
  }
  for (const [define, what, last] of [
    [listOf(ITEMS, { id: 'large_list', name: 'A thousand items' }), `${ITEMS} items`, 'last'],
    [layered('large_graph'), `${NODES} nodes`, `n${NODES - 1}`],
  ] as const) {
    await rest.define(define)
    const id = await rest.start(define.id)
    await page.goto(`/executions/${id}`)
    await expect(page.getByRole('status').filter({ hasText: /^Live$/ })).toBeVisible()
    await expect(card(page, last)).toHaveAttribute('data-status', 'pending')
    const { longest, may } = await longestIn(`${what}, watched`, async () => {
      await go(rest, id)
      await expect(card(page, last)).toHaveAttribute('data-status', 'completed', { timeout: 60_000 })
      await expect(page.getByRole('heading', { level: 1 }).locator('..')).toContainText('Completed')
    })
    expect.soft(longest, `${what}: the longest task while it is watched`).toBeLessThanOrEqual(may)
    // Told alone: the first task of a page is as long as the machine makes it.
    await longestIn(`${what}, opened`, async () => {
      await page.reload()
      await expect(card(page, last)).toHaveAttribute('data-status', 'completed')
      await expect(page.getByText(/^\d+ of \d+ completed$/)).toBeVisible()
    })
  }
  console.log(figures.join('\n'))
})
