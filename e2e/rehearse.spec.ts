// A draft is rehearsed on a virtual clock in a worker: what goes wrong is planned, what comes of it is seen, kept, and watched over.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { wanted } from './authoring'
import { card, expect, test } from './fixture'
import { gated } from './pipelines'

const outcome = (page: Page) => page.getByRole('region', { name: 'Outcome' })
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Pipeline' }).getByRole('link', { name })
const CASE = 'when validate fails, publish is skipped'

test('a failure is planned at its node, seen, kept as a case that an edit breaks, and undone', async ({
  page,
  server,
}) => {
  await restClient(server).define(wanted('rehearsed'))
  const worker = page.waitForEvent('worker')
  await page.goto('/pipelines/rehearsed/rehearse')
  expect((await worker).url()).toContain(server.origin)
  await expect(outcome(page)).toContainText('the run waits: Approve the report waits for a decision')

  // It opens where the run waits.
  await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  await expect(card(page, 'validate')).toBeInViewport({ ratio: 0.99 })
  await card(page, 'validate').click()
  const node = page.getByRole('region', { name: 'Scenario of validate' })
  await node.getByRole('radio', { name: 'fails', exact: true }).check()
  await expect(outcome(page)).toContainText('The run fails after 2.5 s.')
  await expect(outcome(page)).toContainText(/Publish the report are skipped, as Check the values failed/)
  await expect(card(page, 'publish')).toHaveAttribute('data-status', 'skipped')
  await node.getByLabel('Takes').fill('soon')
  await expect(node.getByRole('alert')).toContainText("'soon' is not a duration")
  await node.getByLabel('Takes').fill('8s')
  await expect(outcome(page)).toContainText('The run fails after 10 s.')

  await page.getByRole('button', { name: 'Save as a case…' }).click()
  await expect(page.getByLabel('Name')).toHaveValue(CASE)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The case passes')).toBeVisible()

  await tab(page, 'Editor').click()
  await expect(page.getByRole('toolbar', { name: 'Editor' })).toBeVisible()
  const problems = page.getByRole('region', { name: 'Problems of the draft' })
  // A long row opens at its beginning.
  await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  await expect(card(page, 'publish')).toBeInViewport({ ratio: 0.99 })
  await card(page, 'publish').click()
  await page
    .getByRole('textbox', { name: 'Starts when' })
    .fill('event:compose.completed || event:validate.failed')
  const failing = problems.getByRole('link', {
    name: new RegExp(`Rehearse: “${CASE}” fails: publish is`),
  })
  await failing.click()
  await expect(page).toHaveURL(/\/rehearse\?case=0$/)
  await expect(page.getByText('0 of 1 cases pass')).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(page.getByText('The case passes')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('No cases yet')).toBeVisible()
})

test('a run that needs an input and a person is planned, looked at as a timeline and a table, and begun from an earlier run', async ({
  page,
  rest,
}) => {
  await rest.define(gated('rehearse_gated'))
  const run = await rest.start('rehearse_gated', { version: '1.4.2' })
  await expect.poll(async () => (await rest.execution(run)).status).toBe('waiting')
  await rest.decide(run, 'approve', 'rejected')
  await expect.poll(async () => (await rest.execution(run)).closed_at).not.toBeNull()

  await page.goto('/pipelines/rehearse_gated/rehearse')
  await expect(outcome(page)).toContainText('This scenario is not possible: inputs · version')
  await page.getByLabel(/^version/).fill('2.0')
  const people = page.getByRole('region', { name: 'People' })
  await people.getByRole('radio', { name: 'approved' }).check()
  await people.getByLabel('After').fill('1h')
  await expect(outcome(page)).toContainText('The run completes after 1h 00m.')
  // What comes too late is refused, and that stands where it was planned.
  await people.getByRole('button', { name: 'Add another person' }).click()
  await people.getByLabel('After').last().fill('2h')
  await expect(people.getByRole('alert')).toHaveText(/^Refused after 2h 00m: /)
  await people.getByRole('button', { name: 'Remove' }).click()
  await expect(people.getByRole('alert')).toHaveCount(0)

  await page.getByRole('button', { name: 'Timeline' }).click()
  await expect(page.getByRole('list', { name: 'Critical path' })).toContainText('Approve it waits1h 00m')
  await page.getByRole('button', { name: 'Nodes' }).click()
  const results = page.getByRole('region', { name: 'What comes of each node' })
  await results.getByRole('button', { name: 'Publish it' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Scenario of publish' })).toContainText('Completed')
  await page.getByRole('button', { name: 'Close the panel' }).click()

  await page.getByLabel('Durations').selectOption(run)
  await expect(outcome(page)).toContainText(/The run is rejected by \S+ after/)
  await expect(page.getByLabel(/^version/)).toHaveValue('1.4.2')
  await expect(people.getByRole('radio', { name: 'rejected' })).toBeChecked()
})
