// What axe finds in a page, in both themes and at both widths; and no page pushes itself wider than it is.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from './fixture'

const themes = ['light', 'dark'] as const

export const widths = [1440, 390] as const

/** Judges what the page shows now; what fades in is judged when it has. */
async function judge(page: Page, where: string): Promise<void> {
  await expect(page.getByRole('status', { name: /^Loading/ })).toHaveCount(0)
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (each) => each.playState !== 'running' || each.effect?.getComputedTiming().iterations === Infinity,
      ),
  )
  // no page holds frames, so the whole judgement can be made in the page itself
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'], rules: { 'label-content-name-mismatch': { enabled: true } } })
    .analyze()
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  expect.soft(serious, where).toEqual([])
  expect.soft(await mislabelled(page), `${where}: names that do not contain what is seen`).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect.soft(overflow, `${where} is wider than the window`).toBe(0)
}

/**
 * Controls whose accessible name does not contain their visible text, as who speaks to the page reads it aloud. Stricter than the rule of
 * axe, which leaves out punctuation and whatever is no plain text.
 */
const mislabelled = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const plain = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()
    /** What is seen of a control, but for what is hidden from who listens. */
    const seenOf = (control: HTMLElement): string => {
      const hidden = [...control.querySelectorAll<HTMLElement>('[aria-hidden="true"]')]
      return hidden.reduce((text, each) => text.replace(each.innerText, ''), control.innerText)
    }
    return [
      ...document.querySelectorAll<HTMLElement>(
        ':is(a, button, summary, [role="button"], [role="tab"], [role="menuitem"], [role="option"])[aria-label]',
      ),
    ].flatMap((control) => {
      if (!control.checkVisibility()) return []
      const seen = plain(seenOf(control))
      // A sign such as × is no text that somebody could say.
      if (!/[\p{L}\p{N}]/u.test(seen)) return []
      const name = control.getAttribute('aria-label') ?? ''
      return plain(name).includes(seen) ? [] : [`${name} ≠ ${control.innerText}`]
    })
  })

/** Judges what the page shows now in both themes, at the width that it has. */
export async function inBothThemes(page: Page, where: string): Promise<void> {
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    await expect(page.locator('html')).toHaveClass(new RegExp(`\\b${theme}\\b`))
    await judge(page, `${where}, ${theme}, ${page.viewportSize()?.width} px`)
  }
}

/** The same at each of the widths. */
export async function inEveryLook(page: Page, where: string, at: readonly number[] = widths): Promise<void> {
  for (const width of at) {
    await page.setViewportSize({ width, height: 900 })
    await inBothThemes(page, where)
  }
}
