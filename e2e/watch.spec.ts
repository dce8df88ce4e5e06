// A run is watched to its end while the line to it is cut, its server dies, and something on the way lets no stream through.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, signIn, startWithPages, test } from './fixture'
import { inSteps } from './timed-pipelines'

// The server boots twice.
test.setTimeout(240_000)

const mark = (page: Page) => page.getByRole('status').filter({ hasText: /^(Live|Reconnecting|Updating)/ })
/** The number of the last try that the panel of a node tells of; 0: of none. */
const lastTry = (page: Page) =>
  page
    .getByRole('region', { name: /^Node / })
    .getByText(/^#\d+$/)
    .evaluateAll((tries) => Math.max(0, ...tries.map((one) => Number(one.textContent.slice(1)))))

test('[R-1] a run is seen to its end through three cuts of the line, a killed server and a proxy without streams', async ({
  browser,
}) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-journey-'))
  const first = await startWithPages({ dataDir })
  const { origin } = first
  let second: Awaited<ReturnType<typeof startWithPages>> | null = null
  const context = await browser.newContext()
  try {
    let rest = restClient(first)
    await rest.define(inSteps('watched'))
    const page = await context.newPage()
    await signIn(page, first)
    const id = await rest.start('watched')
    const publish = async (name: string) => {
      const sent = await rest.call('POST', '/events', { execution_id: id, event_type: `external.${name}` })
      expect(sent.status).toBe(202)
    }
    const becomes = (node: string, status: string) =>
      expect.poll(async () => (await rest.execution(id)).nodes[node]?.status).toBe(status)
    const shows = (node: string, status: string) =>
      expect(card(page, node)).toHaveAttribute('data-status', status)
    /** Cuts the line, lets `work` happen meanwhile, and mends it. */
    const cut = async (work: () => Promise<void>) => {
      await context.setOffline(true)
      await expect(mark(page)).toHaveText('Reconnecting')
      await work()
      await context.setOffline(false)
      await expect(mark(page)).toHaveText('Live')
    }
    await page.goto(`${origin}/executions/${id}`)
    await expect(mark(page)).toHaveText('Live')
    await expect(page.getByText(/ behind$/).filter({ visible: true })).toHaveCount(0)
    await shows('one', 'pending')
    await markDocument(page)

    await cut(async () => {
      await publish('one')
      await becomes('one', 'completed')
      // Nothing is shown that is not known.
      await shows('one', 'pending')
    })
    await shows('one', 'completed')
    await cut(async () => {
      await publish('two')
      await becomes('work', 'running')
    })
    await shows('items', 'completed')
    await shows('work', 'running')

    await first.stop('SIGKILL')
    await expect(mark(page)).toHaveText('Reconnecting')
    // Nobody answers: a node is looked at all the same, and no link leads away to an error of the browser.
    await card(page, 'one').click()
    await expect(page.getByRole('region', { name: 'Node one' })).toBeVisible()
    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Variables' }).click()
    await expect(page.getByText('The server cannot be reached', { exact: true })).toBeVisible()
    await expect(page).toHaveURL(`${origin}/executions/${id}?node=one`)
    second = await startWithPages({ dataDir, port: Number(new URL(origin).port) })
    rest = restClient(second)
    await expect(mark(page)).toHaveText('Live')
    await shows('work', 'completed')

    await cut(async () => {
      await publish('three')
      await becomes('never', 'skipped')
    })
    await shows('mend', 'completed')

    // The stream is refused: the page asks, says so, and goes back to the stream when there is one.
    await page.route('**/api/v1/stream?*', (route) => route.fulfill({ status: 502, body: 'no streams here' }))
    await context.setOffline(true)
    await context.setOffline(false)
    await expect(mark(page)).toHaveText('Updating every few seconds')
    await publish('four')
    await shows('four', 'completed')
    await expect(page).toHaveTitle(/Completed, with a failure handled · /)
    await expect(mark(page)).toHaveText('Updating every few seconds')
    await page.unroute('**/api/v1/stream?*')
    await expect(mark(page)).toHaveText('Live')
    await expectSameDocument(page)

    // What is on the screen is what the API says, node by node.
    const told = await rest.execution(id)
    expect(told.status).toBe('completed')
    expect(told.nodes['shaky']?.attempts).toBe(3)
    for (const [node, { status, attempts }] of Object.entries(told.nodes)) {
      await shows(node, status)
      // The graph moves when a panel opens and closes: a click meanwhile falls beside the card.
      await expect(async () => {
        await card(page, node).click()
        await expect(page.getByRole('region', { name: `Node ${node}` })).toBeVisible({ timeout: 1_000 })
      }).toPass()
      expect(await lastTry(page), node).toBe(attempts)
      // The next may lie behind it.
      await page.getByRole('button', { name: 'Close the panel' }).click()
    }
    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Events' }).click()
    await expect(page.getByText(`${told.last_seq} events`)).toBeVisible()
  } finally {
    await context.close()
    await second?.stop()
    await first.stop('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
})

test('back and forward to a page that this tab has not loaded stay here while nobody answers', async ({
  page,
  context,
  provoked,
}) => {
  provoked(/ERR_INTERNET_DISCONNECTED|Failed to fetch|Failed to load resource/)
  await page.goto('/executions')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Health' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible()
  // The document is another one now, which has loaded this page alone.
  await page.reload()
  await expect(mark(page)).toHaveText('Live')
  await context.setOffline(true)
  await expect(mark(page)).toHaveText('Reconnecting')
  await page.evaluate(() => window.history.back())
  await expect(page.getByText('The server cannot be reached', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/health$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Health' })).toBeVisible()
  await context.setOffline(false)
  await expect(mark(page)).toHaveText('Live')
  await page.evaluate(() => window.history.back())
  await expect(page).toHaveURL(/\/executions$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Executions' })).toBeVisible()
})
