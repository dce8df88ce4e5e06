// What is wrong with a draft is found in a worker while one edits, told in words, shown as a run, and mended in one step.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, test } from './fixture'

const STARTED = 'event:pipeline.started'
const gate = { message: 'Publish?', approvers: ['role:approver'] }
const definition = (id: string) => ({
  schemaVersion: 1,
  id,
  name: `Problems of ${id}`,
  inputs: { station: { type: 'string', default: 'seattle' } },
  nodes: [
    { id: 'extract', task: 'noop', startWhen: STARTED },
    { id: 'ask', task: 'approval', startWhen: 'event:extract.completed', inputBindings: gate },
    { id: 'publish', task: 'noop', startWhen: 'event:ask.approved || event:extract.completed' },
  ],
  layout: { extract: { x: 0, y: 0 }, ask: { x: 0, y: 120 }, publish: { x: 0, y: 240 } },
})

const panel = (page: Page) => page.getByRole('region', { name: 'Problems of the draft' })
const list = (page: Page) => panel(page).getByRole('list', { name: 'Problems', exact: true })

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(card(page, 'extract')).toBeVisible()
}

test('problems are found in a worker, grouped, walked by keys, shown as a run, and mended', async ({
  page,
  server,
}) => {
  await restClient(server).define(definition('told'))
  const worker = page.waitForEvent('worker')
  await open(page, 'told')
  expect((await worker).url()).toContain(server.origin)
  const summary = panel(page).getByRole('button', { name: '1 warning, 1 note' })
  await expect(summary).toBeVisible()

  await list(page)
    .getByRole('button', { name: /can start without the approval/ })
    .first()
    .focus()
  await page.keyboard.press('ArrowDown')
  await expect(list(page).getByRole('button', { name: /the input 'station' is used nowhere/ })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Node publish' })).toBeVisible()
  const how = list(page).getByRole('button', { name: /^Show how: 'publish' can start/ })
  await how.click()
  await expect(how).toHaveAttribute('aria-pressed', 'true')
  await list(page)
    .getByRole('button', { name: /^Fix publish/ })
    .click()
  await expect(panel(page).getByRole('button', { name: '1 note' })).toBeVisible()

  await summary.or(panel(page).getByRole('button', { name: '1 note' })).click()
  await expect(list(page)).toHaveCount(0)
})

test('a misspelt event is mended by what was meant, and a cycle shows its nodes; neither is saved', async ({
  page,
  server,
}) => {
  await restClient(server).define(definition('wrong'))
  await open(page, 'wrong')
  await card(page, 'publish').click()
  const condition = page.getByRole('textbox', { name: 'Starts when' })
  await condition.fill('event:ask.aproved')
  const fix = list(page).getByRole('button', { name: 'Fix publish · startWhen: event:ask.approved' })
  await expect(fix).toBeVisible()
  await fix.click()
  await expect(condition).toHaveText('event:ask.approved')

  await card(page, 'extract').click()
  await condition.fill('event:publish.completed')
  const cycle = list(page).getByRole('button', { name: /nodes wait for each other/ })
  await cycle.click()
  await expect(page.locator('.react-flow__node.selected')).toHaveCount(3)
  await page.keyboard.press('Control+s')
  await expect(page.getByRole('dialog', { name: 'Publish' })).toContainText('Fix these errors first')
  await expect(page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled()
})

test('what is saved is what was examined: the page waits for the verdict on the last key', async ({
  page,
  server,
  rest,
}) => {
  await restClient(server).define(definition('hasty'))
  await open(page, 'hasty')
  await card(page, 'publish').click()
  await page.getByRole('textbox', { name: 'Starts when' }).fill('event:ask.approvedd')
  await page.keyboard.press('Control+s')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Publish' })).toContainText('Fix these errors first')
  const { body } = await rest.call('GET', '/pipelines/hasty')
  expect((body as { revision: number }).revision).toBe(1)
})

test('a problem gives the keyboard to its field, and what is typed before is no shortcut', async ({
  page,
  server,
}) => {
  await restClient(server).define({
    ...definition('focus'),
    nodes: [
      { id: 'extract', task: 'noop', startWhen: STARTED },
      { id: 'ask', task: 'approval', startWhen: 'event:extract.completed', inputBindings: gate },
      { id: 'publish', task: 'log', startWhen: 'event:ask.approved', inputBindings: { message: 'done' } },
    ],
  })
  await open(page, 'focus')
  await card(page, 'publish').click()
  const form = page.getByRole('region', { name: 'Node publish' })
  const message = form.getByRole('textbox', { name: 'Message' })
  await message.fill('{{ extract.nothing }}')
  const problem = list(page).getByRole('button', { name: /has no output 'nothing'/ })
  await problem.focus()
  await page.keyboard.press('n')
  await page.keyboard.press('p')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await card(page, 'extract').click()
  await problem.click()
  await expect(message).toBeFocused()
})

test('an id of another pipeline and a secret that does not exist are problems while one edits', async ({
  page,
  server,
  rest,
}) => {
  await restClient(server).define(definition('ids'))
  await page.goto('/pipelines/ids/code')
  const code = page.getByRole('textbox', { name: 'Definition as YAML' })
  await expect(code).toContainText('id: ids')
  const text = (id: string) =>
    [
      'schemaVersion: 1',
      `id: ${id}`,
      'name: Ids',
      'triggers: [{ id: hook, type: webhook, secret: "secret:no_such" }]',
      'nodes: [{ id: a, task: noop, startWhen: "event:pipeline.started" }]',
    ].join('\n')
  await code.fill(text('greet'))
  const problem = list(page).getByText('The code has “id: greet”, but the id of this pipeline is ids')
  await expect(problem).toBeVisible()
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Publish' })
  await expect(dialog).toContainText('“id: greet”')
  await expect(dialog.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled()
  await page.keyboard.press('Escape')
  await list(page).getByRole('button', { name: 'Fix id: ids' }).click()
  await expect(problem).toHaveCount(0)
  await expect(code).toContainText('id: ids')

  await expect(list(page).getByText("there is no secret 'no_such' yet")).toBeVisible()
  await rest.call('PUT', '/secrets/no_such', { value: 'long enough to be a secret' })
  await page.reload()
  await expect(code).toContainText('no_such')
  await expect(panel(page).getByText('No problems')).toBeVisible()
})
