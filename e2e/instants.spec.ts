// Any instant of a run: one bar moves graph, timeline, variables and events; and what a person asks of a run first.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, test } from './fixture'
import { asking, failing } from './pipelines'

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(failing('instants_failing'))
  await rest.define(asking('instants_asked'))
})

const slider = (page: Page) => page.getByRole('slider', { name: 'Instant of the run' })
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name })

test('a run is looked at as it was, compared with another instant, played, and forked from there', async ({
  page,
  rest,
}) => {
  const id = await rest.start('instants_failing')
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBe(null)
  const events = await rest.events(id)
  const seq = (type: string) => events.find((event) => event.type === type)!.seq
  const last = events.length

  await page.goto(`/executions/${id}/graph`)
  await page.locator('header').getByRole('alert').getByRole('link', { name: 'Import the rows' }).click()
  await expect(page.getByRole('region', { name: 'Node Import the rows' }).getByRole('alert')).toContainText(
    'row 318',
  )
  await expect(page.getByRole('button', { name: 'Rerun failed' })).toBeVisible()

  // By hand: everything stands as it did, the address says when, and nothing can be done to it.
  await slider(page).fill(String(seq('fetch.completed')))
  await expect(card(page, 'fetch')).toHaveAttribute('data-status', 'completed')
  await expect(card(page, 'import_rows')).toHaveAttribute('data-status', 'pending')
  await expect(page.getByText('Viewing the past')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`at=${seq('fetch.completed')}\\b`))
  await expect(page.getByRole('button', { name: 'Rerun failed' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Rerun from here…' })).toHaveCount(0)

  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  expect(violations.map(({ id: rule, help }) => `${rule}: ${help}`)).toEqual([])

  // The link leads there; another tab shows the same instant.
  await page.reload()
  await expect(card(page, 'fetch')).toHaveAttribute('data-status', 'completed')
  await expect(card(page, 'import_rows')).toHaveAttribute('data-status', 'pending')
  await tab(page, 'Events').click()
  await expect(page.getByText(`${seq('fetch.completed')} events`, { exact: true })).toBeVisible()
  await tab(page, 'Timeline').click()
  await expect(page.locator('[data-playhead]')).toHaveCount(1)
  await tab(page, 'Inputs and outputs').click()
  await expect(page.getByText('Outputs are available when the run completes.')).toBeVisible()
  await expect(page.getByText('Viewing the past')).toBeVisible()
  await tab(page, 'Files').click()
  await expect(page.getByText('Viewing the past')).toBeVisible()
  await tab(page, 'Graph').click()

  // By event, with keys.
  await page.getByRole('button', { name: 'Compare from here' }).click()
  await page.keyboard.press('ArrowRight')
  await expect(slider(page)).toHaveValue(String(seq('fetch.completed') + 1))
  await slider(page).press('End')
  await expect(
    page
      .getByRole('list', { name: 'What changed' })
      .getByRole('listitem')
      .filter({ hasText: 'Import the rows' }),
  ).toHaveText(/Import the rows\s*Pending\s*Failed/)

  // Played from the first event to the last.
  await slider(page).press('Home')
  await expect(card(page, 'fetch')).toHaveAttribute('data-status', 'pending')
  await page.getByLabel('Speed').selectOption('100')
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(slider(page)).toHaveValue(String(last))
  await expect(card(page, 'import_rows')).toHaveAttribute('data-status', 'failed')
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()

  // A fork says first what it keeps.
  await slider(page).fill(String(seq('fetch.completed')))
  await page.getByRole('button', { name: 'Fork from here…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('definition').first()).toHaveText('Fetch the export')
  await expect(dialog.getByRole('definition').nth(1)).toHaveText('Import the rows, Report')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Back to the end' }).click()
  await expect(page.getByText('Viewing the past')).toHaveCount(0)
  await expect(page).not.toHaveURL(/at=/)
  await expect(page.getByRole('button', { name: 'Rerun failed' })).toBeVisible()
})

test('a run says for whom it waits, and leads to what changed since the last good one', async ({
  page,
  rest,
}) => {
  const good = await rest.start('instants_asked')
  await page.goto(`/executions/${good}/graph`)
  const short = page.getByRole('list', { name: 'In short' })
  await expect(short).toContainText('Waits for a decision by any approver on May it go on?; after that about')
  await expect(page.getByText('Expected end')).toHaveCount(0)
  // An event that has not come is no instant: the page stands in the present, says so, and goes on with the run.
  await page.goto(`/executions/${good}/graph?at=${(await rest.events(good)).length + 1}&since=1e99`)
  await expect(page.getByText('This run has no such event')).toBeVisible()
  await expect(page.getByText('Viewing the past')).toHaveCount(0)
  await expect(page).not.toHaveURL(/at=|since=/)
  await rest.decide(good, 'ask', 'approved')
  await expect(page).toHaveTitle(/Completed · /)
  await expect(page.getByText('Waits for a decision')).toHaveCount(0)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect(page.getByText('This run has no such event')).toHaveCount(0)

  const next = await rest.start('instants_asked')
  await page.goto(`/executions/${next}/graph`)
  await expect(short.getByRole('link', { name: 'What changed since the last good run' })).toHaveAttribute(
    'href',
    `/executions/${next}/compare?with=${good}`,
  )
})
