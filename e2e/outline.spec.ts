// The outline does everything the canvas does, by the keyboard alone: rows are walked, named, joined, moved, deleted, undone.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, publishDraft, test } from './fixture'

const STARTED = 'event:pipeline.started'
const node = (id: string, name: string, startWhen = STARTED) => ({ id, name, task: 'noop', startWhen })
const three = (id: string) => ({
  schemaVersion: 1,
  id,
  name: `Outline ${id}`,
  nodes: [
    node('extract', 'Extract'),
    node('check', 'Check', 'event:extract.completed'),
    node('load', 'Load', 'event:check.completed'),
  ],
})

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Nodes of the pipeline' })
const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`)
const rowIds = (page: Page) =>
  grid(page)
    .locator('[data-row]')
    .evaluateAll((rows) => rows.map((each) => each.getAttribute('data-row')))
const told = (page: Page) => page.getByRole('status', { name: 'What the outline did' })

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(card(page, 'extract')).toBeVisible()
  await page.keyboard.press('o')
  await expect(grid(page)).toBeFocused()
}

test('rows are walked, renamed, joined, moved and deleted by keys, and the form leads back to its row', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(three('outlined'))
  await open(page, 'outlined')
  await expect(row(page, 'check')).toContainText('when extract completed')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(row(page, 'check')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('F2')
  await page.keyboard.type('Check all of it')
  await page.keyboard.press('Enter')
  await expect(grid(page)).toBeFocused()
  await expect(card(page, 'check')).toContainText('Check all of it')
  await expect(told(page)).toHaveText('check is called Check all of it.')

  // Letters lead to a row; what it waits for is found by words.
  await page.keyboard.press('l')
  await expect(row(page, 'load')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press(' ')
  await page.keyboard.type('extract failed')
  await page.keyboard.press('Enter')
  await expect(row(page, 'load')).toContainText('when check completed and extract failed')
  await expect(grid(page)).toBeFocused()
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'F2']) await page.keyboard.press(key)
  await expect(page.getByRole('textbox', { name: 'Start condition of load' })).toBeFocused()
  await page.keyboard.type('event:extract.failed')
  await page.keyboard.press('Enter')
  await expect(row(page, 'load')).toContainText('when extract failed')

  await page.keyboard.press('Enter')
  const form = page.getByRole('region', { name: 'Node load' })
  await expect(form.getByRole('textbox').first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(form).toHaveCount(0)
  await expect(grid(page)).toBeFocused()

  await page.keyboard.press('Alt+ArrowUp')
  await expect(told(page)).toHaveText('Load was moved up.')
  expect(await rowIds(page)).toEqual(['extract', 'load', 'check'])
  await page.keyboard.press('Alt+ArrowUp')
  await expect(told(page)).toHaveText('load waits for extract and must stay below it.')

  await page.keyboard.press('n')
  await page.keyboard.type('log')
  await page.keyboard.press('Enter')
  await expect(row(page, 'log')).toHaveAttribute('aria-selected', 'true')
  await expect(row(page, 'log')).toContainText('when load completed')
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Delete')
  await expect(row(page, 'log')).toHaveCount(0)
  await expect(told(page)).toHaveText('log was deleted. Ctrl+Z brings it back.')
  await page.keyboard.press('Control+z')
  await expect(row(page, 'log')).toHaveCount(1)
  await page.keyboard.press('Control+z')

  await publishDraft(page, 2)
  const { body } = await rest.call('GET', '/pipelines/outlined')
  expect((body as { definition: { nodes: unknown } }).definition.nodes).toEqual([
    node('extract', 'Extract'),
    node('load', 'Load', 'event:extract.failed'),
    node('check', 'Check all of it', 'event:extract.completed'),
  ])
})
