// Every page, in both themes and at both widths, held against the rules of axe; and no page pushes itself wider than it is.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { wanted } from './authoring'
import { expect, test } from './fixture'
import { asking, failing } from './pipelines'

const combinations = (['light', 'dark'] as const).flatMap((theme) =>
  [1440, 390].map((width) => ({ theme, width })),
)

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
    .options({ resultTypes: ['violations'] })
    .analyze()
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`)
  expect.soft(serious, where).toEqual([])
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect.soft(overflow, `${where} is wider than the window`).toBe(0)
}

async function inEveryLook(
  page: Page,
  where: string,
  widths: readonly number[] = [1440, 390],
): Promise<void> {
  for (const { theme, width } of combinations) {
    if (!widths.includes(width)) continue
    await page.emulateMedia({ colorScheme: theme })
    await page.setViewportSize({ width, height: 900 })
    await judge(page, `${where}, ${theme}, ${width} px`)
  }
}

test.describe.configure({ timeout: 240_000 })

test.beforeAll(async ({ server }) => {
  const rest = restClient(server)
  await rest.define(asking('ask', { form: { why: { type: 'string', required: true } } }))
  await rest.define(failing('fails'))
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

for (const look of combinations) {
  test(`nothing serious for axe on any page, ${look.theme}, ${look.width} px`, async ({
    page,
    rest,
    provoked,
  }) => {
    provoked(/404/)
    const asked = await rest.start('ask')
    const failed = await rest.start('fails')
    const places = [
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
    ]
    await page.emulateMedia({ colorScheme: look.theme })
    await page.setViewportSize({ width: look.width, height: 900 })
    for (const place of places) {
      await page.goto(place)
      await judge(page, `${place}, ${look.theme}, ${look.width} px`)
    }
  })
}

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
  await page.getByRole('button', { name: 'Approve…' }).click()
  await inEveryLook(page, 'the decision')
  await page.setViewportSize(wide)
  await page.getByRole('button', { name: 'Cancel run' }).click()
  await inEveryLook(page, 'the cancel dialog')
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
