// A server with one slot: whoever waits for it says so.
import { card, expect, test } from './fixture'
import { crowded } from './pipelines'

test.use({ serverEnv: { PENSTOCK_MAX_CONCURRENT_TASKS: '1' } })

test('a queued node explains who holds the slots and where it stands', async ({ page, rest }) => {
  await rest.define(crowded('crowded', 60_000))
  const id = await rest.start('crowded')
  await page.goto(`/executions/${id}`)
  await expect(card(page, 'first')).toHaveAttribute('data-status', 'running')
  await expect(card(page, 'second')).toHaveAttribute('data-status', 'queued')
  await expect(card(page, 'second')).toContainText('waits for a free slot')
  await card(page, 'second').click()
  const panel = page.getByRole('region', { name: 'Node second' })
  await expect(panel.getByText('Why is this not running?')).toBeVisible()
  await expect(panel.getByText('1 of 1 slots in use · number 1 in the queue')).toBeVisible()
  await page.goto('/')
  await expect(page.getByText('of 1, 1 queued')).toBeVisible()
  await rest.call('POST', `/executions/${id}/cancel`, {})
  // What becomes free is told to the page.
  await expect(page.getByText('of 1, 1 queued')).toHaveCount(0)
})
