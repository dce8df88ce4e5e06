// What no editor expects: texts that say anything, more than anybody writes, a line that is gone, a pipeline that is deleted meanwhile.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { code, name, openAt, saved } from './editor-page'
import { card, expect, publishDraft, test } from './fixture'
import { hostileTexts, pair } from './pipelines'

const plain = (id: string) => pair(id, `Hostile ${id}`)

const problems = (page: Page) => page.getByRole('list', { name: 'Problems' })
const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true })

/** Pastes as the browser does, without leave of the clipboard. */
const paste = (page: Page, text: string) =>
  page.evaluate((pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
  }, text)

const list = (...ids: string[]) => ids.map((id) => `  - {id: ${id}, task: noop}\n`).join('')
const head = 'schemaVersion: 1\nid: x\nname: X\n'

/** What no definition may say, with what is told of it and how many cards there are; null: those that were there. */
const texts: readonly (readonly [told: string | RegExp, cards: number | null, text: string])[] = [
  ['a definition is a mapping', null, 'just words'],
  [/line 1/, null, '] }} {{ : - x\n\u0001 %PDF-1.4'],
  ['unique', null, `{"id": "x",\n "id": "y", "nodes": []}`],
  ['nested too deeply', null, `{"nodes": ${'['.repeat(300)}${']'.repeat(300)}}`],
  ['nested too deeply', null, `${head}nodes: &a [*a]\n`],
  ['lias', null, `a: &a [1, 1]\nb: &b [*a, *a]\nnodes: [${'*b, '.repeat(200)}]\n`],
  ['nodes', 0, `${head}nodes:\n  a: {task: noop}\n`],
  [/another node/, 1, `${head}nodes:\n  - null\n  - 3\n  - {task: noop}\n${list('a', 'a')}`],
  ['NaN', 2, `${head}nodes:\n${list('a', 'b')}layout: {a: {x: .nan, y: 0}, b: {x: 1.0e+300, y: -.inf}}\n`],
  [
    /id/,
    9,
    `${head}nodes:\n${list('__proto__', 'constructor', `'a"]'`, "'#x>.y'", "''", "'note n'", 'y'.repeat(64))}${list(JSON.stringify(hostileTexts.markup), JSON.stringify(hostileTexts.rightToLeft))}notes:\n  - {id: n, x: 0, y: 200, text: hi}\n`,
  ],
  [
    /./,
    1,
    `schemaVersion: x\nid: [1]\nname: {a: b}\ninputs: [1]\noutputs: no\ntriggers: [{id: {toString: 1}}, [{toString: 1}]]\nphases: [&p {toString: 1}, *p]\nverify: {}\npolicy: []\nlayout: []\nnotes: {}\nnodes:\n  - {id: a, name: [x], task: {a: 1}, pipeline: 3, startWhen: [x], inputBindings: [1], outputVariables: 3, forEach: no, retry: {maxAttempts: {toString: 1}}, timeout: [{toString: 1}], priority: {toString: 1}, phase: [], resources: 3}\n`,
  ],
]

test('a draft that says anything tells what is wrong, breaks no view of it, and is there after a reload', async ({
  page,
  server,
}) => {
  await restClient(server).define(plain('says'))
  await page.goto('/pipelines/says/code')
  await expect(card(page, 'load')).toBeVisible()
  const good = await code(page).innerText()
  for (const [told, cards, text] of texts) {
    await code(page).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
    await expect(problems(page)).toContainText(told)
    if (cards !== null) await expect(page.locator('[data-node]')).toHaveCount(cards)
    await button(page, 'Outline').click()
    if (cards !== null && cards > 0) {
      await button(page, 'Fit the whole graph').click()
      await page.locator('[data-node]').last().click()
    }
    await button(page, 'Pipeline').click()
    await button(page, 'Publish…').click()
    await expect(page.getByRole('dialog', { name: 'Publish' })).toContainText('Fix these errors first')
    await page.keyboard.press('Escape')
    await button(page, 'Code').click()
  }
  await expect(saved(page)).toBeVisible()
  await page.reload()
  await expect(card(page, 'a')).toBeVisible()
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false)
  await code(page).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(good)
  await expect(page.getByText('No problems')).toBeVisible()
})

