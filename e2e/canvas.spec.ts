// The canvas by real pointer and keys: adding, drawing, leading elsewhere, copying, notes, finding, laying out.
import type { Page } from '@playwright/test'
import { restClient } from '@/testing/rest-client'
import { card, expect, publishDraft, test } from './fixture'
import type { Rest } from './fixture'
import { drag, edge, gateOf, middleOf, outcomeOf, type Point } from './pointer'

const S = 'event:pipeline.started'
type Node = { id: string; name?: string; task?: string; startWhen: string }
type Saved = { nodes: Node[]; layout: Record<string, Point>; notes?: { text: string; width: number }[] }

const chain = (id: string) => ({
  schemaVersion: 1,
  id,
  nodes: [
    { id: 'read', task: 'set', inputBindings: { rows: 1 }, startWhen: S },
    {
      id: 'check',
      task: 'set',
      inputBindings: { ok: '{{ read.rows > 0 }}' },
      startWhen: 'event:read.completed',
    },
    { id: 'load', task: 'noop', startWhen: 'event:check.completed' },
    { id: 'loose', task: 'noop', startWhen: S },
  ],
  layout: {
    read: { x: 0, y: 0 },
    check: { x: 330, y: 0 },
    load: { x: 660, y: 0 },
    loose: { x: 330, y: 200 },
  },
})

const told = (page: Page, text: string) => page.getByText(text, { exact: true })
const pane = (page: Page) => page.getByLabel('Graph of the draft')

async function open(page: Page, id: string): Promise<void> {
  await page.goto(`/pipelines/${id}`)
  await expect(pane(page)).toBeVisible()
}

async function saveAs(page: Page, rest: Rest, id: string, revision: number): Promise<Saved> {
  await publishDraft(page, revision)
  const { body } = await rest.call('GET', `/pipelines/${id}`)
  return (body as { definition: Saved }).definition
}

const gates = ({ nodes }: Saved) => Object.fromEntries(nodes.map(({ id, startWhen }) => [id, startWhen]))

/** The middle of an edge, where its label stands. */
const onEdge = (page: Page, id: string): Promise<Point> =>
  middleOf(edge(page, id).locator('.react-flow__edge-path'))

test('nodes are dragged out of the palette, into an edge, and drawn from the ends of others', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(chain('placed'))
  await open(page, 'placed')
  await page.keyboard.press('n')
  const palette = page.getByRole('dialog', { name: 'Add a node' })
  const entry = (name: string) => palette.getByRole('option', { name }).first()
  await palette.getByRole('textbox').fill('nothing at')
  const from = await entry('noop').boundingBox()
  await drag(page, { x: from!.x + 40, y: from!.y + 20 }, await onEdge(page, 'check.completed>load'))
  await expect(edge(page, 'noop.completed>load')).toBeAttached()
  await expect(edge(page, 'check.completed>noop')).toBeAttached()

  // Into the empty: the palette asks what stands there.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  const failed = await middleOf(outcomeOf(page, 'check', 'failed'))
  await drag(page, failed, { x: failed.x + 90, y: failed.y + 120 })
  await expect(palette).toContainText('after check.failed')
  await palette.getByRole('textbox').fill('outside')
  await page.keyboard.press('Enter')
  await palette.getByLabel('Name of the event').fill('Bad name')
  await page.keyboard.press('Enter')
  await expect(palette.getByRole('alert')).toBeVisible()
  await palette.getByLabel('Name of the event').fill('mended')
  await page.keyboard.press('Enter')
  await expect(edge(page, 'external.mended>wait_mended')).toBeAttached()

  // A node that is there is put into an edge.
  await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  await drag(page, await middleOf(card(page, 'loose')), await onEdge(page, 'read.completed>check'))
  await expect(edge(page, 'loose.completed>check')).toBeAttached()
  const saved = await saveAs(page, rest, 'placed', 2)
  expect(gates(saved)).toEqual({
    read: S,
    check: 'event:loose.completed',
    load: 'event:noop.completed',
    loose: 'event:read.completed',
    noop: 'event:check.completed',
    wait_mended: 'event:check.failed && event:external.mended',
  })
})

