// Every page and every dialog, on a wide and on a narrow screen: it has one scrollbar where it needs one, and nothing is cut.
import type { Page } from '@playwright/test'
import { expect, test } from './fixture'
import { isSettled, misfits, screens } from './misfits'
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
import { failing } from './pipelines'

test.use({ serverEnv })
test.describe.configure({ timeout: 300_000 })

/** What does not fit, by page and screen. */
type Found = Record<string, string[]>

async function measure(page: Page, name: string, found: Found): Promise<void> {
  for (const screen of screens) {
    await page.setViewportSize(screen)
    await isSettled(page)
    const misfit = await misfits(page)
    if (misfit.length > 0) found[`${name} at ${screen.width}`] = misfit
  }
}

const lookWith =
  (page: Page, found: Found): Look =>
  async (state, pages) => {
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path)
      await measure(page, `${name}, ${state}`, found)
    }
  }

for (const [title, visit] of [
  ['while there is nothing', nothing],
  ['while much goes on', muchGoesOn],
  ['of runs within runs', runsWithinRuns],
  ['of runs in every status', everyStatusOfARun],
  ['of runs with marks', markedRuns],
] as const)
  test(`every page fits ${title}`, async ({ page, rest, provoked }) => {
    provoked(/404/)
    const found: Found = {}
    await visit(rest, lookWith(page, found))
    expect(found).toEqual({})
  })

test('every dialog fits', async ({ page, rest }) => {
  await rest.define(failing('dialogs_fail'))
  const failed = await rest.start('dialogs_fail')
  await expect.poll(async () => (await rest.execution(failed)).status, { timeout: 30_000 }).toBe('failed')
  const waiting = await waitingRun(rest)
  const found: Found = {}
  const open = async (name: string, path: string, press: (page: Page) => Promise<void>) => {
    await page.setViewportSize(screens[0])
    await page.goto(path)
    await isSettled(page)
    await press(page)
    await expect(page.getByRole('dialog').or(page.getByRole('form')).first()).toBeVisible()
    await measure(page, name, found)
  }
  const button = (name: string | RegExp) => (on: Page) => on.getByRole('button', { name }).first().click()
  await open('decision', `/executions/${waiting}`, button(/^Approve…/))
  await open('decision in the panel', `/executions/${waiting}/graph?node=approval`, (on) =>
    on.getByRole('region', { name: /^Node/ }).getByRole('button', { name: 'Approve…' }).click(),
  )
  await open('rerun', `/executions/${failed}`, button(/^Rerun failed/))
  await open('fork', `/executions/${failed}`, button(/^Run again/))
  await open('run', '/pipelines/seattle_weather/executions', button(/^Run/))
  await open('new pipeline', '/pipelines', button('New pipeline'))
  await open('import', '/pipelines', button(/^Import/))
  await open('palette', '/', (on) => on.keyboard.press('Control+k'))
  await open('shortcuts', '/pipelines/seattle_weather', (on) => on.keyboard.press('?'))
  await open('add a node', '/pipelines/seattle_weather', (on) => on.keyboard.press('n'))
  await open('publish', '/pipelines/seattle_weather', (on) => on.keyboard.press('Control+s'))
  await open('outline', '/pipelines/seattle_weather', async (on) => {
    await on.keyboard.press('o')
    await on.keyboard.press('?')
  })
  expect(found).toEqual({})
})
