// What a person finds on the page of the editor.
import type { Locator, Page } from '@playwright/test'
import { expect } from './fixture'

export const code = (page: Page): Locator => page.getByRole('textbox', { name: 'Definition as YAML' })

/** The name of the node whose form is open. */
export const name = (page: Page): Locator => page.getByLabel('Name', { exact: true })

/** The server has the draft. */
export const saved = (page: Page): Locator => page.getByText(/Draft saved/)

/** Opens a pipeline of which a node is selected. */
export async function openAt(page: Page, id: string, node: string): Promise<void> {
  await page.goto(`/pipelines/${id}?node=${node}`)
  await expect(name(page)).toBeVisible()
}

/** Resolves when the list of completions takes a choice: once it has stood for 75 ms, so that no key that is meant for the text chooses. */
export async function completionsTakeAChoice(page: Page): Promise<void> {
  await page.locator('.cm-tooltip-autocomplete').waitFor()
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
}