test('an edge says what it waits for: outcome, not, condition; it is led elsewhere and joined by OR', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(chain('edges'))
  await open(page, 'edges')
  const at = await onEdge(page, 'check.completed>load')
  await page.mouse.click(at.x, at.y)
  const bar = page.getByRole('toolbar', { name: /^Edge from check to load/ })
  await bar.getByRole('combobox', { name: 'When it' }).selectOption('failed')
  await expect(edge(page, 'check.failed>load')).toContainText('failed')
  await bar.getByRole('textbox', { name: 'If' }).fill('read.rows >')
  await page.keyboard.press('Enter')
  await expect(bar.getByRole('alert')).toBeVisible()
  await bar.getByRole('textbox', { name: 'If' }).fill('read.rows > 2')
  await page.keyboard.press('Enter')
  await expect(edge(page, 'check.failed>load').locator('title')).toHaveText('failed if read.rows > 2')
  await bar.getByRole('button', { name: 'not', exact: true }).click()
  await expect(edge(page, 'check.failed>load')).toContainText('not failed')
  await bar.getByRole('button', { name: 'not', exact: true }).click()
  await expect(edge(page, 'check.failed>load')).not.toContainText('not failed')

  // A second event: both are needed, until a press at the gate says that one is enough.
  await page.keyboard.press('Escape')
  await drag(
    page,
    await middleOf(outcomeOf(page, 'loose', 'completed')),
    await middleOf(gateOf(page, 'load')),
  )
  const gate = page.getByRole('button', { name: /^Gate of load/ })
  await expect(gate).toHaveText(/AND/)
  await gate.click()
  await expect(gate).toHaveText(/OR/)

  // An end of an edge is led to another node.
  const end = await middleOf(gateOf(page, 'load'))
  await page.mouse.click(
    (await onEdge(page, 'loose.completed>load')).x,
    (await onEdge(page, 'loose.completed>load')).y,
  )
  await page.keyboard.press('Escape')
  const grip = await page
    .locator('.react-flow__edge[data-id="loose.completed>load"] .react-flow__edgeupdater-target')
    .boundingBox()
  expect(grip).not.toBeNull()
  await drag(page, { x: grip!.x + 3, y: end.y }, await middleOf(gateOf(page, 'check')))
  await expect(edge(page, 'loose.completed>check')).toBeAttached()
  const saved = await saveAs(page, rest, 'edges', 2)
  expect(gates(saved)).toMatchObject({
    check: expect.stringContaining('event:loose.completed'),
    load: expect.stringContaining('event:check.failed && {{ read.rows > 2 }}'),
  })
})

test('nodes are copied as text between pipelines; garbage is refused in words', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(chain('source'))
  await restClient(server).define({
    ...chain('sink'),
    nodes: [{ id: 'read', task: 'noop', startWhen: S }],
    layout: {},
  })
  await open(page, 'source')
  await card(page, 'read').click()
  await card(page, 'check').click({ modifiers: ['Control'] })
  await page.keyboard.press('Control+d')
  await expect(card(page, 'check_2')).toBeVisible()
  await page.keyboard.press('Control+z')
  await expect(card(page, 'check_2')).toHaveCount(0)
  await card(page, 'read').click()
  await card(page, 'check').click({ modifiers: ['Control'] })
  await page.keyboard.press('Control+c')

  await open(page, 'sink')
  await expect(card(page, 'read')).toBeVisible()
  await pane(page).hover({ position: { x: 500, y: 300 } })
  await page.keyboard.press('Control+v')
  await expect(card(page, 'read_2')).toBeVisible()
  await expect(edge(page, 'read_2.completed>check')).toBeAttached()
  await page.keyboard.press('Delete')
  await expect(card(page, 'read_2')).toHaveCount(0)
  await page.keyboard.press('Control+v')
  const saved = await saveAs(page, rest, 'sink', 2)
  expect(gates(saved)).toEqual({ read: S, read_2: S, check: 'event:read_2.completed' })

  // What is on the clipboard may be anything.
  await page.keyboard.press('Control+f')
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('no pipeline at all')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+x')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+v')
  await expect(page.getByText(/^The clipboard holds no nodes/).first()).toBeVisible()
})

