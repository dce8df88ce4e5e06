// The panel of a node: its values as a table and a tree, its pictures, its log.
import { readFile } from 'node:fs/promises'
import { expect, test } from './fixture'
import { measured } from './timed-pipelines'

test('input and output are searched, a table is sorted, a picture is seen, the log is filtered and downloaded', async ({
  page,
  rest,
}) => {
  const { nodes, ...definition } = measured('panel_values')
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20"/></svg>'
  await rest.define({
    ...definition,
    nodes: [
      ...nodes,
      {
        id: 'draw',
        name: 'Draw it',
        task: 'file.write',
        startWhen: 'event:begin.completed',
        inputBindings: { path: 'bar.svg', content: picture, content_type: 'image/svg+xml' },
      },
      {
        id: 'much',
        name: 'Make much',
        task: 'script.javascript',
        startWhen: 'event:begin.completed',
        inputBindings: { code: "return 'much '.repeat(300_000)" },
      },
    ],
  })
  const id = await rest.start('panel_values', { word: 'penstock '.repeat(60) })
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBe(null)

  await page.goto(`/executions/${id}/graph?node=work`)
  const panel = page.getByRole('region', { name: 'Node Do the work' })
  const table = panel.getByRole('region', { name: 'Output: result' })
  await expect(table.getByRole('row')).toHaveCount(3)
  await table.getByRole('button', { name: 'length' }).click()
  await expect(table.getByRole('columnheader', { name: 'length' })).toHaveAttribute('aria-sort', 'ascending')
  await expect(table.getByRole('row').nth(1)).toContainText('last')
  const search = panel.getByRole('searchbox', { name: 'Search in input and output' })
  await search.fill('LAST')
  await expect(panel.getByRole('list', { name: 'Output: found' })).toHaveText('result[1].word last')
  await expect(panel.getByRole('list', { name: 'Input: found' })).toContainText('code')
  await search.fill('')
  await expect(table).toBeVisible()

  const log = panel.getByRole('log')
  await expect(log).toContainText('begins')
  await panel.getByLabel('Which lines').selectOption('Errors')
  await expect(log).not.toContainText('begins')
  await panel.getByRole('searchbox', { name: 'Search in the log' }).fill('CAREFUL')
  await expect(log).toContainText('careful with penstock')
  const downloading = page.waitForEvent('download')
  await panel.getByRole('button', { name: 'Download the log' }).click()
  const text = await readFile(await (await downloading).path(), 'utf8')
  expect(text).toMatch(/ stdout begins\n/)
  expect(text).toMatch(/ stderr careful with penstock/)

  await page.goto(`/executions/${id}/graph?node=draw`)
  const image = page.getByRole('img', { name: 'bar.svg' })
  await image.scrollIntoViewIfNeeded()
  await expect.poll(() => image.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(40)

  // What is too large to stand here says so, and is there to be opened.
  await page.goto(`/executions/${id}/graph?node=much`)
  const much = page.getByRole('region', { name: 'Node Make much' })
  await expect(much.getByRole('region', { name: 'Output' })).toHaveText(/result\s*1\.5 MB, saved as a file/)
  await page.getByRole('navigation', { name: 'Run' }).getByRole('link', { name: 'Variables' }).click()
  await page.getByRole('button', { name: /^much\.result 1\.5 MB, saved as a file/ }).click()
  const whole = await page.getByRole('link', { name: 'Open the whole value' }).getAttribute('href')
  expect(await (await page.request.get(whole!)).json()).toBe('much '.repeat(300_000))
})
