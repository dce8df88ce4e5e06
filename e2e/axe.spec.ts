// Every page, in both themes and at both widths, held against the rules of axe.
import { restClient } from '@/testing/rest-client'
import { inBothThemes, inEveryLook, widths } from './axe'
import { expect, test } from './fixture'
import { asking, failing } from './pipelines'

test.describe.configure({ timeout: 240_000 })

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(asking('ask', { form: { why: { type: 'string', required: true } } }))
  await rest.define(failing('fails'))
})

type Runs = { readonly asked: string; readonly failed: string }

const pages = {
  'of lists and pipelines': () => [
    '/',
    '/pipelines',
    '/pipelines?q=nothing-like-it',
    '/pipelines/seattle_weather?node=read',
    '/pipelines/seattle_weather/code',
    '/pipelines/seattle_weather/rehearse?case=1',
    '/pipelines/seattle_weather/rehearse?as=nodes&node=read',
    '/pipelines/seattle_weather/revisions',
    '/pipelines/ask/executions',
    '/pipelines/fails/executions/durations',
    '/executions',
    '/approvals',
    '/health',
    '/queue',
  ],
  'of runs, of what is not there, and of the sign-in': ({ asked, failed }: Runs) => [
    `/executions/${asked}/graph?node=act`,
    `/executions/${failed}/graph?node=import_rows`,
    `/executions/${failed}/timeline`,
    `/executions/${failed}/events`,
    `/executions/${failed}/variables`,
    `/executions/${failed}/artifacts`,
    `/executions/${failed}/summary`,
    `/executions/${failed}/compare`,
    `/executions/${failed}/compare?with=${asked}`,
    '/executions/none',
    '/no/such/page',
    '/sign-in',
    '/sign-in?token=x',
    '/sign-in?error=invalid_link',
  ],
}

for (const width of widths)
  for (const [which, addresses] of Object.entries(pages))
    test(`nothing serious for axe on pages ${which}, ${width} px`, async ({ page, rest, provoked }) => {
      provoked(/404/)
      const runs = { asked: await rest.start('ask'), failed: await rest.start('fails') }
      await page.setViewportSize({ width, height: 900 })
      for (const address of addresses(runs)) {
        await page.goto(address)
        await inBothThemes(page, address)
      }
    })

test('nothing serious for axe in what opens over a page', async ({ page, rest }) => {
  const asked = await rest.start('ask')
  const wide = { width: 1440, height: 900 }
  await page.setViewportSize(wide)
  await page.goto('/pipelines/seattle_weather')
  await page.getByRole('button', { name: 'Run…' }).click()
  await inEveryLook(page, 'the run dialog')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option').first()).toBeVisible()
  await inEveryLook(page, 'the palette')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Menu' }).click()
  await inEveryLook(page, 'the menu', [390])
  await page.keyboard.press('Escape')
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: /^Account/ }).click()
  await inEveryLook(page, 'the account menu', [1440])
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  await inEveryLook(page, 'the shortcuts')
  await page.setViewportSize(wide)
  await page.goto(`/executions/${asked}/graph?node=ask`)
  await page.getByRole('button', { name: 'Approve…', exact: true }).click()
  await inEveryLook(page, 'the decision')
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await inEveryLook(page, 'the cancel dialog')
})
