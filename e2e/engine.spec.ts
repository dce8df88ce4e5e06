// What the engine does beyond one task after the other: lists, tries, runs within runs, a pause; all live in the page.
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, test } from './fixture'
import { itemwise, review, stubborn, talking } from './pipelines'

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(review('figures'))
  await rest.define(itemwise('figures', '1s'))
  await rest.define(stubborn('stubborn', '20s'))
  await rest.define(talking('talker', 12, 400))
})

test('[R-55, R-72, R-75, N-8] a list with a failing item, a pause, and a decision in a run within the run', async ({
  page,
  rest,
}) => {
  const id = await rest.start('figures')
  await page.goto(`/executions/${id}/graph?node=months`)
  await markDocument(page)
  const months = page.getByRole('region', { name: 'Node Read each month' })

  // The list: four are done, one was tried twice and is allowed to fail.
  await expect(card(page, 'months')).toHaveAttribute('data-status', 'completed', { timeout: 30_000 })
  const figures = '4 of 5 completed, 1 failed'
  await expect(card(page, 'months').getByRole('img', { name: `Items: ${figures}` })).toBeVisible()
  await expect(months.getByRole('img', { name: `Items: ${figures}` })).toBeVisible()
  const failed = months.locator('section').filter({ hasText: 'Items that failed' })
  await expect(failed).toContainText('Item 2')
  await expect(failed).toContainText('no file for mar')
  const attempts = months.locator('section').filter({ hasText: 'Attempts' }).getByRole('list').first()
  await expect(attempts.locator(':scope > li')).toHaveCount(5)
  await expect(attempts.locator(':scope > li').first()).toContainText(/Item 2.*#1.*Failed.*#2.*Failed/)
  await expect(months.getByRole('log')).toContainText('reading mar')

  // The run within the run waits for a person; the pause holds both.
  await expect(card(page, 'review')).toHaveAttribute('data-status', 'running')
  await expect(card(page, 'review')).toContainText('figures_review')
  await page.getByRole('button', { name: 'Pause run' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Pause this run?' })
  await dialog.getByLabel('Reason').fill('the office is closed')
  await dialog.getByLabel('Stop running tasks and run them again later').check()
  await dialog.getByRole('button', { name: 'Pause run' }).click()
  await expect(page.getByText('Run paused', { exact: true })).toBeVisible()
  await expect(page).toHaveTitle(/Paused · Monthly figures/)
  await expect(page.locator('header [data-status=paused]').first()).toContainText('Paused')
  await expect(page.locator('header').first()).toContainText('Paused by owner: the office is closed')
  await expect(page.getByRole('button', { name: 'Pause run' })).toHaveCount(0)
  const child = (await rest.execution(id)).nodes['review']?.child_execution_id ?? ''
  await expect.poll(async () => (await rest.execution(child)).status).toBe('paused')
  await page.getByRole('button', { name: 'Resume run' }).click()
  await expect(page.getByText('Run resumed', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Resume run' })).toHaveCount(0)
  await expect.poll(async () => (await rest.execution(child)).status).toBe('waiting')

  // Down into the child by the link, back by the breadcrumb, down again by the double-click.
  await card(page, 'review').click()
  await page
    .getByRole('region', { name: 'Node Let them be reviewed' })
    .getByRole('link', { name: 'Open its run' })
    .first()
    .click()
  await expect(page).toHaveURL(new RegExp(`/executions/${child}`))
  await expect(page.getByRole('heading', { level: 1, name: 'Review' })).toBeVisible()
  const back = page.getByRole('navigation', { name: 'Parent run' })
  await expect(back.getByRole('link', { name: 'Monthly figures' })).toBeVisible()
  await back.getByRole('link', { name: 'review' }).click()
  await expect(page).toHaveURL(new RegExp(`/executions/${id}/graph\\?node=review`))
  await card(page, 'review').dblclick({ modifiers: ['ControlOrMeta'] })
  await expect(page).toHaveURL(new RegExp(`/executions/${child}`))

  // The decision in the child carries the parent to its end.
  await card(page, 'ask').click()
  const ask = page.getByRole('region', { name: 'Node Are the figures right?' })
  await ask.getByRole('button', { name: 'Approve…' }).click()
  await ask.getByRole('button', { name: 'Confirm approval' }).click()
  await expect(page).toHaveTitle(/Completed · Review/)
  await page.getByRole('navigation', { name: 'Parent run' }).getByRole('link', { name: 'review' }).click()
  await expect(card(page, 'publish')).toHaveAttribute('data-status', 'completed')
  await expect(page).toHaveTitle(/Completed, with a failure handled · Monthly figures/)
  await expect(page.getByRole('button', { name: /^(Pause|Resume) run/ })).toHaveCount(0)
  await expectSameDocument(page)
})

test('[R-8] a node that is tried again says which try comes, and when', async ({ page, rest }) => {
  const id = await rest.start('stubborn')
  await page.goto(`/executions/${id}/graph?node=push`)
  await expect(card(page, 'push')).toHaveAttribute('data-status', 'retrying')
  await expect(card(page, 'push')).toContainText(/try 2 (in \d+ s|just now)/)
  const panel = page.getByRole('region', { name: 'Node Push the export' })
  await expect(panel).toContainText(/Attempt 2 of 3 at .*, in \d+ s/)
  await expect(panel).toContainText(/#1.*Failed.*again in \d+ s/)
  await page.goto('/executions?status=running')
  await expect(page.getByRole('link', { name: new RegExp(id) })).toBeVisible()
})

test('log lines come by the stream while the attempt runs, and none is asked for again', async ({
  page,
  rest,
}) => {
  const id = await rest.start('talker')
  const asked: string[] = []
  page.on('request', (request) => {
    if (/executions\.logs|\/logs\/stream/.test(request.url())) asked.push(request.url())
  })
  await page.goto(`/executions/${id}/graph?node=talk`)
  await expect(card(page, 'talk')).toHaveAttribute('data-status', 'pending', { timeout: 30_000 })
  await rest.call('POST', '/events', { execution_id: id, event_type: 'external.go' })
  const log = page.getByRole('region', { name: 'Node Talk' }).getByRole('log')
  await expect(log).toContainText('word 12', { timeout: 30_000 })
  await expect(card(page, 'talk')).toHaveAttribute('data-status', 'completed')
  await expect(log.locator(':scope > div')).toHaveText(
    Array.from({ length: 12 }, (_, index) => new RegExp(`word ${index + 1}$`)),
  )
  // one reading before, one stream, one reading after
  expect(asked.filter((url) => url.includes('/logs/stream'))).toHaveLength(1)
  expect(asked.length).toBeLessThanOrEqual(3)
})

test('[N-8] a node that runs a pipeline leads to it from the graph of a revision', async ({
  page,
  server,
}) => {
  await fetch(`${server.origin}/api/v1/pipelines/figures`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json', 'if-match': '1' },
    body: JSON.stringify({ ...itemwise('figures', '1s'), description: 'The second revision' }),
  })
  await page.goto('/pipelines/figures?revision=1&node=review')
  await expect(card(page, 'review')).toContainText('figures_review')
  await page
    .getByRole('region', { name: 'Node Let them be reviewed' })
    .getByRole('link', { name: 'Review', exact: true })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Review' })).toBeVisible()
  await page.goBack()
  await page.locator('.react-flow__node[data-id="review"]').focus()
  await page.keyboard.press('Control+Enter')
  await expect(page).toHaveURL(/\/pipelines\/figures_review/)
})
