// A pipeline is written in forms, by real pointer and key events: values, expressions, start conditions, names, the pipeline itself.
import type { Page } from '@playwright/test'
import { parse } from 'yaml'
import { restClient } from '@/testing/rest-client'
import { code, completionsTakeAChoice } from './editor-page'
import { card, expect, test } from './fixture'

const STARTED = 'event:pipeline.started'

const weather = (id: string) => ({
  schemaVersion: 1,
  id,
  name: `Forms ${id}`,
  inputs: { station: { type: 'string', default: 'seattle' } },
  nodes: [
    {
      id: 'extract',
      task: 'duckdb.query',
      startWhen: STARTED,
      inputBindings: { sql: 'select i as rain from range(0, 3) t(i)' },
    },
    { id: 'report', task: 'noop', startWhen: 'event:extract.completed' },
    {
      id: 'ask',
      task: 'approval',
      startWhen: 'event:report.completed && {{ extract.row_count > 0 }}',
      inputBindings: { message: 'Publish?', approvers: ['role:approver'] },
    },
  ],
})

async function open(page: Page, id: string, node: string) {
  await page.goto(`/pipelines/${id}`)
  await card(page, node).click()
  return page.getByRole('region', { name: `Node ${node}` })
}

type Nodes = { id: string; [field: string]: unknown }[]

/** What the draft says, read off the code that the editor shows. */
async function drafted(page: Page): Promise<{ nodes: Nodes; [field: string]: unknown }> {
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await expect(code(page)).toBeVisible()
  const lines = await code(page).locator('.cm-line').allTextContents()
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  return parse(lines.join('\n')) as { nodes: Nodes }
}

const nodeIn = async (page: Page, id: string) => (await drafted(page)).nodes.find((node) => node.id === id)

/** The canvas has moved to the node that is selected: brings another one into view. */
async function show(page: Page, id: string): Promise<void> {
  await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  await expect(card(page, id)).toBeInViewport({ ratio: 0.99 })
}

test('a field is a fixed value or an expression, with completion and the value of the last run', async ({
  page,
  server,
}) => {
  const client = restClient(server)
  await client.define(weather('fields'))
  const run = await client.start('fields')
  await expect.poll(async () => (await client.execution(run)).status).toBe('waiting')
  await client.decide(run, 'ask', 'approved')
  await expect.poll(async () => (await client.execution(run)).status).toBe('completed')

  const panel = await open(page, 'fields', 'ask')
  const message = panel.getByRole('textbox', { name: 'Message' })
  await message.fill('')
  // The list then lies over the panel.
  await message.evaluate((field) => field.scrollIntoView({ block: 'center' }))
  await message.pressSequentially('Publish {{ extract.row_c')
  const offered = page.getByRole('option', { name: /extract\.row_count/ })
  await completionsTakeAChoice(page)
  await offered.click()
  await page.keyboard.press('End')
  await page.keyboard.type(' rows?')
  const preview = panel.getByLabel('Preview').filter({ hasText: 'Publish 3 rows?' })
  await expect(preview).toContainText('revision 1')

  // A number becomes an expression and comes back; neither is lost.
  const quorum = panel.getByRole('textbox', { name: 'Approvals needed' })
  await quorum.fill('2')
  await expect(panel.getByText(/only 1 approvers are listed|quorum is 2/)).toHaveCount(0)
  const toggle = panel.getByRole('button', { name: 'Expression for Approvals needed' })
  await toggle.click()
  await expect(quorum).toHaveText('2')
  await quorum.fill('extract.row_count')
  await toggle.click()
  await expect(quorum).toHaveValue('2')
  await toggle.click()
  await expect(quorum).toHaveText('extract.row_count')

  // An optional field that is emptied is not written.
  const deadline = panel.getByRole('combobox', { name: 'Deadline', exact: true })
  await deadline.fill('2d')
  await deadline.fill('')
  const { inputBindings } = (await nodeIn(page, 'ask'))!
  expect(inputBindings).toEqual({
    message: 'Publish {{ extract.row_count }} rows?',
    approvers: ['role:approver'],
    quorum: '{{ extract.row_count }}',
  })
})

