// The journey that the product is made for: sign in, run, watch, decide, read the report.
import { card, expect, expectSameDocument, markDocument, signInLink, test } from './fixture'

// a server of its own, whose link nobody has spent
test.use({ serverEnv: { PENSTOCK_LOG_LEVEL: 'warn' } })

test.describe('from the sign-in link to the report', () => {
  // by the link itself, not by a session that somebody else began
  test.use({ storageState: { cookies: [], origins: [] } })

  test('a person signs in, runs an example, approves it in the page and opens its report', async ({
    page,
    server,
    rest,
    context,
    provoked,
  }) => {
    // the report lies in a sandbox: what looks into it for this test is refused too
    provoked(/Blocked script execution in '[^']*\/artifacts\//)
    await page.goto('/pipelines')
    await expect(page).toHaveURL(/\/sign-in\?next=/)
    await page.goto(signInLink(server))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page).toHaveURL(`${server.origin}/`)

    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pipelines' }).click()
    await page.getByRole('link', { name: 'Seattle weather report' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Seattle weather report' })).toBeVisible()
    await markDocument(page)
    await page.getByRole('button', { name: 'Run…' }).click()
    const form = page.getByRole('dialog', { name: 'Run Seattle weather report' })
    await form.getByLabel('title').fill('Rain over Seattle')
    await form.getByRole('button', { name: 'Start run' }).click()

    await expect(page).toHaveURL(/\/executions\/[^/]+/)
    const id = /executions\/([^/?]+)/.exec(page.url())?.[1] ?? ''
    await expect(card(page, 'read')).toHaveAttribute('data-status', 'completed')
    await expect(card(page, 'approval')).toHaveAttribute('data-status', 'waiting', { timeout: 30_000 })
    // live: what waits for the approval goes on under our eyes, in the document that started the run
    await expect(card(page, 'publish')).toHaveAttribute('data-status', 'pending')
    await expect(page).toHaveTitle(/^\(\d+\) Waiting · Seattle weather report/)

    await card(page, 'approval').click()
    const panel = page.getByRole('region', { name: 'Node Approve the report' })
    const asked = 'Publish "Rain over Seattle"? 1461 days, 641 of them with rain'
    await expect(panel.getByRole('paragraph').filter({ hasText: asked })).toBeVisible()
    await panel.getByRole('button', { name: 'Approve…' }).click()
    // the first step sends nothing
    expect((await rest.execution(id)).status).toBe('waiting')
    await panel.getByLabel('Comment').fill('The numbers are right.')
    await panel.getByRole('button', { name: 'Confirm approval' }).click()
    await expect(panel.getByRole('paragraph').filter({ hasText: 'The numbers are right.' })).toBeVisible()
    await expect(card(page, 'publish')).toHaveAttribute('data-status', 'completed', { timeout: 30_000 })
    await expect(page).toHaveTitle(/Completed · Seattle weather report/)
    await expectSameDocument(page)

    await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Files' }).click()
    const opening = context.waitForEvent('page')
    const link = page.getByRole('table').getByRole('link', { name: 'report.html' })
    const answer = context.waitForEvent('response', (response) => response.url().includes('/artifacts/'))
    await link.click()
    const report = await opening
    expect((await answer).headers()['content-security-policy']).toContain('sandbox')
    await expect(report.getByRole('heading', { name: 'Rain over Seattle' })).toBeVisible()
    await expect(report.getByText(/1461 days from 2012-01-01 to 2015-12-31/)).toBeVisible()
    await expect(report.getByText(/rained on 641 of them/)).toBeVisible()
    await expect(report.locator('svg .mark-rect path')).toHaveCount(12)
    await expect(report.getByRole('row')).toHaveCount(13)
    await expectSameDocument(page)

    const table = page.getByRole('link', { name: /\.csv/ }).first()
    const csv = await page.request.get((await table.getAttribute('href')) ?? '')
    expect(csv.headers()['x-content-type-options']).toBe('nosniff')
    const lines = (await csv.text()).trim().split(/\r?\n/)
    expect(lines[0]).toBe('month,name,days,rain_days,warmest,coldest,precipitation')
    expect(lines).toHaveLength(13)
    const days = lines.slice(1).map((line) => line.split(',').map(Number))
    expect(days.reduce((sum, line) => sum + (line[2] ?? 0), 0)).toBe(1461)
    expect(days.reduce((sum, line) => sum + (line[3] ?? 0), 0)).toBe(641)
  })

  test('a link that was spent opens nothing', async ({ page, server, context, provoked }) => {
    // The page that is signed out under its feet may ask once more.
    provoked(/status of 401 \(Unauthorized\)/)
    for (const time of ['first', 'second']) {
      await context.clearCookies()
      await page.goto(signInLink(server))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL((url) => !url.searchParams.has('token'), { timeout: 10_000 })
      if (time === 'second') await expect(page.getByText(/This link no longer works/)).toBeVisible()
    }
    await page.goto('/executions')
    await expect(page).toHaveURL(/\/sign-in\?next=/)
  })
})