test('by keys: walk, select, move, name, note, find, lay out; undone one by one', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define({ ...chain('keys'), layout: {} })
  await open(page, 'keys')
  await card(page, 'read').click()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('.react-flow__node.selected')).toHaveAttribute('data-id', 'check')
  await page.keyboard.press('Shift+ArrowRight')
  await expect(page.locator('.react-flow__node.selected')).toHaveCount(2)
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Alt+ArrowDown')
  await page.keyboard.press('Control+g')
  const note = page.getByRole('textbox', { name: 'Text of the note' })
  await note.fill('What is loaded')
  await page.keyboard.press('Escape')
  await expect(page.locator('[data-note="note_1"]')).toContainText('What is loaded')

  // A frame takes along what stands in it.
  const before = await middleOf(card(page, 'check'))
  const corner = await page.locator('[data-note="note_1"]').boundingBox()
  await drag(page, { x: corner!.x + 30, y: corner!.y + 8 }, { x: corner!.x + 50, y: corner!.y + 68 })
  const after = await middleOf(card(page, 'check'))
  expect(after.y - before.y).toBeGreaterThan(30)

  // The space bar moves the view, and never what lies below the pointer.
  const leftBefore = await middleOf(card(page, 'read'))
  await page.keyboard.down('Space')
  await drag(page, after, { x: after.x + 40, y: after.y - 30 })
  await page.keyboard.up('Space')
  const [moved, left] = [await middleOf(card(page, 'check')), await middleOf(card(page, 'read'))]
  expect(moved.x - after.x).toBeCloseTo(40, 0)
  expect(left.y - leftBefore.y).toBeCloseTo(moved.y - after.y, 0)

  // A turn of the wheel meanwhile zooms at the pointer.
  const high = async () => (await card(page, 'read').boundingBox())!.height
  const highBefore = await high()
  await page.keyboard.down('Space')
  await page.mouse.down()
  await page.mouse.wheel(0, -100)
  await expect.poll(high).toBeGreaterThan(highBefore)
  await page.mouse.up()
  await page.keyboard.up('Space')

  // The whole graph again, and the other keys as before.
  await page.keyboard.press('1')
  await expect(page.getByText('Nothing was changed')).toHaveCount(0)
  await page.keyboard.press('/')
  await page.getByRole('searchbox', { name: 'Find a node' }).fill('loo')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(page.locator('.react-flow__node.selected')).toHaveAttribute('data-id', 'loose')
  await pane(page).locator('.react-flow__node.selected').focus()
  await page.keyboard.press('F2')
  await page.getByRole('textbox', { name: 'Name of loose' }).fill('Tidy up')
  await page.keyboard.press('Enter')
  await expect(card(page, 'loose')).toContainText('Tidy up')
  await page.keyboard.press('Shift+L')
  await expect(told(page, 'The graph was laid out')).toBeVisible()
  const saved = await saveAs(page, rest, 'keys', 2)
  expect(saved.notes).toMatchObject([{ text: 'What is loaded' }])
  expect(saved.layout['check']!.x).toBeGreaterThan(saved.layout['read']!.x)
  expect(saved.nodes.at(-1)).toMatchObject({ id: 'loose', name: 'Tidy up' })
  await expect(page.getByRole('dialog', { name: 'Publish' })).toHaveCount(0)
  await page.keyboard.press('Control+z')
  await expect(page.getByText(/^Undone: Lay out/)).toBeVisible()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Shortcuts' })).toContainText('Frame the selection')
})

test('in the middle of a pan what is put at the pointer lies there, and Escape takes an edge back that is drawn', async ({
  page,
  server,
}) => {
  await restClient(server).define({ ...chain('midway'), layout: {} })
  await open(page, 'midway')
  const free = await pane(page).boundingBox()
  const start = { x: free!.x + 60, y: free!.y + free!.height - 160 }
  const end = { x: start.x + 90, y: start.y - 70 }
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(end.x, end.y, { steps: 6 })
  await page.keyboard.press('Shift+s')
  const note = page.locator('[data-note="note_1"]')
  await expect(note).toBeAttached()
  await page.mouse.up()
  const { x, y } = (await note.boundingBox())!
  expect(Math.abs(x - end.x)).toBeLessThan(4)
  expect(Math.abs(y - end.y)).toBeLessThan(4)
  await page.keyboard.press('Escape')

  const [from, to] = [
    await middleOf(outcomeOf(page, 'read', 'completed')),
    await middleOf(card(page, 'loose')),
  ]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 6 })
  await expect(page.locator('.react-flow__connection')).toBeAttached()
  await page.keyboard.press('Escape')
  await expect(page.locator('.react-flow__connection')).toHaveCount(0)
  await page.mouse.move(to.x + 3, to.y, { steps: 3 })
  await page.mouse.up()
  await expect(edge(page, 'read.completed>loose')).toHaveCount(0)
  await expect(page.getByRole('listbox', { name: 'Tasks' })).toHaveCount(0)
})

