// An example is authored anew, by code alone, and what comes out is the example: but for its places on the canvas.
import { EXAMPLE, exported, wanted } from './authoring'
import { expect, publishDraft, test } from './fixture'

test('Seattle weather is authored by code alone', async ({ page, rest }) => {
  await page.goto('/pipelines')
  await page.getByRole('button', { name: 'New pipeline' }).click()
  await page.keyboard.type('By code')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/pipelines\/by_code$/)
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  const code = page.getByRole('textbox', { name: 'Definition as YAML' })
  await expect(code).toBeFocused()
  await expect(code).toContainText('nodes: []')
  await page.keyboard.press('Control+a')
  // The head is typed, letter by letter; the rest comes from elsewhere.
  await page.keyboard.type('schemaVersion: 1\nid: by_code\nname: Seattle weather')
  await page.keyboard.type(' report\n')
  await page.keyboard.insertText(EXAMPLE.slice(EXAMPLE.indexOf('description:'), EXAMPLE.indexOf('layout:')))
  await expect(page.getByText('No problems')).toBeVisible()
  await publishDraft(page, 1)
  expect(await exported(rest, 'by_code')).toEqual(wanted('by_code'))
})