test('an address of nonsense shows the pipeline, or says what is not there', async ({ page, server }) => {
  await restClient(server).define(plain('asked'))
  for (const query of [
    '?node=__proto__',
    `?node=${encodeURIComponent('"]<script>')}`,
    '?revision=x',
    '/code?node=',
  ]) {
    await page.goto(`/pipelines/asked${query}`)
    await expect(card(page, 'load')).toBeVisible()
  }
  for (const query of ['?from=99&to=x', '?from=-1&to=1e99', '?from=__proto__'])
    await page
      .goto(`/pipelines/asked/revisions${query}`)
      .then(() => expect(page.getByText('Choose two revisions to compare')).toBeVisible())
})

test('what is too much is refused in words, and hundreds of nodes come and go', async ({
  page,
  server,
  provoked,
}) => {
  provoked(/400|422/)
  await restClient(server).define(plain('much'))
  await openAt(page, 'much', 'load')
  await page.keyboard.press('Escape')
  await paste(page, 'x '.repeat(2_000_000))
  await expect(page.getByText(/The clipboard holds no nodes/).first()).toBeVisible()
  await paste(page, `\u0089PNG\r\n\u001a\n${'\0'.repeat(1_000)}`)
  const nodes = Array.from({ length: 600 }, (_, n) => ({
    id: 'same',
    name: `Node ${n}`,
    task: 'noop',
    startWhen: 'event:pipeline.started',
  }))
  await paste(page, JSON.stringify({ nodes }))
  // How many the server takes is its setting: it says so, and what is there stays.
  await page.keyboard.press('Control+s')
  const dialog = page.getByRole('dialog', { name: 'Publish' })
  await expect(dialog.getByLabel('Note')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText('602 nodes are more than the limit of 500')
  await expect(dialog).toContainText('PENSTOCK_MAX_NODES')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(page.getByText('No problems')).toBeVisible()
  await expect(page.locator('[data-node]')).toHaveCount(2)
})

test('a pipeline that is deleted while one edits it leaves the draft, which can be published anew', async ({
  page,
  rest,
  server,
  provoked,
}) => {
  provoked(/404|409/)
  await restClient(server).define(plain('deleted'))
  await openAt(page, 'deleted', 'load')
  await name(page).fill('Before')
  await expect(saved(page)).toBeVisible()
  expect((await rest.call('DELETE', '/pipelines/deleted')).status).toBe(204)
  await name(page).fill('After')
  await expect(saved(page)).toBeVisible()
  await button(page, 'Publish…').click()
  await page
    .getByRole('dialog', { name: 'Publish' })
    .getByRole('button', { name: 'Publish', exact: true })
    .click()
  await expect(page.getByText('The pipeline was deleted.', { exact: false }).first()).toBeVisible()
  await expect(name(page)).toHaveValue('After')
  await expect(page.getByRole('dialog', { name: 'Publish' })).toHaveCount(0)
  await publishDraft(page, 2)
})

test('whoever is signed out keeps what is typed, and it is saved when they come back', async ({
  browser,
  server,
  session,
  provoked,
}) => {
  provoked(/401/)
  await restClient(server).define(plain('signed_out'))
  const context = await browser.newContext({ baseURL: server.origin, storageState: session })
  const page = await context.newPage()
  await openAt(page, 'signed_out', 'load')
  await context.clearCookies()
  await name(page).fill('Typed without a session')
  await expect(page.getByText(/^Only stored in this browser: /)).toBeVisible()
  await context.addCookies(session.cookies)
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await expect(saved(page)).toBeVisible()
  await context.close()
})

test('a server that does not answer for long takes nothing from who edits', async ({
  page,
  server,
  provoked,
}) => {
  provoked(/ERR_FAILED/)
  await restClient(server).define(plain('unanswered'))
  await openAt(page, 'unanswered', 'load')
  let asked = 0
  await page.route('**/api/trpc/**', (route) => {
    if (route.request().url().includes('pipelines.open')) asked += 1
    return route.abort()
  })
  await name(page).fill('Typed into the dark')
  await expect(page.getByText('Offline: stored in this browser')).toBeVisible()
  // Who comes back to the tab has it ask anew, until it gives up.
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    expect(asked).toBeGreaterThanOrEqual(4)
  }).toPass({ intervals: [500] })
  await name(page).fill('Typed on')
  await expect(button(page, 'Undo')).toBeEnabled()
  await page.unroute('**/api/trpc/**')
  await expect(saved(page)).toBeVisible()
})
