// People open the gates: from the inbox, in two tabs, with a form, by the keyboard alone.
import type { Locator, Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, test, type Rest } from './fixture'
import { asking } from './pipelines'
import { middleOf, slowClick } from './pointer'

const statusOf = (rest: Rest, id: string) => async () => (await rest.execution(id)).status

test.describe('approvals', () => {
  test.beforeAll(async ({ server }) => {
    const rest = restClient(server)
    await rest.define(asking('ask_inbox', { message: 'Shall the inbox decide?' }))
    await rest.define(asking('ask_twice', { message: 'Who is first?' }))
    await rest.define(asking('ask_keys', { message: 'By the keyboard?' }))
    await rest.define(
      asking('ask_form', {
        message: 'How many?',
        form: { count: { type: 'number', title: 'How many', required: true, minValue: 1 } },
      }),
    )
  })

  test('the inbox counts what waits, shows what is decided on, and approves in two steps', async ({
    page,
    rest,
  }) => {
    await page.goto('/approvals')
    await expect(page.getByText('Nobody is waiting for a decision')).toBeVisible()
    await markDocument(page)
    const id = await rest.start('ask_inbox')
    const item = page.getByRole('article').filter({ hasText: 'Shall the inbox decide?' })
    await expect(item).toBeVisible()
    await expect(item.getByRole('heading')).toHaveText('May it go on?')
    await expect(item.getByRole('link', { name: 'Ask first' })).toBeVisible()
    await expect(page.getByLabel('1 waiting')).toBeVisible()
    await expect(page).toHaveTitle(/^\(1\) /)
    await item.getByRole('button', { name: 'Approve…' }).click()
    await item.getByLabel('Comment').fill('yes')
    await item.getByRole('button', { name: 'Back' }).click()
    expect((await rest.execution(id)).status).toBe('waiting')
    await item.getByRole('button', { name: 'Approve…' }).click()
    await expect(item.getByLabel('Comment')).toHaveValue('yes')
    await item.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(page.getByText('Nobody is waiting for a decision')).toBeVisible()
    await expect.poll(statusOf(rest, id)).toBe('completed')
    const approved = (await rest.events(id)).find((event) => event.type === 'ask.approved')
    expect(approved?.payload).toMatchObject({ comment: 'yes' })
    await expectSameDocument(page)
  })

  test('a rejection from the page takes the other way and keeps its comment', async ({ page, rest }) => {
    const id = await rest.start('ask_inbox')
    await page.goto(`/executions/${id}`)
    await slowClick(page, await middleOf(card(page, 'ask')))
    const panel = page.getByRole('region', { name: 'Node May it go on?' })
    await panel.getByRole('button', { name: 'Reject…' }).click()
    await panel.getByLabel('Comment').fill('not today')
    await panel.getByRole('button', { name: 'Confirm rejection' }).click()
    await expect(card(page, 'ask')).toHaveAttribute('data-status', 'rejected')
    await expect(card(page, 'act')).toHaveAttribute('data-status', 'skipped')
    await expect(card(page, 'step_back')).toHaveAttribute('data-status', 'completed')
    await expect(panel.getByRole('paragraph').filter({ hasText: /^not today$/ })).toBeVisible()
    await expect(panel.getByRole('button', { name: 'Approve…' })).toHaveCount(0)
  })

  test('the header of a waiting run decides, beside the chart and the table that the question is about', async ({
    page,
    rest,
  }) => {
    const id = await rest.start('seattle_weather')
    await expect.poll(statusOf(rest, id), { timeout: 60_000 }).toBe('waiting')
    await page.goto(`/executions/${id}/events`)
    const asked = page.getByRole('group', { name: 'Decision' })
    await expect(asked).toContainText('Publish "The weather of Seattle"?')
    await asked.getByRole('button', { name: 'Approve… Approve the report' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve the report' })
    await expect(dialog.getByRole('img')).toBeVisible()
    expect(
      await dialog.getByRole('img').evaluate((image: HTMLImageElement) => image.naturalWidth),
      'the chart is drawn',
    ).toBeGreaterThan(100)
    await expect(dialog.getByRole('region', { name: 'Aggregate by month: rows' })).toBeVisible()
    await dialog.getByLabel('Comment').fill('from the header')
    await dialog.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(asked).toHaveCount(0)
    const approved = (await rest.events(id)).find((event) => event.type === 'approval.approved')
    expect(approved?.payload).toMatchObject({ comment: 'from the header' })
  })

  test('a form of an approval tells its mistakes at the field and goes with the decision', async ({
    page,
    rest,
  }) => {
    const id = await rest.start('ask_form')
    await page.goto(`/executions/${id}/graph?node=ask`)
    const panel = page.getByRole('region', { name: 'Node May it go on?' })
    await panel.getByRole('button', { name: 'Approve…' }).click()
    const count = panel.getByLabel('How many')
    await count.fill('many')
    await panel.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(count).toHaveAttribute('aria-invalid', 'true')
    await count.fill('3')
    await panel.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(card(page, 'ask')).toHaveAttribute('data-status', 'completed')
    expect((await rest.execution(id)).nodes['ask']?.outputs).toMatchObject({ form: { count: 3 } })
  })

  test('a decision made in another tab appears in this one, which can decide no more', async ({
    page,
    context,
    rest,
  }) => {
    const id = await rest.start('ask_twice')
    const place = `/executions/${id}/graph?node=ask`
    const other = await context.newPage()
    await Promise.all([page.goto(place), other.goto(place)])
    for (const tab of [page, other]) await tab.getByRole('button', { name: 'Approve…', exact: true }).click()
    await markDocument(other)
    await page.getByLabel('Comment').fill('I was first')
    await page.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(other.getByRole('paragraph').filter({ hasText: /^I was first$/ })).toBeVisible()
    await expect(other.getByRole('button', { name: 'Confirm approval' })).toHaveCount(0)
    await expect(card(other, 'ask')).toHaveAttribute('data-status', 'completed')
    await expectSameDocument(other)
    const decisions = (await rest.events(id)).filter((event) => event.type === 'ask.approved')
    expect(decisions).toHaveLength(1)
  })

  test('by the keyboard alone a run is started and approved', async ({ page, rest }) => {
    await page.goto('/')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox')).toBeFocused()
    await page.keyboard.type('ask_keys')
    await expect(page.getByRole('option', { name: /ask_keys/ }).first()).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1, name: 'Ask first' })).toBeVisible()

    await tabTo(page, page.getByRole('button', { name: 'Run…' }))
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await tabTo(page, page.getByRole('button', { name: 'Start run' }))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/executions\//)
    const id = /executions\/([^/?]+)/.exec(page.url())?.[1] ?? ''

    await expect(card(page, 'ask')).toHaveAttribute('data-status', 'waiting')
    await tabTo(page, page.locator('.react-flow__node[data-id="ask"]'))
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: 'Node May it go on?' })
    await expect(panel).toBeVisible()
    await tabTo(page, panel.getByRole('button', { name: 'Approve…' }))
    await page.keyboard.press('Enter')
    await expect(panel.getByLabel('Comment')).toBeFocused()
    await page.keyboard.type('without a mouse')
    await tabTo(page, panel.getByRole('button', { name: 'Confirm approval' }))
    await page.keyboard.press('Enter')
    await expect(card(page, 'act')).toHaveAttribute('data-status', 'completed')
    await expect.poll(statusOf(rest, id)).toBe('completed')
  })
})

/** Presses Tab until the focus stands on the target; far more often than any page needs is a trap. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error('the focus never came to the target')
}
