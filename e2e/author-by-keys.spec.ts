// From an empty canvas to a published example by the keyboard alone: no pointer, and nothing is focused or filled but by keys.
import type { Page } from '@playwright/test'
import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import { exported, wanted } from './authoring'
import { expect, publishDraft, test } from './fixture'

const example = wanted('by_keys')
const nodeOf = (id: string): NodeDefinition => example.nodes.find((node) => node.id === id)!
const textOf = (id: string, input: string): string => String(nodeOf(id).inputBindings?.[input])

const grid = (page: Page) => page.getByRole('treegrid', { name: 'Nodes of the pipeline' })
const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`)

/** What the keyboard is in, as a screen reader calls it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const at = document.activeElement
    const label = at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement ? at.labels?.[0] : null
    return (at?.getAttribute('aria-label') ?? label?.textContent ?? at?.textContent ?? '')
      .replace(/required$/, '')
      .trim()
  })

/** More steps than this from one field to the next, and nobody would walk them. */
const MOST_TABS = 40

/** Walks on with Tab until the keyboard is in what begins with the name. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  while (passed.length < MOST_TABS) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (at === name || (name.endsWith('…') && at.startsWith(name.slice(0, -1)))) return
    passed.push(at.slice(0, 60))
  }
  throw new Error(`Tab never came to ${name}, but passed ${passed.join(' · ')}`)
}

/** Walks to a field and types into it. */
async function fill(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.type(text)
}

/** The same with what comes from elsewhere. */
async function paste(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.insertText(text)
}

/** Presses the button that the keyboard walks to. */
async function push(page: Page, name: string): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** A new member under a name; the keyboard is in its first field then. */
async function addNamed(page: Page, title: string, name: string): Promise<void> {
  await push(page, `Add to ${title}`)
  expect(await focused(page)).toBe(`New name in ${title}`)
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  expect(await focused(page)).not.toContain(`Add to ${title}`)
}

/** A new member of a list; the keyboard is in it then. */
async function addTo(page: Page, title: string, text: string): Promise<void> {
  await push(page, `Add to ${title}`)
  await page.keyboard.type(text)
}

/** A field that is not drawn before somebody asks for it; the keyboard is in it then. */
async function another(page: Page, title: string, text: string): Promise<void> {
  await push(page, 'More fields')
  await expect(page.getByRole('menu')).toBeVisible()
  for (const each of await page.getByRole('menuitem').allTextContents()) {
    await expect.poll(() => focused(page)).toBe(each)
    if (each === title) break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu')).toHaveCount(0)
  expect(await focused(page)).toBe(title)
  await page.keyboard.type(text)
}

/** A node behind the selected one: found, named, and its form opened with its own id. */
async function addNode(page: Page, id: string): Promise<void> {
  const { task = '', name = '' } = nodeOf(id)
  await page.keyboard.press('n')
  await expect(page.getByRole('dialog', { name: 'Add a node' })).toBeVisible()
  await page.keyboard.type(task)
  await page.keyboard.press('Enter')
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('F2')
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => focused(page)).toBe('Name')
  await fill(page, 'Id', id)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: `Node ${id}`, exact: true })).toBeVisible()
  expect(await focused(page)).toBe('Id')
}

/** What the plan says of a node, and back to its row. */
async function plan(page: Page, id: string): Promise<void> {
  const { timeout, estimate, phase } = nodeOf(id)
  await push(page, 'Time and order…')
  if (timeout !== undefined) await fill(page, 'Time limit', timeout)
  if (estimate !== undefined) await fill(page, 'Estimate', estimate)
  await fill(page, 'Phase', phase ?? '')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: `Node ${id}`, exact: true })).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  await expect(row(page, id)).toHaveAttribute('aria-selected', 'true')
}

async function theWeather(page: Page): Promise<void> {
  await addNamed(page, 'Files', 'weather')
  await page.keyboard.type('{{ pipeline.input.file')
}

async function json(page: Page, title: string, value: unknown): Promise<void> {
  await tabTo(page, `Kind of ${title}`)
  await page.keyboard.press('j')
  await paste(page, title, JSON.stringify(value, null, 2))
}

async function head(page: Page): Promise<void> {
  await page.keyboard.press('Shift+P')
  await expect.poll(() => focused(page)).toBe('Name')
  await fill(page, 'Description', example.description ?? '')

  await push(page, 'Inputs…')
  for (const [name, { default: given, description }] of Object.entries(example.inputs ?? {})) {
    await addNamed(page, 'Inputs', name)
    expect(await focused(page)).toBe('Type')
    await another(page, 'Default', String(given))
    await another(page, 'Description', description ?? '')
  }
  await push(page, 'Triggers…')
  await addTo(page, 'Triggers', 'daily')
  await fill(page, 'Schedule', '0 6 * * *')
  await fill(page, 'Time zone', 'America/Los_Angeles')
  await tabTo(page, 'Switched on')
  await page.keyboard.press(' ')
  await push(page, 'Phases…')
  for (const phase of example.phases ?? []) await addTo(page, 'Phases', phase)
  await push(page, 'Labels…')
  for (const [name, label] of Object.entries(example.labels ?? {})) {
    await addNamed(page, 'Labels', name)
    await page.keyboard.type(label)
  }
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Pipeline' })).toHaveCount(0)
}

async function outputs(page: Page): Promise<void> {
  await page.keyboard.press('Shift+P')
  await expect.poll(() => focused(page)).toBe('Name')
  await push(page, 'Outputs…')
  for (const [name, { value, description }] of Object.entries(example.outputs ?? {})) {
    await addNamed(page, 'Outputs', name)
    expect(await focused(page)).toBe('Value')
    await page.keyboard.type(String(value).replace(/[{}]/g, '').trim())
    await tabTo(page, 'Required')
    await page.keyboard.press(' ')
    if (description !== undefined) await fill(page, 'Description', description)
  }
  await page.keyboard.press('Escape')
}

/** What a query gives, under other names. */
async function outputsOfRead(page: Page): Promise<void> {
  await push(page, 'Outputs…')
  await push(page, 'Choose and rename')
  expect(await focused(page)).toBe('Name of row_count in Outputs')
  await page.keyboard.press('Control+a')
  for (const [name, value] of Object.entries(nodeOf('read').outputVariables ?? {})) {
    await page.keyboard.type(name)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe(`Name of ${name} in Outputs`)
    await tabTo(page, `Outputs: ${name}`)
    await page.keyboard.press('Control+a')
    await page.keyboard.type(String(value).replace(/[{}]/g, '').trim())
    await tabTo(page, 'Name of…')
  }
  await push(page, 'Remove Outputs: artifact')
}

test('Seattle weather is authored by the keyboard alone', async ({ page, rest }) => {
  test.setTimeout(240_000)
  await page.goto('/pipelines')
  await expect(page.getByRole('button', { name: 'New pipeline' })).toBeVisible()
  await push(page, 'New pipeline')
  await expect(page.getByRole('dialog', { name: 'New pipeline' })).toBeVisible()
  await page.keyboard.type(example.name ?? '')
  await fill(page, 'Id', example.id)
  await page.keyboard.press('Enter')
  await expect(page.getByText('An empty pipeline')).toBeVisible()
  await head(page)

  await page.keyboard.press('o')
  await expect(grid(page)).toBeFocused()
  await addNode(page, 'read')
  await paste(page, 'SQL', textOf('read', 'sql'))
  await theWeather(page)
  await outputsOfRead(page)
  await plan(page, 'read')

  await addNode(page, 'validate')
  await paste(page, 'Code', textOf('validate', 'code'))
  await fill(page, 'Input', '{{read.facts')
  await plan(page, 'validate')

  await addNode(page, 'monthly')
  await paste(page, 'SQL', textOf('monthly', 'sql'))
  await theWeather(page)
  await tabTo(page, 'Format')
  await page.keyboard.press('c')
  await plan(page, 'monthly')

  await addNode(page, 'chart')
  await json(page, 'Specification', nodeOf('chart').inputBindings?.['spec'])
  await tabTo(page, 'Expression for Data')
  await page.keyboard.press(' ')
  await page.keyboard.type('monthly.rows')
  await plan(page, 'chart')

  await addNode(page, 'approval')
  await paste(page, 'Message', textOf('approval', 'message'))
  // Who approves stands in a new approval already, and is who the example names.
  await plan(page, 'approval')

  await addNode(page, 'compose')
  await paste(page, 'Code', textOf('compose', 'code'))
  await json(page, 'Input', nodeOf('compose').inputBindings?.['input'])
  await plan(page, 'compose')

  await addNode(page, 'publish')
  await fill(page, 'Path', 'report.html')
  await fill(page, 'Content', '{{compose.result')
  await fill(page, 'Content type', 'text/html')
  await plan(page, 'publish')

  // A node that waits for the wrong one is led elsewhere, and an undo takes it back.
  await expect(row(page, 'compose')).toContainText('when approval was approved')
  await page.keyboard.press(' ')
  await page.keyboard.type('chart failed')
  await page.keyboard.press('Enter')
  await expect(row(page, 'publish')).toContainText('chart failed')
  await page.keyboard.press('Control+z')
  await expect(row(page, 'publish')).toContainText('when compose completed')

  await outputs(page)
  await expect(page.getByText('No problems')).toBeVisible()
  await publishDraft(page, 1)
  expect(await exported(rest, example.id)).toEqual(example)
})
