// The tutorial, word for word: every name that it prints in bold is pressed or seen here, in its order, and its definition is pasted.
import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'
import { card, expect, signInLink, test } from './fixture'

const TUTORIAL = readFileSync('docs/tutorial.md', 'utf8').split('## What next')[0]!
/** What the reader is asked to press or to look for. */
const NAMED = [...TUTORIAL.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name!)
const DEFINITION = /^ *```yaml\n([^]*?)^ *```/m.exec(TUTORIAL)![1]!.replaceAll(/^ {3}/gm, '')

// A server of its own: nobody has used its link, and its data folder is empty.
test.use({ serverEnv: { PENSTOCK_LOG_LEVEL: 'warn' }, storageState: { cookies: [], origins: [] } })

test('the tutorial can be followed word for word', async ({ page, server, context, provoked }) => {
  // The report opens in a sandbox, which also refuses the scripts by which this test looks into it.
  provoked(/Blocked script execution in '[^']*\/artifacts\//)
  const followed: string[] = []
  const press = async (name: string, where: Locator): Promise<void> => {
    followed.push(name)
    await where.click()
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })

  await page.goto(signInLink(server))
  await press('Sign in', button('Sign in'))

  await press('Pipelines', link('Pipelines'))
  await press('Seattle weather report', link('Seattle weather report'))
  await press('Run…', button('Run…'))
  await press('Start run', button('Start run'))
  await expect(card(page, 'approval')).toHaveAttribute('data-status', 'waiting')
  await press('Approve the report', card(page, 'approval').getByText('Approve the report'))
  await press('Approve…', button('Approve…'))
  await page.getByLabel('Comment').fill('It looks right.')
  await press('Confirm approval', button('Confirm approval'))
  await expect(page).toHaveTitle(/Completed · Seattle weather report/)
  await press('Files', page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Files' }))
  const opening = context.waitForEvent('page')
  await press('report.html', page.getByRole('link', { name: 'report.html' }))
  const report = await opening
  await expect(report.getByRole('heading', { name: 'The weather of Seattle' })).toBeVisible()
  await report.close()

  await press(
    'Pipelines',
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Pipelines' }),
  )
  await press('New pipeline', button('New pipeline'))
  await page.keyboard.type('Greet')
  await expect(page.getByLabel('Id')).toHaveValue('greet')
  await press('Open the editor', button('Open the editor'))
  await press('Code', button('Code'))
  await expect(page.getByRole('textbox', { name: 'Definition as YAML' })).toBeFocused()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(DEFINITION)
  await expect(page.getByText('No problems')).toBeVisible()
  await expect(card(page, 'sorry')).toBeVisible()
  await press('Publish…', button('Publish…'))
  await press('Publish', page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }))
  await press('Run…', button('Run…'))
  await page.getByRole('textbox', { name: 'who' }).fill('Ada')
  await press('Start run', button('Start run'))
  await expect(page.getByRole('heading', { level: 1, name: 'Greet' })).toBeVisible()
  const run = page.url()

  await press(
    'Approvals',
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Approvals' }),
  )
  await expect(page.getByText('Say "Hello, Ada!"?')).toBeVisible()
  // One of the two answers that the page offers
  await press('Approve…', button('Approve…'))
  await button('Back').click()
  followed.push('Confirm approval')
  await press('Reject…', button('Reject…'))
  await press('Confirm rejection', button('Confirm rejection'))
  await press('Open the run', button('Open the run'))
  await expect(page).toHaveURL(new RegExp(new URL(run).pathname))
  await expect(card(page, 'sorry')).toHaveAttribute('data-status', 'completed')
  await expect(card(page, 'say')).toHaveAttribute('data-status', 'skipped')

  expect(followed).toEqual(NAMED)
})
