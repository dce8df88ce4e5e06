// What a run says of itself wherever it is shown: failures that were handled, values from mocks, and who can still decide.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { restClient } from '@/testing/rest-client'
import { card, expect, signIn, startWithPages, test } from './fixture'
import { asking, handledOrNot, mocked } from './pipelines'

const handledText = 'Completed, with a failure handled'

test('[R-89] a handled failure is no success: not in lists, not on the page, not as the last good run', async ({
  page,
  rest,
}) => {
  await rest.define(handledOrNot('handled_or_not'))
  const ended = async (broken: boolean) => {
    const id = await rest.start('handled_or_not', { broken })
    await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBeNull()
    return id
  }
  const good = await ended(false)
  const handled = await ended(true)
  const last = await ended(false)

  await page.goto(`/executions/${handled}`)
  await expect(page).toHaveTitle(/Completed, with a failure handled · Handled or not · Penstock$/)
  const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 1 }) })
  await expect(header.getByText(handledText)).toBeVisible()
  await header.getByRole('link', { name: 'Load' }).click()
  await expect(page.getByRole('region', { name: 'Node Load' }).getByRole('alert')).toContainText('no rows')

  // The run after it compares with the good run before it.
  await page.goto(`/executions/${last}`)
  await expect(page.getByRole('link', { name: 'Compare with the good run before' })).toHaveAttribute(
    'href',
    `/executions/${last}/compare?with=${good}`,
  )
  await page.goto(`/executions/${last}/compare`)
  await expect(
    page.getByRole('region', { name: 'Last good run before this one' }).getByRole('link'),
  ).toHaveAttribute('href', new RegExp(`with=${good}$`))
  await page.goto(`/executions/${last}/compare?with=${handled}`)
  await expect(page.getByRole('region', { name: 'The two runs' }).getByText(handledText)).toBeVisible()

  await page.goto('/executions?pipeline=handled_or_not')
  await expect(page.getByRole('row')).toHaveCount(4)
  await expect(page.getByRole('link', { name: `${handledText}: run ${handled}` })).toBeVisible()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('handled')
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('completed')
  await expect(page.getByRole('row')).toHaveCount(3)

  await page.goto('/')
  const failed = page.getByRole('region', { name: 'Failed or rejected lately' })
  const item = failed.getByRole('listitem').filter({ hasText: 'Handled or not' })
  await expect(item).toHaveCount(1)
  await expect(item).toContainText('Failure handled')
  await expect(page.getByText('Nothing failed.')).toHaveCount(0)
})

test('values from mocks are named where somebody decides on them, and the run is marked', async ({
  page,
  rest,
}) => {
  await rest.define(mocked('mocked'))
  const answer = await rest.call('POST', '/pipelines/mocked/executions', {
    mocks: { rows: { outputs: { n: 41 } } },
  })
  const { execution_id: id } = answer.body as { execution_id: string }
  await page.goto('/approvals')
  const item = page.getByRole('article').filter({ hasText: '42 rows are to be published' })
  await expect(item.getByRole('note')).toHaveText('Values from mocks: sum.n (computed from rows)')
  await page.goto(`/executions/${id}/graph?node=ask`)
  const panel = page.getByRole('region', { name: 'Node May it go on?' })
  await expect(panel.getByRole('note')).toHaveText('Values from mocks: sum.n (computed from rows)')
  const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 1 }) })
  await expect(header.getByText('Mocks', { exact: true })).toBeVisible()
  await expect(header.getByText('Mocked, no work was done: Rows')).toBeVisible()
  await page.goto('/executions?pipeline=mocked')
  await expect(page.getByRole('link', { name: `Waiting, Mocks: run ${id}` })).toBeVisible()
  await page.goto('/')
  await expect(
    page.getByRole('region', { name: 'Waiting for people' }).getByRole('listitem').getByText('Mocks'),
  ).toBeVisible()
  await rest.call('POST', `/executions/${id}/cancel`, {})
})

test('[R-51] of two people each is asked once: the form, the inbox and the badge follow', async ({
  browser,
}) => {
  const server = await startWithPages()
  const context = await browser.newContext({ baseURL: server.origin })
  try {
    const rest = restClient(server)
    await rest.define(asking('ask_two', { message: 'Do both agree?', quorum: 2 }))
    await rest.define(asking('ask_other', { message: 'Who else?', excludeRequester: true }))
    const two = await rest.start('ask_two')
    const other = await rest.start('ask_other')
    const page = await context.newPage()
    await signIn(page, server)

    // The owner started the second one: it waits for somebody else, and says so.
    const badge = page.getByLabel(/waiting for you$/)
    await expect(badge).toHaveText('1')
    await page.goto('/approvals')
    await expect(page.getByRole('article')).toHaveCount(1)
    await page.goto(`/executions/${other}/graph?node=ask`)
    const panel = page.getByRole('region', { name: 'Node May it go on?' })
    await expect(panel).toContainText('You started this run, or reran it: somebody else has to decide.')
    await expect(panel.getByRole('button', { name: 'Approve…' })).toHaveCount(0)

    await page.goto(`/executions/${two}/graph?node=ask`)
    await panel.getByRole('button', { name: 'Approve…' }).click()
    await panel.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(panel).toContainText('1 of 2 approvals')
    await expect(panel).toContainText('You have approved this.')
    await expect(panel.getByRole('button', { name: /Approve|Confirm/ })).toHaveCount(0)
    // Without a reload, though the approval still waits.
    await expect(badge).toHaveCount(0)
    await expect(page).toHaveTitle(/^(?!\()/)
    await page.goto('/approvals')
    await expect(page.getByText('Nothing waits for your decision')).toBeVisible()
    await page.getByRole('link', { name: 'See what waits for others' }).click()
    const item = page.getByRole('article').filter({ hasText: 'Do both agree?' })
    await expect(item).toContainText('1 of 2 approvals')
    await expect(item).toContainText('You have approved this.')

    // The session becomes that of somebody else, who is asked for both.
    const database = new Database(join(server.dataDir, 'penstock.db'))
    const owner = database.prepare('SELECT * FROM user').get() as Record<string, unknown>
    const ben = { ...owner, id: 'usr_ben', name: 'ben', email: 'ben@test.invalid', roles: 'approver' }
    const columns = Object.keys(ben)
    const marks = columns.map(() => '?').join(', ')
    database.prepare(`INSERT INTO user (${columns.join(', ')}) VALUES (${marks})`).run(Object.values(ben))
    database.prepare(`UPDATE session SET user_id = 'usr_ben'`).run()
    database.close()
    await page.goto('/approvals')
    await expect(page.getByRole('button', { name: 'Account of ben' })).toBeVisible()
    await expect(badge).toHaveText('2')
    await expect(page.getByRole('article')).toHaveCount(2)
    await item.getByRole('button', { name: 'Approve…' }).click()
    await item.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(page.getByRole('article')).toHaveCount(1)
    await expect(badge).toHaveText('1')
    await expect.poll(async () => (await rest.execution(two)).status).toBe('completed')
    await page.goto(`/executions/${two}/graph?node=ask`)
    await expect(card(page, 'ask')).toHaveAttribute('data-status', 'completed')
    await expect(panel).toContainText('2 of 2 approvals')
  } finally {
    await context.close()
    await server.stop()
  }
})