test('a form of an approval is made of fields; what is wrong stands at its field', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('approvals_form'))
  const panel = await open(page, 'approvals_form', 'ask')
  await panel.getByRole('button', { name: 'Add to Approvers' }).click()
  await page.keyboard.type('ada')
  await expect(panel.getByText(/an approver is written user:NAME or role:NAME/)).toBeVisible()
  await panel.getByRole('combobox', { name: 'Approvers 2' }).fill('user:ada')
  await expect(panel.getByText(/an approver is written/)).toHaveCount(0)

  // What is moved keeps the focus, and each move is a step of its own.
  const approvers = async () =>
    ((await nodeIn(page, 'ask'))!['inputBindings'] as { approvers: string[] }).approvers
  await panel.getByRole('button', { name: 'Move Approvers 2 up' }).focus()
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('combobox', { name: 'Approvers 1' })).toHaveValue('user:ada')
  await expect(panel.getByRole('button', { name: 'Move Approvers 1 up' })).toBeFocused()
  await panel.getByRole('button', { name: 'Move Approvers 1 down' }).click()
  expect(await approvers()).toEqual(['role:approver', 'user:ada'])
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await approvers()).toEqual(['user:ada', 'role:approver'])
  await page.getByRole('button', { name: 'Undo' }).click()
  expect(await approvers()).toEqual(['role:approver', 'user:ada'])

  await panel.getByRole('button', { name: 'Add to Form' }).click()
  await page.keyboard.type('new_price')
  await page.keyboard.press('Enter')
  await panel.getByLabel('Type', { exact: true }).selectOption({ label: 'number' })
  await panel.getByRole('button', { name: 'More fields' }).click()
  await page.getByRole('menuitem', { name: 'Default' }).click()
  await panel.getByRole('textbox', { name: 'Default' }).fill('12.5')
  expect((await nodeIn(page, 'ask'))!['inputBindings']).toEqual({
    message: 'Publish?',
    approvers: ['role:approver', 'user:ada'],
    form: { new_price: { type: 'number', default: 12.5 } },
  })
})

test('a start condition is joined, negated and asked for more, and the edges follow', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('gates'))
  const panel = await open(page, 'gates', 'report')
  const gate = panel.getByRole('textbox', { name: 'Starts when' })
  await panel.getByRole('button', { name: 'Event', exact: true }).click()
  await page.getByRole('textbox', { name: 'Search for an event' }).fill('extract failed')
  await page.keyboard.press('Enter')
  await expect(gate).toHaveText('event:extract.completed || event:extract.failed')
  await panel.getByRole('button', { name: 'all of them' }).click()
  await expect(gate).toHaveText('event:extract.completed && event:extract.failed')
  await panel.getByRole('button', { name: 'any of them' }).click()
  await panel.getByRole('button', { name: 'Not extract.failed' }).click()
  await expect(gate).toHaveText('event:extract.completed || !event:extract.failed')
  await panel.getByLabel('Event 2').selectOption('extract.skipped')
  await expect(gate).toHaveText('event:extract.completed || !event:extract.skipped')
  await panel.getByRole('button', { name: 'Remove event:extract.skipped' }).click()
  await panel.getByRole('button', { name: 'Condition', exact: true }).click()
  await page.keyboard.type('extract.row_count > 1')
  await panel.getByRole('button', { name: 'Add condition' }).click()
  await expect(gate).toHaveText('event:extract.completed && {{ extract.row_count > 1 }}')
  const condition = panel.getByRole('textbox', { name: 'Condition 1' })
  await condition.fill('extract.row_count >')
  await expect(panel.getByText(/ends too early/)).toBeVisible()
  await expect(gate).toHaveText('event:extract.completed && {{ extract.row_count > 1 }}')
  await condition.fill('extract.row_count > 2')
  await expect(gate).toHaveText('event:extract.completed && {{ extract.row_count > 2 }}')
})

test('a new id is followed by everyone who names the node, and is one step of the history', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('renamed'))
  const panel = await open(page, 'renamed', 'extract')
  const id = panel.getByRole('textbox', { name: 'Id', exact: true })
  await id.fill('report')
  await id.press('Enter')
  await expect(panel.getByText("A node 'report' already exists.")).toBeVisible()
  await id.fill('read')
  await id.press('Enter')
  await expect(page.getByRole('region', { name: 'Node read' })).toBeVisible()
  const { nodes } = await drafted(page)
  expect(nodes.map((node) => [node.id, node['startWhen']])).toEqual([
    ['read', STARTED],
    ['report', 'event:read.completed'],
    ['ask', 'event:report.completed && {{ read.row_count > 0 }}'],
  ])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'extract')).toBeVisible()
  await expect(page.getByText('Undone: Rename extract to read')).toBeVisible()
})

