// Pictures, not judgements: of every page for looking at, and those of the README. Taken only when asked for.
import type { Page } from '@playwright/test'
import { card, expect, test } from './fixture'
import { isSettled } from './misfits'
import {
  everyStatusOfARun,
  markedRuns,
  muchGoesOn,
  nothing,
  runsWithinRuns,
  serverEnv,
  waitingRun,
  type Look,
} from './page-states'
import { gated } from './pipelines'

test.skip(process.env['PENSTOCK_SCREENSHOTS'] !== '1', 'PENSTOCK_SCREENSHOTS=1 takes them')
test.use({ serverEnv })
test.describe.configure({ mode: 'serial' })
test.setTimeout(1_200_000)

const widths = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const
const themes = ['light', 'dark'] as const

async function takeAll(page: Page, state: string, places: Record<string, string>): Promise<void> {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    for (const [size, viewport] of Object.entries(widths)) {
      await page.setViewportSize(viewport)
      for (const [name, path] of Object.entries(places)) {
        await page.goto(path)
        await isSettled(page)
        await page.screenshot({ path: `test-results/pages/${name}-${state}-${size}-${theme}.png` })
      }
    }
  }
}

const lookWith =
  (page: Page): Look =>
  (state, pages) =>
    takeAll(page, state, pages)

test('every page while there is nothing', async ({ page, rest }) => {
  await nothing(rest, lookWith(page))
})

test('every page while much goes on', async ({ page, rest, provoked }) => {
  provoked(/404|401/)
  await muchGoesOn(rest, lookWith(page))
  await page.context().clearCookies()
  await takeAll(page, 'empty', {
    sign_in: '/sign-in',
    sign_in_token: '/sign-in?token=x',
    sign_in_failed: '/sign-in?error=invalid_link',
  })
})

test('tries, lists, runs within runs, a pause', async ({ page, rest }) => {
  await runsWithinRuns(rest, lookWith(page))
})

test('every status of a node and of a run', async ({ page, rest }) => {
  await everyStatusOfARun(rest, lookWith(page))
})

test('runs with handled failures, mocks and errors of many lines', async ({ page, rest }) => {
  await markedRuns(rest, lookWith(page))
})

test('a mark that is not live, and a rehearsal that is refused', async ({ page, rest, provoked }) => {
  provoked(/ERR_|Failed to/)
  await rest.define(gated('gated'))
  await page.route('**/api/v1/stream*', () => {})
  await takeAll(page, 'connecting', { overview: '/' })
  await page.unroute('**/api/v1/stream*')
  for (const theme of themes)
    for (const [size, viewport] of Object.entries(widths)) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize(viewport)
      await page.goto('/executions')
      await expect(page.getByRole('status').filter({ hasText: 'Live' }).first()).toBeAttached()
      await page.context().setOffline(true)
      await expect(
        page
          .getByRole('status')
          .filter({ hasText: /Reconnecting|Updating/ })
          .first(),
      ).toBeAttached({
        timeout: 60_000,
      })
      await page.screenshot({ path: `test-results/pages/executions-offline-${size}-${theme}.png` })
      await page.context().setOffline(false)
      await page.goto('/pipelines/gated/rehearse')
      await isSettled(page)
      await page.screenshot({ path: `test-results/pages/rehearse-refused-${size}-${theme}.png` })
      await page.getByRole('textbox', { name: 'version' }).fill('1.2.0')
      await expect(card(page, 'approve')).toBeVisible()
      await card(page, 'approve').click()
      await isSettled(page)
      await page.screenshot({ path: `test-results/pages/rehearse-node-${size}-${theme}.png` })
    }
})

test('the pictures of the README', async ({ page, rest }) => {
  for (const { id, decision } of [
    { id: await waitingRun(rest), decision: 'approved' },
    { id: await waitingRun(rest), decision: 'rejected' },
  ] as const)
    await rest.decide(id, 'approval', decision)
  const flights = await rest.start('flights')
  await expect.poll(async () => (await rest.execution(flights)).status, { timeout: 60_000 }).toBe('completed')
  await rest.start('data_ready')
  const run = await waitingRun(rest)
  await page.setViewportSize(widths.wide)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(`/executions/${run}/graph?node=approval`)
  await expect(card(page, 'approval')).toHaveAttribute('data-status', 'waiting')
  await isSettled(page)
  await page.screenshot({ path: 'docs/images/run.png' })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.goto('/')
  await isSettled(page)
  await page.screenshot({ path: 'docs/images/overview.png' })
})
