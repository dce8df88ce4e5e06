// Every page, in both themes and at both widths, held against the rules of axe; and no page pushes itself wider than it is.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { card, expect, test } from './fixture'
import { asking, failing } from './pipelines'

async function expectNothingSerious(page: Page, where: string): Promise<void> {
  await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
  // what fades in is judged when it has
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (each) => each.playState !== 'running' || each.effect?.getComputedTiming().iterations === Infinity,
      ),
  )
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  expect.soft(serious, where).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect.soft(overflow, `${where} is wider than the window`).toBe(0)
}

for (const theme of ['light', 'dark'] as const)
  for (const width of [1440, 390])
    test(`nothing serious for axe: ${theme}, ${width} px`, async ({ page, rest, provoked }) => {
      provoked(/404/)
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height: 900 })
      const id = `${theme}_${width}`
      await rest.define(asking(`ask_${id}`, { form: { why: { type: 'string', required: true } } }))
      await rest.define(failing(`fails_${id}`))
      const asked = await rest.start(`ask_${id}`)
      const failed = await rest.start(`fails_${id}`)
      const places = [
        '/',
        '/pipelines',
        '/pipelines?q=nothing-like-it',
        '/pipelines/seattle_weather?node=read',
        '/pipelines/seattle_weather/code',
        '/pipelines/seattle_weather/revisions',
        `/pipelines/ask_${id}/executions`,
        '/executions',
        '/approvals',
        `/executions/${asked}/graph?node=act`,
        `/executions/${failed}/graph?node=import_rows`,
        `/executions/${failed}/events`,
        `/executions/${failed}/variables`,
        `/executions/${failed}/artifacts`,
        `/executions/${failed}/summary`,
        '/executions/none',
        '/no/such/page',
        '/sign-in',
        '/sign-in?token=x',
        '/sign-in?error=invalid_link',
      ]
      for (const place of places) {
        await page.goto(place)
        await expectNothingSerious(page, place)
      }
      // what opens over or in a page
      await page.goto('/pipelines/seattle_weather')
      await page.getByRole('button', { name: 'Run…' }).click()
      await expectNothingSerious(page, 'the run dialog')
      await page.keyboard.press('Escape')
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('option').first()).toBeVisible()
      await expectNothingSerious(page, 'the palette')
      await page.keyboard.press('Escape')
      await page.goto(`/executions/${asked}/graph?node=ask`)
      await page.getByRole('button', { name: 'Approve…' }).click()
      await expectNothingSerious(page, 'the decision')
      if (width === 390) {
        await page.getByRole('button', { name: 'Menu' }).click()
        await expectNothingSerious(page, 'the menu')
        await page.keyboard.press('Escape')
      } else {
        await page.getByRole('button', { name: /^Account/ }).click()
        await expectNothingSerious(page, 'the account menu')
        await page.keyboard.press('Escape')
        await page.keyboard.press('?')
        await expect(page.getByRole('dialog')).toBeVisible()
        await expectNothingSerious(page, 'the shortcuts')
        await page.keyboard.press('Escape')
      }
      await page.getByRole('button', { name: 'Cancel run' }).click()
      await expectNothingSerious(page, 'the cancel dialog')
      await page.keyboard.press('Escape')
      await expect(card(page, 'ask')).toHaveCount(1)
    })
