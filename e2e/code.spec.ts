// The code of a pipeline: what may stand there is offered, what is wrong is marked at its place, and canvas and code show the same.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { code, completionsTakeAChoice } from './editor-page'
import { card, expect, publishDraft, test } from './fixture'

const STARTED = 'event:pipeline.started'
const plain = (id: string) => ({
  schemaVersion: 1,
  id,
  name: `Code ${id}`,
  nodes: [
    { id: 'extract', name: 'Extract', task: 'noop', startWhen: STARTED },
    {
      id: 'ask',
      task: 'approval',
      startWhen: 'event:extract.completed',
      inputBindings: { message: 'Go on?', approvers: ['role:approver'] },
    },
  ],
})

// Enter does not take what came up this very moment, lest the end of a line takes it: such an offer is clicked.
const offers = (page: Page) => page.locator('.cm-tooltip-autocomplete')
const line = (page: Page, text: string) => page.locator('.cm-line', { hasText: text }).first()

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(card(page, 'extract')).toBeVisible()
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await code(page).click()
}

test('keys, tasks, events and inputs are offered from the schemas, and explained', async ({
  page,
  server,
}) => {
  await restClient(server).define(plain('offered'))
  await open(page, 'offered')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('  - id: report\nta')
  await expect(offers(page).getByRole('option').first()).toContainText('task')
  await completionsTakeAChoice(page)
  await offers(page).getByRole('option').first().click()
  // A key that was chosen asks for its value at once.
  await expect(offers(page)).toContainText('file.write')
  await page.keyboard.type('file')
  await expect(offers(page).getByRole('option')).toHaveCount(1)
  await completionsTakeAChoice(page)
  await page.keyboard.press('Enter')
  await page.keyboard.type('\nstartWhen: event:as')
  await expect(offers(page).getByRole('option').first()).toContainText('event:ask.approved')
  await completionsTakeAChoice(page)
  await offers(page).getByRole('option').first().click()
  await page.keyboard.type('\ninputB')
  await expect(offers(page).getByRole('option').first()).toContainText('inputBindings')
  await completionsTakeAChoice(page)
  await offers(page).getByRole('option').first().click()
  await expect(offers(page)).toContainText('content')
  await page.keyboard.type('path')
  await expect(offers(page).getByRole('option')).toHaveCount(1)
  await completionsTakeAChoice(page)
  await page.keyboard.press('Enter')
  await page.keyboard.type('report.txt\ncontent: done')
  await expect(page.getByText('No problems')).toBeVisible()
  await expect(card(page, 'report')).toContainText('file.write')

  // On the word: a line is as wide as the code.
  await line(page, 'task: approval').hover({ position: { x: 100, y: 10 } })
  await expect(page.locator('.cm-tooltip-hover')).toContainText(
    'Waits until the listed people approve or reject.',
  )
})

test('problems are marked at their place and lead there; cursor and selection go together', async ({
  page,
  server,
}) => {
  await restClient(server).define(plain('marked'))
  await open(page, 'marked')
  await page.keyboard.press('Control+End')
  await page.keyboard.type('  - id: last\ntask: log\nstartWhen: event:asc.approved\nlevl: 1')
  await page.keyboard.press('Escape')
  const mark = page.locator('.cm-lintRange-error')
  await expect(mark.filter({ hasText: 'event:asc.approved' })).toBeVisible()
  await expect(mark.filter({ hasText: 'levl: 1' })).toBeVisible()

  // A cursor in the lines of a node selects it; a node that is selected is shown in the code.
  await line(page, 'Extract').click()
  await expect(page.locator('.react-flow__node[data-id="extract"]')).toHaveClass(/selected/)
  await page.getByRole('list', { name: 'Problems' }).getByRole('button', { name: /levl/ }).first().click()
  await expect(page.locator('.cm-activeLine')).toContainText('levl: 1')
  await expect(code(page)).toBeFocused()
  await expect(page.locator('.react-flow__node[data-id="last"]')).toHaveClass(/selected/)
  // The canvas moves to the node first; a click while it moves falls beside the card.
  await expect(card(page, 'last')).toBeInViewport({ ratio: 0.99 })
  await card(page, 'ask').click()
  await expect(page.locator('.cm-activeLine')).toContainText('id: ask')
})

test('no letter is lost, Tab is no trap, and what is too large is refused in words', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(plain('typed'))
  await open(page, 'typed')
  await line(page, 'name: Code typed').click()
  await page.keyboard.press('End')
  // Saved before the pause in which it would be read.
  await page.keyboard.type(' now')
  await publishDraft(page, 2)
  const { body } = await rest.call('GET', '/pipelines/typed')
  expect((body as { definition: { name: string } }).definition.name).toBe('Code typed now')

  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(code(page)).not.toBeFocused()

  await code(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText('x'.repeat(5_000_001))
  await expect(page.getByText('The code would be larger than 5 MB.', { exact: false }).first()).toBeVisible()
  await expect(code(page)).toContainText('Code typed now')
  await page.keyboard.insertText('] }} {{ : - garbage\n'.repeat(200))
  await expect(page.getByRole('list', { name: 'Problems' })).toContainText('line')
  await expect(card(page, 'extract')).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(page.getByText('No problems')).toBeVisible()
  await expect(code(page)).toContainText('Code typed now')
})
