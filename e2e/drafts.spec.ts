// What a person has written is never lost: not by a reload, a second tab, a lost line, the end of the server, or somebody else.
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { startServer } from '@/testing/server-process'
import { code, name, openAt, saved } from './editor-page'
import { card, expect, signInLink, startWithPages, test } from './fixture'
import { pair } from './pipelines'

const plain = (id: string, name = `Draft ${id}`) => pair(id, name)

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page
    .getByRole('dialog', { name: 'Publish' })
    .getByRole('button', { name: 'Publish', exact: true })
    .click()
}

/** Somebody else publishes a revision. */
async function publishedElsewhere(
  server: { origin: string; token: string },
  definition: object,
  ifMatch: number,
) {
  const id = (definition as { id: string }).id
  const answer = await fetch(`${server.origin}/api/v1/pipelines/${id}?note=Of%20another`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'if-match': `${ifMatch}`,
    },
    body: JSON.stringify(definition),
  })
  expect(answer.status).toBe(200)
}

test('a draft is kept over reload, tabs and other pages, and discarded as a step that can be undone', async ({
  page,
  server,
}) => {
  await restClient(server).define(plain('kept'))
  await openAt(page, 'kept', 'load')
  await name(page).fill('Load all of it')
  await expect(saved(page)).toBeVisible()

  // Another tab of the page, and back: neither history nor selection is lost.
  await page.getByRole('link', { name: 'Executions', exact: true }).last().click()
  await expect(page).toHaveURL(/executions$/)
  await page.getByRole('link', { name: 'Editor', exact: true }).click()
  await expect(page).toHaveURL(/kept\?node=load$/)
  await expect(name(page)).toHaveValue('Load all of it')
  await expect(page.getByRole('button', { name: 'Undo', exact: true })).toBeEnabled()

  await page.reload()
  await expect(name(page)).toHaveValue('Load all of it')
  const note = page.getByRole('note')
  await expect(note).toContainText(/Your draft of .*, based on revision 1/)
  // What is typed at the last moment is there as well.
  await name(page).fill('Load everything')
  await page.reload()
  await expect(name(page)).toHaveValue('Load everything')

  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await expect(page).toHaveURL(/kept\/code\?node=load$/)
  await page.reload()
  await expect(code(page)).toContainText('Load everything')

  await note.getByRole('button', { name: 'Discard' }).click()
  await expect(code(page)).not.toContainText('Load everything')
  await expect(page.getByText('Revision 1', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(code(page)).toContainText('Load everything')
})

test('two tabs of one person take in what the other did, and are asked where both changed the same', async ({
  page,
  context,
  server,
  provoked,
}) => {
  provoked(/409/)
  await restClient(server).define(plain('tabs'))
  await openAt(page, 'tabs', 'load')
  const other = await context.newPage()
  await openAt(other, 'tabs', 'load')
  await name(page).fill('Load of the first')
  await expect(saved(page)).toBeVisible()
  await other.getByRole('button', { name: 'Add description' }).click()
  await other.getByLabel('Description').fill('Of the second')
  await expect(other.getByText('Draft saved')).toBeVisible()
  await expect(name(other)).toHaveValue('Load of the first')

  await name(page).fill('One')
  await name(other).fill('Two')
  await page.bringToFront()
  const dialog = (tab: Page) => tab.getByRole('dialog', { name: 'Resolve the conflict' })
  await expect.poll(async () => (await dialog(page).count()) + (await dialog(other).count())).toBe(1)
  const late = (await dialog(page).count()) === 1 ? page : other
  await expect(dialog(late)).toContainText('in another tab')
  await dialog(late).getByRole('button', { name: 'All theirs' }).click()
  await dialog(late).getByRole('button', { name: 'Use this result' }).click()
  await expect(name(late)).toHaveValue(late === page ? 'Two' : 'One')
})

test('without a line it lies in this browser, and is sent when the line is back', async ({
  page,
  context,
  server,
  provoked,
}) => {
  provoked(/ERR_INTERNET_DISCONNECTED|Failed to fetch/)
  await restClient(server).define(plain('offline'))
  await openAt(page, 'offline', 'load')
  await context.setOffline(true)
  await name(page).fill('Written on the train')
  await expect(page.getByText('Offline: stored in this browser')).toBeVisible()
  await context.setOffline(false)
  await expect(saved(page)).toBeVisible()

  // The tab dies before the line is back.
  await context.setOffline(true)
  await name(page).fill('Written in the tunnel')
  await expect(page.getByText('Offline: stored in this browser')).toBeVisible()
  await page.close()
  await context.setOffline(false)
  const again = await context.newPage()
  await openAt(again, 'offline', 'load')
  await expect(name(again)).toHaveValue('Written in the tunnel')
  await expect(saved(again)).toBeVisible()
})

test('a revision of somebody else is brought in before mine is published, and never overwritten', async ({
  page,
  rest,
  server,
  provoked,
}) => {
  provoked(/409/)
  await restClient(server).define(plain('twice'))
  await openAt(page, 'twice', 'load')
  await name(page).fill('Mine')
  await expect(saved(page)).toBeVisible()
  await publishedElsewhere(server, { ...plain('twice'), description: 'Theirs' }, 1)
  await publish(page)
  await expect(
    page.getByText('Revision 2 was published in the meantime.', { exact: false }).first(),
  ).toBeVisible()
  await publish(page)
  await expect(page.getByText('Published revision 3', { exact: true })).toBeVisible()
  const { body } = await rest.call('GET', '/pipelines/twice')
  expect(body).toMatchObject({
    revision: 3,
    definition: { description: 'Theirs', nodes: [{ id: 'extract' }, { name: 'Mine' }] },
  })

  // Both change the same: side by side.
  await name(page).fill('Mine again')
  const theirs = plain('twice')
  theirs.nodes[1]!.name = 'Theirs'
  await publishedElsewhere(server, { ...theirs, description: 'Theirs' }, 3)
  await publish(page)
  const dialog = page.getByRole('dialog', { name: 'Resolve the conflict' })
  await expect(dialog).toContainText('published revision 4')
  await expect(dialog).toContainText('“Of another”')
  await expect(dialog.getByRole('textbox', { name: 'Theirs' })).toContainText('Theirs')
  await dialog.getByRole('textbox', { name: 'Result' }).getByText('Mine again').click()
  await page.keyboard.press('End')
  await page.keyboard.type(' and theirs')
  await dialog.getByRole('button', { name: 'Use this result' }).click()
  await expect(name(page)).toHaveValue('Mine again and theirs')
  await publish(page)
  await expect(page.getByText('Published revision 5', { exact: true })).toBeVisible()
})

test('the end of the server costs nothing of what is typed', async ({ browser, provoked }) => {
  provoked(
    /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|Failed to fetch|network/i,
  )
  const first = await startWithPages()
  await restClient(first).define(plain('killed'))
  const context = await browser.newContext({ baseURL: first.origin })
  const page = await context.newPage()
  await page.goto(signInLink(first))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await openAt(page, 'killed', 'load')
  const port = Number(new URL(first.origin).port)
  process.kill(first.pid, 'SIGKILL')
  await name(page).fill('After the end')
  await expect(page.getByText('Offline: stored in this browser')).toBeVisible()
  const second = await startServer({ dataDir: first.dataDir, port })
  await expect(saved(page)).toBeVisible()
  await context.close()
  await second.stop()
  await first.stop()
})

test('an earlier revision is looked at, compared and restored', async ({ page, rest, server }) => {
  await restClient(server).define(plain('past'))
  const second = plain('past')
  second.nodes[1]!.name = 'Load more'
  second.nodes.push({ id: 'tell', name: 'Tell', task: 'noop', startWhen: 'event:load.completed' })
  await publishedElsewhere(server, second, 1)
  await page.goto('/pipelines/past/revisions')
  await expect(page.getByText('Of another')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Compare revision 1' }).check()
  await page.getByRole('checkbox', { name: 'Compare revision 2' }).check()
  await expect(page).toHaveURL(/from=1&to=2|from=2&to=1/)
  const changes = page.getByRole('list', { name: 'Changes' })
  await expect(changes).toContainText('Node Tell added')
  await expect(changes).toContainText('Load more')
  await expect(card(page, 'tell')).toContainText('added')
  await expect(card(page, 'load')).toContainText('changed')

  await page.getByRole('link', { name: 'Revision 1', exact: true }).click()
  await expect(page.getByText('Revision 1, saved')).toBeVisible()
  await expect(card(page, 'tell')).toHaveCount(0)
  await page.getByRole('button', { name: 'Run revision 1…' }).click()
  await page.getByRole('dialog', { name: /^Run / }).getByRole('button', { name: 'Start run' }).click()
  await expect(page).toHaveURL(/\/executions\//)
  const [, run] = /executions\/([^/?]+)/.exec(page.url())!
  expect((await rest.execution(run!)).revision).toBe(1)
  await page.goto('/pipelines/past?revision=1')
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page).toHaveURL(/\/pipelines\/past$/)
  await expect(card(page, 'load')).not.toContainText('Load more')
  await publish(page)
  await expect(page.getByText('Published revision 3', { exact: true })).toBeVisible()
  expect((await rest.call('GET', '/pipelines/past')).body).toMatchObject({ definition: plain('past') })
})

test('a pipeline begins from nothing, from an example, and from what is imported', async ({ page, rest }) => {
  await page.goto('/pipelines')
  await page.getByRole('button', { name: 'New pipeline' }).click()
  const dialog = page.getByRole('dialog', { name: 'New pipeline' })
  await dialog.getByLabel(/^Name/).fill('Seattle weather')
  await expect(dialog.getByLabel(/^Id/)).toHaveValue('seattle_weather')
  await expect(dialog.getByRole('alert')).toContainText('already has this id')
  await dialog.getByLabel(/^Name/).fill('From nothing')
  await dialog.getByLabel(/^Name/).press('Enter')
  await expect(page).toHaveURL(/\/pipelines\/from_nothing$/)
  await expect(page.getByRole('heading', { level: 1, name: 'From nothing' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Revisions' })).toHaveCount(0)
  await page.goto('/pipelines')
  await page.getByRole('link', { name: 'Continue from_nothing' }).click()
  await expect(page.getByRole('toolbar', { name: 'Editor' })).toBeVisible()
  await page.keyboard.press('n')
  await page.getByRole('textbox', { name: 'Search for a task' }).fill('nothing at')
  await page.keyboard.press('Enter')
  await expect(card(page, 'noop')).toBeVisible()
  await publish(page)
  await expect(page.getByText('Published revision 1', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Run it' }).click()
  await page
    .getByRole('dialog', { name: 'Run From nothing' })
    .getByRole('button', { name: 'Start run' })
    .click()
  await expect(page).toHaveURL(/\/executions\//)

  await page.goto('/pipelines')
  await expect(page.getByText('from_nothing', { exact: true })).toHaveCount(1)
  await page.getByText('Begin from an example').click()
  await page.getByRole('button', { name: 'Use the example Seattle weather report' }).click()
  const copy = page.getByRole('dialog', { name: /^New pipeline from/ })
  await copy.getByLabel(/^Name/).fill('My weather')
  await copy.getByRole('button', { name: 'Open the editor' }).click()
  await expect(page).toHaveURL(/\/pipelines\/my_weather$/)
  await expect(card(page, 'approval')).toBeVisible()

  await page.goto('/pipelines')
  await page.getByRole('button', { name: 'Import…' }).click()
  const importing = page.getByRole('dialog', { name: 'Import a pipeline' })
  const pasted = importing.getByLabel('or paste it here')
  const go = importing.getByRole('button', { name: 'Import', exact: true })
  await pasted.fill('{"nodes": [}')
  await expect(importing).toContainText('Fix these before you import')
  await expect(go).toBeDisabled()
  await pasted.fill('id: other\nnodes:\n  - id: a\n    task: bash\n    depends_on: [b]\n')
  await expect(importing.getByRole('listitem').first()).toBeVisible()
  await expect(go).toBeDisabled()
  await importing.getByLabel('File with a definition').setInputFiles({
    name: 'huge.yaml',
    mimeType: 'application/yaml',
    buffer: Buffer.alloc(6_000_000, 'x'),
  })
  await expect(importing.getByRole('alert')).toContainText('larger than 5 MB')
  await pasted.fill(JSON.stringify(plain('imported')))
  await expect(importing).toContainText('A new pipeline imported')
  await go.click()
  await expect(page).toHaveURL(/\/pipelines\/imported$/)
  await expect(card(page, 'load')).toBeVisible()
  expect((await rest.call('GET', '/pipelines/imported')).status).toBe(404)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'JSON' }).click()
  expect(JSON.parse(readFileSync(await (await download).path(), 'utf8'))).toEqual(plain('imported'))
})
