// A pipeline is changed by real pointer and key events: on the canvas, in the code, by the keyboard. One history over all of it.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { openAt } from './editor-page'
import { card, expect, publishDraft, test } from './fixture'
import type { Rest } from './fixture'
import { pair } from './pipelines'
import { connect, drag, edge, middleOf, slowClick } from './pointer'

const STARTED = 'event:pipeline.started'
const plain = (id: string) => pair(id, `Edit ${id}`, STARTED)

async function saved(rest: Rest, id: string) {
  const { body } = await rest.call('GET', `/pipelines/${id}`)
  return body as {
    revision: number
    definition: {
      nodes: { id: string; startWhen: string }[]
      layout: Record<string, { x: number; y: number }>
    }
  }
}

const gates = async (rest: Rest, id: string) =>
  Object.fromEntries((await saved(rest, id)).definition.nodes.map((node) => [node.id, node.startWhen]))

const publish = (page: Page) => page.getByRole('button', { name: 'Publish…' })

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(card(page, 'extract')).toBeVisible()
}

test('a node is moved, an edge is drawn and taken away, and the start condition says so', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(plain('drawn'))
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('pipelines.open')) asked.push(request.url())
  })
  await open(page, 'drawn')
  // Once, and before the program is there that needs it.
  const early = page.locator('link[rel="preload"][href*="pipelines.open"]')
  expect(asked).toEqual([await early.evaluate((link: HTMLLinkElement) => link.href)])
  await expect(publish(page)).toBeDisabled()

  const at = await middleOf(card(page, 'load'))
  await drag(page, at, { x: at.x + 60, y: at.y + 40 })
  await expect(page.getByText('Draft saved · changed since revision 1')).toBeVisible()
  await connect(page, 'extract', 'failed', 'load')
  await connect(page, 'extract', 'completed', 'load')

  await card(page, 'load').click()
  const condition = page.getByRole('textbox', { name: 'Starts when' })
  await expect(condition).toHaveText('event:extract.failed || event:extract.completed')
  await publish(page).click()
  const dialog = page.getByRole('dialog', { name: 'Publish' })
  await expect(dialog).toContainText('Node Load changed')
  await dialog.getByLabel('Note').fill('Load in every case')
  await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
  await expect(page.getByText('Published revision 2', { exact: true })).toBeVisible()
  await expect(publish(page)).toBeDisabled()
  const { body } = await rest.call('GET', '/pipelines/drawn/revisions')
  expect(body).toMatchObject({ items: [{ revision: 2, note: 'Load in every case' }, { revision: 1 }] })
  expect(await gates(rest, 'drawn')).toEqual({
    extract: STARTED,
    load: 'event:extract.failed || event:extract.completed',
  })
  const { layout } = (await saved(rest, 'drawn')).definition
  expect(layout['extract']).toEqual({ x: 0, y: 0 })
  expect(layout['load']).not.toEqual({ x: 400, y: 160 })

  // What is typed into the condition is drawn, and what is taken away on the canvas is not in it any more.
  await condition.fill('event:extract.skipped && event:external.go')
  await expect(edge(page, 'extract.skipped>load')).toBeAttached()
  await expect(edge(page, 'external.go>load')).toBeAttached()
  // On the line: the middle of the box around it may lie beside it.
  const { x, y } = await edge(page, 'extract.skipped>load')
    .locator('.react-flow__edge-interaction')
    .evaluate((path: SVGPathElement) => {
      const middle = path.getPointAtLength(path.getTotalLength() / 2)
      const { x, y } = middle.matrixTransform(path.getScreenCTM()!)
      return { x, y }
    })
  await page.mouse.click(x, y)
  await expect(edge(page, 'extract.skipped>load')).toHaveClass(/selected/)
  await page.keyboard.press('Delete')
  await expect(edge(page, 'extract.skipped>load')).toHaveCount(0)
  await card(page, 'load').click()
  await expect(page.getByRole('textbox', { name: 'Starts when' })).toHaveText('event:external.go')
})

test('canvas, forms and code share one history; what cannot be read destroys nothing', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(plain('history'))
  await open(page, 'history')
  await card(page, 'load').click()
  await page.getByLabel('Name', { exact: true }).fill('Load all')
  await expect(card(page, 'load')).toContainText('Load all')
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  const code = page.getByRole('textbox', { name: 'Definition as YAML' })
  await expect(code).toContainText('Load all')
  await code.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('nodes: [')
  await expect(page.getByRole('list', { name: 'Problems' })).toContainText('line')
  await publish(page).click()
  await expect(page.getByRole('dialog', { name: 'Publish' })).toContainText('Fix these errors first')
  await page.keyboard.press('Escape')
  await code.click()
  await expect(card(page, 'extract')).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(page.getByText('No problems')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'load')).not.toContainText('Load all')
  await expect(page.getByText('Undone: Change name of load')).toBeVisible()
  await page.getByRole('button', { name: 'Redo' }).click()
  await expect(card(page, 'load')).toContainText('Load all')

  // By the keyboard alone: a node is found, added behind the selected one, and saved.
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'Search for a task' }).fill('nothing at')
  await page.keyboard.press('Enter')
  await expect(card(page, 'noop')).toBeVisible()
  await publishDraft(page, 2)
  expect(await gates(rest, 'history')).toEqual({
    extract: STARTED,
    load: STARTED,
    noop: 'event:load.completed',
  })
})