test('an empty pipeline says what to do, and Enter builds a chain', async ({ page, server }) => {
  await restClient(server).define({
    ...chain('empty'),
    nodes: [{ id: 'only', task: 'noop', startWhen: S }],
    layout: {},
  })
  await open(page, 'empty')
  await card(page, 'only').click()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Add the first node' }).click()
  for (const task of ['http', 'duckdb', 'approval']) {
    await page.getByRole('textbox', { name: 'Search for a task' }).fill(task)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Add a node' })).toHaveCount(0)
    await page.locator('.react-flow__node.selected').focus()
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Escape')
  await expect(edge(page, 'http_request.completed>duckdb_query')).toBeAttached()
  await expect(edge(page, 'duckdb_query.completed>approval')).toBeAttached()
})

/** So many that they are seen from far: rows of 25, each after the one before it. */
const crowd = (id: string) => ({
  schemaVersion: 1,
  id,
  nodes: Array.from({ length: 300 }, (_, at) => ({
    id: `n${at}`,
    task: 'noop',
    startWhen: at < 25 ? S : `event:n${at - 25}.completed`,
  })),
  layout: Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`n${at}`, { x: Math.floor(at / 25) * 480, y: (at % 25) * 160 }]),
  ),
})

test('hundreds of nodes are seen whole: some are moved, with their edges; nearer by, edges are there to be taken', async ({
  page,
  rest,
  server,
}) => {
  await restClient(server).define(crowd('crowd'))
  await open(page, 'crowd')
  await expect(card(page, 'n299')).toBeVisible()
  // From far, edges are lines and nothing else.
  await expect(page.locator('.react-flow__edge[data-id]')).toHaveCount(0)
  // All of them is much to read where they differ.
  const paths = () =>
    page
      .locator('.react-flow__edge-path')
      .evaluateAll((all) => all.map((one) => one.getAttribute('d')).join())
  const before = await paths()

  const [from, beside] = [await middleOf(card(page, 'n30')), await middleOf(card(page, 'n55'))]
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + 10, from.y + 30, { steps: 5 })
  // It is where the pointer is while it is held, and its edges with it.
  await expect.poll(async () => (await card(page, 'n30').boundingBox())?.y).toBeGreaterThan(from.y + 15)
  const dragged = await page.locator('[data-dragged-edges]').getAttribute('d')
  expect(dragged?.match(/M/g)).toHaveLength(2)
  await page.mouse.up()
  // What the hand needs to begin a drag is not moved.
  const now = await middleOf(card(page, 'n30'))
  expect(now.y).toBeGreaterThan(from.y + 15)
  expect(await middleOf(card(page, 'n55'))).toEqual(beside)
  expect((await paths()) === before).toBe(false)
  await page.keyboard.press('Control+z')
  await expect.poll(() => middleOf(card(page, 'n30'))).toEqual(from)
  expect((await paths()) === before).toBe(true)

  // Undone while it is dragged again, it goes on below the pointer.
  await drag(page, from, { x: from.x + 30, y: from.y + 30 })
  const there = await middleOf(card(page, 'n30'))
  await page.mouse.move(there.x, there.y)
  await page.mouse.down()
  await page.mouse.move(there.x + 20, there.y + 12, { steps: 5 })
  await page.keyboard.press('Control+z')
  await page.mouse.move(there.x + 40, there.y + 24, { steps: 5 })
  const held = await middleOf(card(page, 'n30'))
  expect(Math.abs(held.x - there.x - 40)).toBeLessThan(8)
  await page.keyboard.press('Escape')
  await page.mouse.up()
  await expect.poll(() => middleOf(card(page, 'n30'))).toEqual(from)

  // Several at once, by one of them.
  await page.keyboard.down('Shift')
  await page.mouse.move(from.x - 20, from.y - 8)
  await page.mouse.down()
  await page.mouse.move(beside.x + 20, from.y + 8, { steps: 8 })
  await page.mouse.up()
  await page.keyboard.up('Shift')
  const chosen = page.locator('.react-flow__node.selected')
  await expect(chosen).toHaveCount(2)
  await drag(page, from, { x: from.x, y: from.y + 40 })
  await expect.poll(async () => (await middleOf(card(page, 'n55'))).y).toBeGreaterThan(beside.y + 25)
  const { layout } = await saveAs(page, rest, 'crowd', 2)
  expect(layout['n30']!.y).toBeGreaterThan(800)
  expect(layout['n30']!.y).toBe(layout['n55']!.y)
  expect(layout['n31']).toEqual({ x: 480, y: 960 })

  // The overview leads there and nearer.
  const overview = page.getByRole('img', { name: 'Overview of the graph' })
  const corner = await overview.boundingBox()
  await page.mouse.click(corner!.x + corner!.width / 2, corner!.y + corner!.height / 5)
  for (let turn = 0; turn < 12; turn++) await page.mouse.wheel(0, -100)
  await expect(page.locator('.react-flow__edge[data-id]').first()).toBeAttached()
  await expect.poll(() => page.locator('[data-node]').count()).toBeLessThan(100)
  await expect(page.locator('[data-dragged-edges]')).toHaveCount(0)
})
