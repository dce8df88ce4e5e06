// A node is tried by itself over pinned data, the last try and the last run; what changed since is told. Real keys and pointers.
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, test } from './fixture'
import { connect } from './pointer'

const STARTED = 'event:pipeline.started'
const rows = [
  { city: 'Seattle', rain: 12 },
  { city: 'Oslo', rain: 7 },
]
const weather = (id: string, more: object = {}) => ({
  schemaVersion: 1,
  id,
  name: `Try ${id}`,
  inputs: { least: { type: 'number', default: 0 } },
  nodes: [
    { id: 'other', task: 'noop', startWhen: STARTED },
    { id: 'fetch', name: 'Fetch', task: 'set', startWhen: STARTED, inputBindings: { rows } },
    {
      id: 'wet',
      name: 'Wet cities',
      task: 'script.javascript',
      startWhen: 'event:fetch.completed',
      inputBindings: {
        code: 'console.log(`${input.rows.length} rows`)\nreturn input.rows.filter((row) => row.rain > input.least)',
        input: { rows: '{{ fetch.rows }}', least: '{{ pipeline.input.least }}' },
      },
      outputVariables: { rows: '{{ result.result }}' },
    },
  ],
  layout: { other: { x: 0, y: 0 }, fetch: { x: 80, y: 140 }, wet: { x: 160, y: 280 } },
  ...more,
})

const panel = (page: Page) => page.getByRole('region', { name: 'Try it' })
const result = (page: Page) => panel(page).getByRole('region', { name: 'Result of the trial' })
const cell = (page: Page, text: string) => result(page).getByRole('cell', { name: text, exact: true })

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([])
  }
}

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(card(page, 'fetch')).toBeVisible()
}

test('nodes are tried one after the other, what they gave is pinned, and a change before them makes it stale', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('tried'))
  await open(page, 'tried')

  // Nothing ran yet: the panel says what is missing, and the node before can be tried.
  await card(page, 'wet').click()
  await expect(panel(page)).toContainText('no data yet')
  await expect(panel(page)).toContainText('Cannot be tried yet')
  await card(page, 'fetch').click()
  await panel(page).getByRole('button', { name: /^Try/ }).click()
  await expect(cell(page, 'Oslo')).toBeVisible()

  // The next one reads what the last try gave.
  await card(page, 'wet').click()
  await expect(panel(page)).toContainText('last try')
  await page.keyboard.press('t')
  await expect(result(page)).toContainText('Completed')
  await expect(cell(page, 'Seattle')).toBeVisible()
  await result(page).getByText('Log, 1 line').click()
  await expect(result(page).getByRole('log')).toHaveText('2 rows')

  await page.keyboard.press('p')
  await expect(page.getByText('Pinned the outputs of wet', { exact: true })).toBeVisible()
  await expect(card(page, 'wet').getByRole('img', { name: 'Has pinned data' })).toBeVisible()

  // What it reads changes: the pin stays, and is told to be stale.
  await connect(page, 'other', 'completed', 'fetch')
  await expect(card(page, 'wet').getByRole('img', { name: /^Stale/ })).toBeVisible()
  await card(page, 'wet').click()
  await expect(panel(page).getByRole('status').filter({ hasText: 'Stale.' })).toContainText(
    'fetch changed since its data was pinned',
  )
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'wet').getByRole('img', { name: /^Stale/ })).toHaveCount(0)

  // Pins outlive the page; tries do not. They go with one button.
  await page.reload()
  await expect(card(page, 'wet').getByRole('img', { name: 'Has pinned data' })).toBeVisible()
  await card(page, 'wet').click()
  await panel(page).getByRole('button', { name: 'Clear all' }).click()
  await expect(card(page, 'wet').getByRole('img', { name: 'Has pinned data' })).toHaveCount(0)
})

test('sample data are written by hand or taken from the last run, for nodes and for inputs', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(weather('sampled'))
  const id = await rest.start('sampled')
  await expect.poll(async () => (await rest.execution(id)).status).toBe('completed')
  await open(page, 'sampled')
  await card(page, 'wet').click()
  await expect(panel(page)).toContainText('run of')
  await panel(page).getByRole('button', { name: 'Edit the data of fetch' }).click()
  const dialog = page.getByRole('dialog')
  const text = dialog.getByRole('textbox')
  await expect(text).toHaveValue(/Seattle/)
  await text.fill('{ "rows": [')
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
  await expect(dialog.getByRole('alert')).toContainText('This is not JSON')
  await text.fill('{ "rows": [{ "city": "Bergen", "rain": 99 }, { "city": "Cairo", "rain": 3 }] }')
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
  await expect(card(page, 'fetch').getByRole('img', { name: 'Has pinned data' })).toBeVisible()

  await panel(page).getByRole('button', { name: 'Edit the data of inputs of the pipeline' }).click()
  await text.fill('{ "least": 50 }')
  await dialog.getByRole('button', { name: 'Pin', exact: true }).click()
  await expect(dialog).toHaveCount(0)
  await page.keyboard.press('t')
  await expect(cell(page, 'Bergen')).toBeVisible()
  await expect(cell(page, 'Cairo')).toHaveCount(0)

  await panel(page).getByRole('button', { name: 'Edit the data of fetch' }).click()
  await dialog.getByRole('button', { name: 'From the last run' }).click()
  await expect(text).toHaveValue(/Seattle/)
  await dialog.getByRole('button', { name: 'Unpin' }).click()
  await expect(card(page, 'fetch').getByRole('img', { name: 'Has pinned data' })).toHaveCount(0)
})

test('a try that fails says why and what it printed; one that never ends is stopped; a gate cannot be tried', async ({
  page,
  server,
}) => {
  const script = (id: string, code: string) => ({
    id,
    task: 'script.javascript',
    startWhen: STARTED,
    inputBindings: { code },
  })
  await restClient(server).define({
    ...weather('failing'),
    nodes: [
      script('fetch', 'console.log("so far")\nthrow new Error("no rain at all")'),
      script('endless', 'for (;;) {}'),
      {
        id: 'ask',
        task: 'approval',
        startWhen: STARTED,
        inputBindings: { message: 'Go?', approvers: ['role:admin'] },
      },
    ],
    layout: { fetch: { x: 0, y: 0 }, endless: { x: 0, y: 120 }, ask: { x: 0, y: 240 } },
  })
  await open(page, 'failing')
  await card(page, 'fetch').click()
  await page.keyboard.press('t')
  await expect(result(page).getByRole('alert')).toContainText('no rain at all')
  await expect(result(page).getByRole('log')).toContainText('so far')
  await expect(panel(page).getByRole('button', { name: /^Pin these/ })).toHaveCount(0)

  await card(page, 'endless').click()
  await page.keyboard.press('t')
  await expect(panel(page)).toContainText('Running')
  await panel(page).getByRole('button', { name: 'Stop' }).click()
  await expect(panel(page).getByRole('button', { name: /^Try/ })).toBeEnabled()
  await card(page, 'ask').click()
  await expect(panel(page)).toContainText('An approval is decided by people')
  await expect(panel(page).getByRole('button', { name: /^Try/ })).toHaveCount(0)
})