test('what is proven of the start conditions is told, leads to its node, and is mended in one step', async ({
  page,
  rest,
  server,
}) => {
  const gate = { message: 'Publish?', approvers: ['role:approver'] }
  await restClient(server).define({
    ...plain('proven'),
    nodes: [
      { id: 'extract', task: 'noop', startWhen: STARTED },
      { id: 'ask', task: 'approval', startWhen: 'event:extract.completed', inputBindings: gate },
      { id: 'publish', task: 'noop', startWhen: 'event:ask.approved || event:extract.completed' },
    ],
    layout: {},
  })
  await open(page, 'proven')
  const problems = page.getByRole('list', { name: 'Problems' })
  await problems
    .getByRole('button', { name: /without|approv/i })
    .first()
    .click()
  await expect(page.getByRole('region', { name: 'Node publish' })).toBeVisible()
  await problems.getByRole('button', { name: /^Fix publish/ }).click()
  await expect(page.getByText('No problems')).toBeVisible()
  await publishDraft(page, 2)
  expect((await gates(rest, 'proven'))['publish']).toBe('event:ask.approved && event:extract.completed')
})

test('a click that takes its time chooses what was pressed: an edge, a node, nothing', async ({
  page,
  server,
}) => {
  await restClient(server).define(pair('slow', 'Slow'))
  await open(page, 'slow')
  const line = edge(page, 'extract.completed>load')
  await slowClick(page, await middleOf(line.locator('.react-flow__edge-path')))
  await expect(line).toHaveClass(/selected/)
  await slowClick(page, await middleOf(card(page, 'load')))
  await expect(page.getByRole('region', { name: 'Node load' })).toBeVisible()
  const { x, y } = await middleOf(card(page, 'extract'))
  await slowClick(page, { x, y: y + 120 })
  await expect(page.getByRole('region', { name: 'Node load' })).toHaveCount(0)
})

test('Escape takes a drag back, what is taken away ends it, and several that are deleted are told', async ({
  page,
  server,
}) => {
  await restClient(server).define(pair('taken', 'Taken'))
  await open(page, 'taken')
  await slowClick(page, await middleOf(card(page, 'load')))
  await expect(page.getByRole('region', { name: 'Node load' })).toBeVisible()
  const from = await middleOf(card(page, 'load'))
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 50, from.y + 40, { steps: 4 })
  await page.keyboard.press('Escape')
  await page.mouse.move(from.x + 90, from.y + 80, { steps: 4 })
  await page.mouse.up()
  expect(await middleOf(card(page, 'load'))).toEqual(from)
  await expect(page.getByRole('button', { name: 'Undo', exact: true })).toBeDisabled()
  await expect(page.getByRole('region', { name: 'Node load' })).toBeVisible()

  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 30, from.y + 20, { steps: 4 })
  await page.keyboard.press('Delete')
  await expect(card(page, 'load')).toHaveCount(0)
  await page.mouse.move(from.x + 60, from.y + 40, { steps: 4 })
  await page.mouse.up()
  await page.keyboard.press('Control+z')
  await expect(card(page, 'load')).toBeVisible()
  // The graph can be worked with as before.
  await slowClick(page, await middleOf(card(page, 'extract')))
  await expect(page.getByRole('region', { name: 'Node extract' })).toBeVisible()

  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await expect(page.locator('[data-node]')).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await expect(page.locator('[data-node]')).toHaveCount(2)
})

test('the panel is made wider by keys and by the pointer, and is as wide the next time', async ({
  page,
  server,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await restClient(server).define(pair('panel', 'Panel'))
  await openAt(page, 'panel', 'load')
  const panel = page.getByRole('region', { name: 'Node load' })
  const width = async () => Math.round((await panel.boundingBox())?.width ?? 0)
  expect(await width()).toBe(400)
  const rim = page.getByRole('separator', { name: 'Width of the panel' })
  await rim.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect.poll(width).toBe(448)
  await drag(page, await middleOf(rim), { x: 800, y: 400 })
  await expect.poll(width).toBe(640)
  await page.reload()
  await expect.poll(width).toBe(640)
  // Narrower than what it holds it cannot be made.
  await drag(page, await middleOf(rim), { x: 1400, y: 400 })
  await expect.poll(width).toBe(320)
})