test('an expression is typed with its braces, emptied and typed again, and no key goes elsewhere', async ({
  page,
  server,
}) => {
  await restClient(server).define({
    ...weather('braces'),
    nodes: [
      ...weather('braces').nodes,
      {
        id: 'work',
        task: 'script.javascript',
        startWhen: 'event:extract.completed',
        inputBindings: { code: 'return {}' },
      },
    ],
  })
  const panel = await open(page, 'braces', 'work')
  await panel.getByRole('textbox', { name: 'Input', exact: true }).click()
  await page.keyboard.type('{{ extract.row_count }}', { delay: 30 })
  expect(await nodeIn(page, 'work')).toMatchObject({ inputBindings: { input: '{{ extract.row_count }}' } })
  await panel.getByRole('textbox', { name: 'Input', exact: true }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('extract.row_count + 1', { delay: 30 })
  await page.keyboard.press('Escape')
  expect(await nodeIn(page, 'work')).toMatchObject({
    inputBindings: { input: '{{ extract.row_count + 1 }}' },
  })
})

test('SQL is typed with its letters in one step, and undone in the field by the keyboard', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('sql'))
  const panel = await open(page, 'sql', 'extract')
  const sql = panel.getByRole('textbox', { name: 'SQL' })
  await sql.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' limit 2')
  await expect(sql).toHaveText('select i as rain from range(0, 3) t(i) limit 2')
  await page.keyboard.press('Control+z')
  await expect(sql).toHaveText('select i as rain from range(0, 3) t(i)')
  await expect(page.getByText('Undone: Change sql of extract')).toBeVisible()

  // Retrying, and running for each item of a list.
  await panel.getByText('Retry', { exact: true }).click()
  await panel.getByRole('button', { name: 'Try again' }).click()
  await panel.getByRole('textbox', { name: 'Tries' }).fill('4')
  await panel.getByText('For each item', { exact: true }).click()
  await panel.getByRole('button', { name: 'Run for each item of a list' }).click()
  await panel.getByRole('textbox', { name: 'Items' }).fill('[1, 2]')
  expect(await nodeIn(page, 'extract')).toMatchObject({
    retry: { maxAttempts: 4 },
    forEach: { items: '{{ [1, 2] }}' },
  })
})

