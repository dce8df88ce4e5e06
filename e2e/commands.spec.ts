// Ctrl+K: the commands of the page first, and only what the person may do; pipelines to run, schedules, filters, theme, secrets.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { expect, publishDraft, test } from './fixture'
import { waitingForEvent } from './pipelines'

async function find(page: Page, text: string) {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: /Find a command/ })).toBeFocused()
  if (text !== '') await page.keyboard.type(text)
}

const options = (page: Page, group: string) => page.getByRole('group', { name: group }).getByRole('option')

test('a schedule is found by its name and leads to its fields', async ({ page, server }) => {
  await restClient(server).define({
    ...waitingForEvent('timetable'),
    name: 'Timetable',
    triggers: [{ id: 'harvest', type: 'cron', cron: '30 2 * * *' }],
  })
  await page.goto('/')
  await find(page, 'harvest')
  await expect(options(page, 'Schedules')).toHaveText(/Schedule harvest of Timetable.*30 2 \* \* \*/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/pipelines\/timetable$/)
  const form = page.getByRole('region', { name: 'Pipeline' })
  await expect(form.getByLabel('Schedule')).toHaveValue('30 2 * * *')
})

test('the commands of the page come first, with their keys, and do what they say', async ({
  page,
  server,
}) => {
  await restClient(server).define(waitingForEvent('commanded'))
  await page.goto('/pipelines/commanded')
  await expect(page.locator('[data-node="announce"]')).toBeVisible()
  await find(page, '')
  await expect(page.getByRole('option').first()).toContainText('Publish…')
  await expect(page.getByRole('option').first()).toContainText('Ctrl')
  await page.keyboard.type('select all')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox')).toHaveCount(0)
  await expect(page.locator('[data-node].selected, .react-flow__node.selected')).toHaveCount(3)
  await find(page, 'duplicate')
  await page.keyboard.press('Enter')
  await expect(page.locator('[data-node]')).toHaveCount(6)
  await publishDraft(page, 2)
  await find(page, 'run wait')
  await options(page, 'Run or rehearse').filter({ hasText: 'Run Wait for the shipment' }).first().click()
  await expect(page.getByRole('dialog')).toContainText('Run Wait for the shipment')
})

test('a run is paused, resumed and cancelled by its commands', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('steered'))
  const id = await rest.start('steered')
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('button', { name: 'Pause run' })).toBeVisible()
  await find(page, 'pause')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Pause run' }).click()
  await expect.poll(async () => (await rest.execution(id)).status).toBe('paused')
  await expect(page.getByRole('button', { name: 'Resume run' })).toBeVisible()
  await find(page, 'resume')
  await page.keyboard.press('Enter')
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await find(page, 'open timeline')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/timeline$/)
})

test('filters, the theme, a new pipeline, a secret and the shortcuts', async ({ page, server, provoked }) => {
  // The first secret is too short.
  provoked(/422/)
  const rest = restClient(server)
  await page.goto('/')
  await find(page, 'failed runs')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/executions\?status=failed/)
  await find(page, 'dark')
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveClass(/dark/)
  await find(page, 'set a secret')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Set a secret' })
  await dialog.getByLabel('Name').fill('by_command')
  await dialog.getByLabel('Value').fill('too short')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Value')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Value').fill('long enough to be no guess')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  const { body } = await rest.call('GET', '/secrets')
  expect(body).toMatchObject({
    items: expect.arrayContaining([expect.objectContaining({ name: 'by_command' })]),
  })
  await find(page, 'shortcuts')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toBeVisible()
  // The palette takes the place of the list, but not of a form that waits for an answer.
  await find(page, 'new pipeline')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveAccessibleName('New pipeline')
  await expect(page).toHaveURL(/\/pipelines$/)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog')).toHaveAccessibleName('New pipeline')
})

test('a viewer is offered nothing that changes something', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('only_seen'))
  const id = await rest.start('only_seen')
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  // As the server would answer a viewer.
  await page.route(/session\.whoami/, async (route) => {
    const answer = await route.fetch()
    const text = await answer.text()
    await route.fulfill({
      response: answer,
      body: text.replace(/"rights":\[[^\]]*\]/, '"rights":["read","decide"]'),
    })
  })
  await page.goto(`/executions/${id}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await find(page, '')
  await expect(page.getByRole('option', { name: /Open Timeline/ })).toBeVisible()
  for (const words of ['pause', 'cancel', 'new pipeline', 'secret', 'run wait']) {
    await page.getByRole('combobox').fill(words)
    await expect(page.getByRole('option', { name: /^(Pause|Cancel|New|Set|Run )/ })).toHaveCount(0)
  }
})

test('the list of shortcuts of a run stays within a low window', async ({ page, server }) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('low_window'))
  const id = await rest.start('low_window')
  await page.setViewportSize({ width: 1280, height: 420 })
  await page.goto(`/executions/${id}/timeline`)
  await expect(page.getByRole('treegrid')).toBeVisible()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Shortcuts' }).getByRole('region', { name: 'All shortcuts' })
  await expect(list.getByText('Fit the whole run')).toBeVisible()
  const size = await list.evaluate((box) => ({
    sideways: box.scrollWidth - box.clientWidth,
    down: box.scrollHeight - box.clientHeight,
  }))
  expect(size.sideways).toBe(0)
  expect(size.down).toBeGreaterThan(0)
})
