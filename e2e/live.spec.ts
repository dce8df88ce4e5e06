// What happens elsewhere appears here: failures, events from outside, cancelling.
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, test } from './fixture'
import { failing, hostile, hostileTexts, sleeping, waitingForEvent } from './pipelines'

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(failing('nightly_import'))
  await rest.define(waitingForEvent('shipment'))
  await rest.define(sleeping('sleeper', '1h'))
  await rest.define(hostile('hostile'))
})

test('a failed run shows the error first and leads to the node that failed', async ({ page, rest }) => {
  const id = await rest.start('nightly_import')
  await page.goto(`/executions/${id}`)
  await expect(page).toHaveTitle(/Failed · Nightly import/)
  await expect(page.getByRole('banner').or(page.locator('header')).getByRole('alert')).toContainText(
    'row 318',
  )
  await expect(card(page, 'report')).toHaveAttribute('data-status', 'skipped')
  await card(page, 'import_rows').click()
  const panel = page.getByRole('region', { name: 'Node Import the rows' })
  await expect(panel.getByRole('heading', { level: 3 }).first()).toHaveText('Error')
  await expect(panel.getByRole('alert')).toContainText('invalid_input')
  await page.goto('/')
  const failed = page.getByRole('region', { name: 'Failed or rejected lately' })
  await expect(failed.getByRole('listitem').first()).toContainText('row 318')
})

test('a run that waits for an event from outside goes on in the page when it comes', async ({
  page,
  rest,
}) => {
  const id = await rest.start('shipment')
  await page.goto(`/executions/${id}/graph?node=receive`)
  await markDocument(page)
  const panel = page.getByRole('region', { name: 'Node Receive the shipment' })
  await expect(card(page, 'receive')).toContainText('waits for external.shipment')
  await expect(panel.getByText(/waits for external\.shipment/)).toBeVisible()
  const sent = await rest.call('POST', '/events', { execution_id: id, event_type: 'external.shipment' })
  expect(sent.status).toBe(202)
  await expect(card(page, 'store')).toHaveAttribute('data-status', 'completed')
  await expect(panel.getByRole('log')).toContainText('the shipment has come')
  await expect(page).toHaveTitle(/Completed · /)
  // Removed elsewhere, it is not shown as though it were still there.
  await expect.poll(async () => (await rest.call('DELETE', `/executions/${id}`)).status).toBe(204)
  await expect(page.getByRole('heading', { name: 'This run was removed' })).toBeVisible()
  await expectSameDocument(page)
  await page.getByRole('main').getByRole('link', { name: 'See all executions' }).click()
  await expect(page).toHaveURL(/\/executions$/)
})

test('the event that a run waits for is sent from its page', async ({ page, rest }) => {
  const id = await rest.start('shipment')
  await page.goto(`/executions/${id}?node=receive`)
  await page.getByRole('button', { name: 'Send external.shipment…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send external.shipment?' })
  await dialog.getByLabel('Payload').fill('[1]')
  await expect(dialog.getByRole('alert')).toContainText('The payload must be an object')
  await dialog.getByLabel('Payload').fill('{ "crates": 3 }')
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await expect(card(page, 'store')).toHaveAttribute('data-status', 'completed')
  const sent = (await rest.events(id)).find(({ type }) => type === 'external.shipment')
  expect(sent?.payload).toMatchObject({ crates: 3 })
})

test('a run is cancelled with a reason, which its record keeps', async ({ page, rest }) => {
  const id = await rest.start('sleeper')
  await page.goto(`/executions/${id}`)
  await expect(card(page, 'sleep')).toHaveAttribute('data-status', 'waiting')
  await expect(page.getByRole('list', { name: 'In short' })).toContainText(
    /Waits until .+ for Sleep, in \d+ min/,
  )
  await page.getByRole('button', { name: 'Cancel run' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel this run?' })
  await dialog.getByLabel('Reason').fill('the wrong day')
  await dialog.getByRole('button', { name: 'Cancel run' }).click()
  await expect(card(page, 'sleep')).toHaveAttribute('data-status', 'cancelled')
  await expect(page.getByRole('button', { name: 'Cancel run' })).toHaveCount(0)
  await expect(page.locator('header')).toContainText('the wrong day')
  const cancelling = (await rest.events(id)).find((event) => event.type === 'pipeline.cancelling')
  expect(cancelling?.payload).toMatchObject({ reason: 'the wrong day' })
})

test('hostile texts are shown as the texts that they are', async ({ page, rest }) => {
  const id = await rest.start('hostile')
  const places = [
    '/pipelines',
    '/pipelines/hostile',
    '/pipelines/hostile?node=long',
    '/pipelines/hostile/code',
    `/executions/${id}/graph?node=ask`,
    `/executions/${id}/graph?node=__proto__`,
    `/executions/${id}/summary`,
    `/executions/${id}/variables`,
    `/executions/${id}/events?q=${encodeURIComponent(hostileTexts.markup)}`,
    '/approvals',
    `/executions?pipeline=${encodeURIComponent(hostileTexts.markup)}&status=__proto__`,
  ]
  for (const place of places) {
    await page.goto(place)
    await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
    expect(await page.evaluate(() => 'hacked' in window), place).toBe(false)
    // nothing pushes the page wider than it is
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
      place,
    ).toBe(0)
  }
  await page.goto(`/executions/${id}/graph?node=ask`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(hostileTexts.markup)
  await expect(page.getByRole('region', { name: /^Node/ })).toContainText(hostileTexts.markup)
})

test('a session that is gone leads to the sign-in', async ({ page, context, rest, provoked }) => {
  provoked(/401/)
  const id = await rest.start('shipment')
  await page.goto(`/executions/${id}`)
  await expect(card(page, 'receive')).toBeVisible()
  await context.clearCookies()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Executions' }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  await expect(page.getByRole('heading', { name: /Sign in/ })).toBeVisible()
})
