// A run that is run again: from what failed, from a node, and as a new run. The page stays open over all of it.
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, test } from './fixture'
import { gated } from './pipelines'

test.beforeAll(async ({ server }) => {
  await restClient(server).define(gated('release'))
})

test('[R-64, R-78] rerun what failed, rerun from a node, run again with other inputs', async ({
  page,
  rest,
}) => {
  const id = await rest.start('release', { version: '1.0' })
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await rest.decide(id, 'approve', 'rejected')
  await page.goto(`/executions/${id}/graph`)
  await expect(page).toHaveTitle(/Failed · Release/)
  await markDocument(page)

  // The exact set is shown before anything happens; then the closed run is live again.
  await page.getByRole('button', { name: 'Rerun failed' }).click()
  const failed = page.getByRole('dialog', { name: 'Rerun what failed?' })
  await expect(failed.getByRole('listitem')).toHaveText([/approve/, /publish/])
  expect((await rest.execution(id)).generation).toBe(1)
  await failed.getByRole('button', { name: 'Rerun 2 nodes' }).click()
  await expect(page.getByText('2 nodes run again', { exact: true })).toBeVisible()
  await expect(card(page, 'approve')).toHaveAttribute('data-status', 'waiting')
  await expect(card(page, 'prepare')).toHaveAttribute('data-status', 'completed')
  await expect(page.getByRole('button', { name: 'Cancel run' })).toBeVisible()
  await rest.decide(id, 'approve', 'approved')
  await expect(card(page, 'publish')).toHaveAttribute('data-status', 'completed')
  await expect(page).toHaveTitle(/Completed · Release/)
  await expect(page.getByRole('button', { name: 'Rerun failed' })).toHaveCount(0)

  // From one node, with the keyboard.
  await card(page, 'publish').click()
  const panel = page.getByRole('region', { name: 'Node Publish it' })
  await panel.getByRole('button', { name: 'Rerun from here…' }).focus()
  await page.keyboard.press('Enter')
  const from = page.getByRole('dialog', { name: 'Rerun from Publish it?' })
  await expect(from.getByRole('listitem')).toHaveText([/publish/])
  await from.getByRole('button', { name: 'Rerun 1 node' }).click()
  await expect(panel).toContainText('generation 3')
  await expect(page).toHaveTitle(/Completed · Release/)

  // What counted before is marked in the events; from any of them a run can be forked.
  await page.getByRole('link', { name: /^Events/ }).click()
  const rejection = page.getByRole('button', { name: /(?<!external\.)approve\.rejected/ })
  await expect(rejection).toContainText('superseded')
  await expectSameDocument(page)
  await page.getByRole('button', { name: /prepare\.completed/ }).click()
  await page.getByRole('button', { name: 'Fork from here…' }).click()
  await expect(page.getByRole('dialog', { name: /^Fork from event/ })).toBeVisible()
  await page.keyboard.press('Escape')

  // A new run with other inputs, which says where it comes from.
  await page.getByRole('button', { name: 'Run again' }).click()
  const again = page.getByRole('dialog', { name: 'Run again?' })
  await expect(again.getByLabel('version')).toHaveValue('1.0')
  await again.getByLabel('version').fill('1.1')
  await again.getByRole('button', { name: 'Start run' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.locator('header').first()).toContainText(`Again after${id}`)
  const forked = /executions\/([^/]+)/.exec(page.url())![1]!
  expect(await rest.execution(forked)).toMatchObject({
    inputs: { version: '1.1' },
    origin: { execution_id: id, seq: 0 },
  })
})
