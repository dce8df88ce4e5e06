// The editor, in both themes and at both widths, held against the rules of axe.
import { restClient } from '@/testing/rest-client'
import { wanted } from './authoring'
import { inEveryLook } from './axe'
import { expect, test } from './fixture'
import { asking } from './pipelines'

test.describe.configure({ timeout: 240_000 })

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(asking('ask'))
  await rest.define(asking('compared'))
  const answer = await fetch(`${server.origin}/api/v1/pipelines/compared`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${server.token}`,
      'content-type': 'application/json',
      'if-match': '1',
    },
    body: JSON.stringify(asking('compared', { message: 'Does it go on?' })),
  })
  expect(answer.ok).toBe(true)
})

// Each edits a pipeline of its own: a draft that one leaves is what the next would find.
test('nothing serious for axe in the outline and the code of a draft, with problems and without', async ({
  page,
  server,
}) => {
  await restClient(server).define(wanted('axe_outline'))
  await page.goto('/pipelines/axe_outline')
  await expect(page.locator('[data-node="read"]')).toBeVisible()
  await expect(page.getByText('No problems')).toBeVisible()
  await page.keyboard.press('o')
  await page.keyboard.press('ArrowDown')
  await inEveryLook(page, 'the outline')
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'F2']) await page.keyboard.press(key)
  await page.keyboard.type('event:nobody.completed')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'Problems' })).toBeVisible()
  await inEveryLook(page, 'the outline with problems')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await inEveryLook(page, 'the form over the outline')
  await page.keyboard.press('Escape')
  await page.keyboard.press(' ')
  await inEveryLook(page, 'what a node can wait for')
  await page.keyboard.press('Escape')
  await page.keyboard.press('o')
  await page.keyboard.press('c')
  await expect(page.locator('.cm-lintRange-error').first()).toBeVisible()
  await inEveryLook(page, 'the code with problems')
  await page.keyboard.press('Control+z')
  await expect(page.getByText('No problems')).toBeVisible()
  await page.keyboard.press('Control+End')
  await page.keyboard.type('pol')
  await expect(page.locator('.cm-tooltip-autocomplete')).toBeVisible()
  await inEveryLook(page, 'the code with what is offered')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+f')
  await inEveryLook(page, 'the search in the code')
})

test('nothing serious for axe in the forms of a draft', async ({ page, server }) => {
  await restClient(server).define(wanted('axe_forms'))
  const opened = async (title: string) => {
    await page.locator('summary', { hasText: title }).click()
  }
  await page.goto('/pipelines/axe_forms?node=read')
  await expect(page.getByText('No problems')).toBeVisible()
  const node = page.getByRole('region', { name: 'Node read' })
  for (const title of ['Outputs', 'For each item', 'Retry', 'Time and order', 'Failure and end'])
    await opened(title)
  await node.getByRole('button', { name: 'Try again' }).click()
  await node.getByRole('button', { name: 'Run for each item of a list' }).click()
  await node.getByRole('button', { name: 'Condition' }).click()
  await expect(page.getByRole('list', { name: 'Problems' })).toBeVisible()
  await inEveryLook(page, 'the form of a node with problems')
  await page.setViewportSize({ width: 1440, height: 900 })
  await node.getByRole('button', { name: 'Enlarge SQL' }).click()
  await inEveryLook(page, 'code that is looked at larger')
  await page.keyboard.press('Escape')
  await page.goto('/pipelines/axe_forms?node=approval')
  await expect(page.getByRole('region', { name: 'Node approval' })).toBeVisible()
  await inEveryLook(page, 'the form of an approval')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+P')
  for (const title of ['Inputs', 'Outputs', 'Triggers', 'Policy', 'Phases', 'Labels']) await opened(title)
  await inEveryLook(page, 'the form of the pipeline')
})

test('nothing serious for axe in what opens over the canvas of a draft', async ({ page, server }) => {
  await restClient(server).define(wanted('axe_canvas'))
  const wide = { width: 1440, height: 900 }
  await page.setViewportSize(wide)
  await page.goto('/pipelines/axe_canvas')
  await expect(page.locator('[data-node="read"]')).toBeVisible()
  await page.keyboard.press('n')
  await inEveryLook(page, 'the palette of tasks')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.keyboard.type('read')
  await inEveryLook(page, 'the search for a node')
  await page.keyboard.press('Escape')
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await inEveryLook(page, 'the menu of the draft', [1440])
  await page.keyboard.press('Escape')
  await page.locator('[data-node="read"]').click({ button: 'right' })
  await expect(page.getByRole('menu')).toBeVisible()
  await inEveryLook(page, 'the menu of a node', [1440])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+S')
  await page.keyboard.type('A note')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+s')
  await expect(page.getByRole('dialog', { name: 'Publish' }).getByLabel('Note')).toBeFocused()
  await inEveryLook(page, 'what is asked before publishing')
})

test('nothing serious for axe in how a pipeline begins, and what differs between two revisions', async ({
  page,
}) => {
  const wide = { width: 1440, height: 900 }
  await page.setViewportSize(wide)
  await page.goto('/pipelines')
  await page.getByRole('button', { name: 'New pipeline' }).click()
  await page.keyboard.type('Seattle weather')
  await expect(page.getByText('already has this id')).toBeVisible()
  await inEveryLook(page, 'the dialog of a new pipeline')
  await page.keyboard.press('Escape')
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: 'Import…' }).click()
  await page.getByLabel('or paste it here').fill('schemaVersion: 1\nid: ask\nnodes: [{ id: a, task: nope }]')
  await inEveryLook(page, 'the dialog of an import')
  await page.goto('/pipelines/compared/revisions?from=1&to=2')
  await expect(page.getByRole('list', { name: 'Revisions' })).toBeVisible()
  await inEveryLook(page, 'what differs between two revisions')
})