test('the pipeline has a form of its own: inputs, their names, triggers with their next times', async ({
  page,
  server,
}) => {
  await restClient(server).define({
    ...weather('itself'),
    nodes: [
      {
        id: 'extract',
        task: 'log',
        startWhen: STARTED,
        inputBindings: { message: 'of {{ pipeline.input.station }}' },
      },
    ],
  })
  await page.goto('/pipelines/itself')
  await page.getByRole('button', { name: 'Pipeline', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Pipeline' })
  await panel.getByRole('textbox', { name: 'Name', exact: true }).fill('Weather')
  await panel.getByText('Inputs', { exact: true }).click()
  const name = panel.getByRole('textbox', { name: 'Name of station in Inputs' })
  await name.fill('place')
  await name.press('Enter')
  await panel.getByText('Triggers', { exact: true }).click()
  await panel.getByRole('button', { name: 'Add to Triggers' }).click()
  await panel.getByRole('textbox', { name: 'Id', exact: true }).fill('daily')
  await panel.getByRole('textbox', { name: 'Schedule' }).fill('0 6 * * *')
  await expect(panel.getByLabel('Next times of daily')).toContainText('06:00')
  const definition = await drafted(page)
  expect(definition).toMatchObject({
    name: 'Weather',
    inputs: { place: { type: 'string', default: 'seattle' } },
    triggers: [{ type: 'cron', id: 'daily', cron: '0 6 * * *' }],
    nodes: [{ inputBindings: { message: 'of {{ pipeline.input.place }}' } }],
  })
})

test('a condition that is typed is kept, by Enter and by going on elsewhere; what is wrong shows on the card', async ({
  page,
  server,
}) => {
  await restClient(server).define(weather('kept_condition'))
  const panel = await open(page, 'kept_condition', 'report')
  await panel.getByRole('button', { name: 'Condition', exact: true }).click()
  await expect(panel.getByRole('textbox', { name: 'New condition' })).toBeFocused()
  await page.keyboard.type('extract.row_count > 1')
  await page.keyboard.press('Enter')
  await expect(panel.getByRole('textbox', { name: 'Condition 1' })).toHaveText('extract.row_count > 1')
  await expect(panel.getByRole('button', { name: 'Condition', exact: true })).toBeFocused()

  await panel.getByRole('button', { name: 'Condition', exact: true }).click()
  await page.keyboard.type('extract.row_count < 9')
  await card(page, 'ask').click()
  expect(await nodeIn(page, 'report')).toMatchObject({
    startWhen: 'event:extract.completed && {{ extract.row_count > 1 }} && {{ extract.row_count < 9 }}',
  })

  // What does not parse is told where it is typed, and stays there for whoever comes back.
  await show(page, 'report')
  await card(page, 'report').click()
  await panel.getByRole('button', { name: 'Condition', exact: true }).click()
  await page.keyboard.type('extract.row_count >')
  await panel.getByRole('heading', { name: 'report' }).click()
  const half = panel.getByRole('textbox', { name: 'New condition' })
  await expect(half).toHaveAttribute('aria-invalid', 'true')
  await panel.getByRole('textbox', { name: 'Condition 1' }).fill('extract.row_count > (')
  await card(page, 'ask').click()
  await expect(panel).toHaveCount(0)
  await show(page, 'report')
  await card(page, 'report').click()
  await expect(half).toHaveText('extract.row_count >')
  await expect(panel.getByRole('textbox', { name: 'Condition 1' })).toHaveText('extract.row_count > (')

  await panel.getByRole('button', { name: 'Cancel' }).click()
  await panel.getByText('For each item').click()
  await panel.getByRole('button', { name: 'Run for each item of a list' }).click()
  await expect(panel.getByRole('textbox', { name: 'Items' })).toBeFocused()
  await expect(card(page, 'report').getByRole('img', { name: /^Error: / })).toBeVisible()
  // What comes to nothing yet takes nothing away.
  await page.keyboard.type(' ')
  await page.keyboard.type('extract.rows')
  await expect(card(page, 'report').getByRole('img', { name: /^Error: / })).toHaveCount(0)
  await expect(card(page, 'report')).toContainText('for each')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('{{ extract.rows')
  await expect(panel.getByRole('textbox', { name: 'Items' })).toBeFocused()
  expect((await nodeIn(page, 'report'))?.['forEach']).toEqual({ items: '{{ extract.rows }}' })
})

test('a node that runs another pipeline leads to it', async ({ page, server }) => {
  const client = restClient(server)
  await client.define(weather('led_to'))
  await client.define({
    schemaVersion: 1,
    id: 'leads',
    nodes: [{ id: 'child', pipeline: 'led_to', startWhen: STARTED }],
  })
  const panel = await open(page, 'leads', 'child')
  await panel.getByRole('link', { name: 'Open' }).click()
  await expect(page).toHaveURL(/\/pipelines\/led_to$/)
  await expect(card(page, 'extract')).toBeVisible()
})

test('a text that begins with an expression goes on behind its closing braces', async ({ page, server }) => {
  const definition = weather('behind_braces')
  definition.nodes.push({ id: 'note', task: 'log', startWhen: 'event:extract.completed' })
  await restClient(server).define({
    ...definition,
    nodes: definition.nodes.map((node) =>
      node.id === 'note' ? { ...node, inputBindings: { message: 'x' } } : node,
    ),
  })
  const panel = await open(page, 'behind_braces', 'note')
  const message = panel.getByRole('textbox', { name: 'Message' })
  await message.fill('')
  await message.click()
  await page.keyboard.type('{{ extract.row_count }} rows of {{ pipeline.input.station }}')
  await expect(message).toHaveText('{{ extract.row_count }} rows of {{ pipeline.input.station }}')
  expect((await nodeIn(page, 'note'))!['inputBindings']).toEqual({
    message: '{{ extract.row_count }} rows of {{ pipeline.input.station }}',
  })

  // A value that was one expression when the form was opened becomes a text in the same way.
  await message.fill('{{ extract.row_count }}')
  await card(page, 'report').click()
  await card(page, 'note').click()
  await expect(message).toHaveText('extract.row_count')
  await message.press('End')
  await page.keyboard.type(' }} rows')
  await expect(message).toHaveText('{{ extract.row_count }} rows')
})
