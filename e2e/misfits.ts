// What does not fit on a page.
import type { Page } from '@playwright/test'
import { expect } from './fixture'

/** A window in which everybody should be able to work, and one of a phone. */
export const screens = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** Waits until a page shows everything and stands still. */
export async function isSettled(page: Page): Promise<void> {
  await expect(page.getByRole('status', { name: /^(Loading|Arranging|Drawing)/ })).toHaveCount(0)
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0)
  await page.evaluate(() => document.fonts.ready)
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (each) => each.playState !== 'running' || each.effect?.getComputedTiming().iterations === Infinity,
      ),
  )
}

/**
 * A page that is wider than its window; a scrollbar for a few pixels; two scrollbars beside each other: of the page and of what fills it, or
 * of two areas of which the inner fills the outer.
 */
export const misfits = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    /** So little nobody scrolls for. */
    const stub = 8
    /** So much of another area does one fill that both scrollbars stand beside each other. */
    const filling = 0.6
    const root = document.documentElement
    const found: string[] = []
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.getAttribute('class') ?? ''}`
        .trim()
        .slice(0, 80)
    if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} wide`)
    // Below a dialog the page does not scroll.
    const isStill = [root, document.body].some((one) => getComputedStyle(one).overflowY === 'hidden')
    const down: Element[] = root.scrollHeight > innerHeight && !isStill ? [root] : []
    if (down.length > 0 && root.scrollHeight <= innerHeight + stub)
      found.push(`the page: ${root.scrollHeight - innerHeight} pixels to scroll down`)
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const { overflowX, overflowY } = getComputedStyle(element)
      const high = element.scrollHeight - element.clientHeight
      const wide = element.scrollWidth - element.clientWidth
      const scrollsDown = /auto|scroll/.test(overflowY) && high > 0
      if (scrollsDown) down.push(element)
      if (scrollsDown && high <= stub) found.push(`${nameOf(element)}: ${high} pixels to scroll down`)
      if (/auto|scroll/.test(overflowX) && wide > 0 && wide <= stub)
        found.push(`${nameOf(element)}: ${wide} pixels to scroll right`)
    }
    for (const outer of down)
      for (const inner of down)
        if (outer !== inner && outer.contains(inner) && inner.clientHeight > filling * outer.clientHeight)
          found.push(`${nameOf(inner)} scrolls within ${outer === root ? 'the page' : nameOf(outer)}`)
    return found
  })
