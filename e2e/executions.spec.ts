// The list of runs: chosen, cancelled and rerun together; filters that are kept under a name.
import { restClient } from '@/testing/rest-client'
import { expect, test } from './fixture'
import { failing, waitingForEvent } from './pipelines'

test('runs are chosen in the list, cancelled with a reason and rerun together', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('bulk_wait'))
  await rest.define(failing('bulk_fail'))
  const waiting = [await rest.start('bulk_wait'), await rest.start('bulk_wait')]
  const failed = await rest.start('bulk_fail')
  await expect.poll(async () => (await rest.execution(failed)).status).toBe('failed')
  for (const id of waiting) await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')

  // Other journeys have runs of their own on this server.
  await page.goto('/executions?pipeline=bulk_wait')
  const choose = (id: string) => page.getByRole('checkbox', { name: `Choose run ${id}` })
  const bar = page.getByRole('region', { name: 'Chosen runs' })
  await choose(waiting[0]!).check()
  await expect(bar.getByText('One run chosen')).toBeVisible()
  // What fits none of them is not offered.
  await expect(bar.getByRole('button', { name: 'Cancel 1…' })).toBeVisible()
  await expect(bar.getByRole('button', { name: /^Rerun failed/ })).toHaveCount(0)
  await bar.getByRole('button', { name: 'Choose none' }).click()
  await expect(bar).toHaveCount(0)

  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check()
  await expect(bar.getByText('2 runs chosen')).toBeVisible()
  await bar.getByRole('button', { name: 'Cancel 2…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel 2 runs?' })
  await dialog.getByLabel('Reason').fill('not today')
  await dialog.getByRole('button', { name: 'Cancel 2 runs' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(bar).toHaveCount(0)
  for (const id of waiting) {
    await expect.poll(async () => (await rest.execution(id)).status).toBe('cancelled')
    const told = (await rest.events(id)).find(({ type }) => type === 'pipeline.cancelling')
    expect(told?.payload).toMatchObject({ reason: 'not today' })
  }

  await page.goto('/executions?pipeline=bulk_fail')
  await choose(failed).check()
  await bar.getByRole('button', { name: 'Rerun failed of 1…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rerun one run' }).click()
  await expect.poll(async () => (await rest.execution(failed)).generation).toBe(2)
})

test('runs are found by their inputs, label, who started them and how long they took; the address keeps it', async ({
  page,
  server,
}) => {
  const rest = restClient(server)
  await rest.define({ ...waitingForEvent('found_by'), inputs: { city: { type: 'string', default: 'Oslo' } } })
  const oslo = await rest.start('found_by')
  const { body } = await rest.call('POST', '/pipelines/found_by/executions', {
    inputs: { city: 'Zürich' },
    labels: { team: 'alps' },
  })
  const zurich = String((body as { execution_id: string }).execution_id)
  await page.goto('/executions?pipeline=found_by')
  const row = (id: string) => page.getByRole('row').filter({ hasText: id })
  await expect(row(oslo)).toContainText('city Oslo')
  await expect(row(zurich)).toContainText('city Zürich')

  await page.getByRole('searchbox', { name: 'Search runs' }).fill('ZÜRICH')
  await expect(row(oslo)).toHaveCount(0)
  await expect(page).toHaveURL(/q=Z/)
  await page.reload()
  await expect(row(zurich)).toBeVisible()
  await expect(row(oslo)).toHaveCount(0)

  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Label').fill('team:alps')
  await expect(page).toHaveURL(/label=team/)
  await expect(row(oslo)).toHaveCount(0)
  await page.getByLabel('Took at least').fill('1000 years')
  await expect(page.getByLabel('Took at least')).toHaveAttribute('aria-invalid', 'true')
  await expect(row(zurich)).toBeVisible()
  await page.getByLabel('Took at least').fill('10h')
  await expect(page.getByText('No runs match these filters')).toBeVisible()
})

test('runs are paused and resumed together', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('bulk_pause'))
  const ids = [await rest.start('bulk_pause'), await rest.start('bulk_pause')]
  for (const id of ids) await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await page.goto('/executions?pipeline=bulk_pause')
  const all = page.getByRole('checkbox', { name: 'Choose all that are shown' })
  await all.check()
  await page.getByRole('button', { name: 'Pause 2…' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('lunch')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause 2 runs' }).click()
  for (const id of ids) await expect.poll(async () => (await rest.execution(id)).status).toBe('paused')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await all.check()
  await page.getByRole('button', { name: 'Resume 2…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume 2 runs' }).click()
  for (const id of ids) await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
})

test('what cannot be done with one of many is told, and all others are done', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('bulk_race'))
  const [first, second] = [await rest.start('bulk_race'), await rest.start('bulk_race')]
  await page.goto('/executions?pipeline=bulk_race')
  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check()
  await page.getByRole('button', { name: 'Cancel 2…' }).click()
  // One of them ends while somebody thinks about it.
  await rest.call('POST', '/events', { execution_id: first, event_type: 'external.shipment' })
  await expect.poll(async () => (await rest.execution(first)).status).toBe('completed')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Cancel 2 runs' }).click()
  await expect(dialog.getByRole('alert')).toContainText('1 of 2 could not be changed; all others were.')
  await expect(dialog.getByRole('alert')).toContainText(first)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect.poll(async () => (await rest.execution(second)).status).toBe('cancelled')
})

test('a filter is kept under a name, in this browser, and forgotten', async ({ page }) => {
  await page.goto('/executions')
  await expect(page.getByRole('table').or(page.getByText('Nothing has run yet')).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save the filter…' })).toHaveCount(0)
  await page.getByLabel('Status').selectOption('failed')
  await page.getByRole('button', { name: 'Save the filter…' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('What failed')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await expect(page).toHaveURL(/\/executions$/)
  await page.reload()
  await page.getByRole('link', { name: 'What failed' }).click()
  await expect(page).toHaveURL(/status=failed/)
  await expect(page.getByLabel('Status')).toHaveValue('failed')
  await page.getByRole('button', { name: 'Delete the filter What failed' }).click()
  await expect(page.getByRole('link', { name: 'What failed' })).toHaveCount(0)
})
