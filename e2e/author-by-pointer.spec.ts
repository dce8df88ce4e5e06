// An example is authored anew from an empty canvas with the pointer: nodes are dragged out of the palette, edges drawn, forms clicked.
// Into a field that was clicked is typed, over what stands there; what a native list offers, which no page draws, is chosen by its name.
import type { Locator, Page } from '@playwright/test'
import type { NodeDefinition } from '@/core/pipeline/definition/definition'
import { exported, wanted } from './authoring'
import { card, expect, test } from './fixture'
import { connect, drag, middleOf } from './pointer'

const example = wanted('by_pointer')

/** Clicks a field and types over what stands in it. */
async function write(page: Page, field: Locator, text: unknown): Promise<void> {
  await field.click({ clickCount: 3 })
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(String(text))
}

/** A name and a value more in a part of a form; answers the field of the value. */
async function member(page: Page, panel: Locator, part: string, name: string): Promise<Locator> {
  await panel.getByRole('button', { name: `Add to ${part}`, exact: true }).click()
  await write(page, panel.getByRole('textbox', { name: `New name in ${part}` }), name)
  // A name counts when its field is left.
  await panel.getByRole('heading').first().click()
  return panel.getByRole('textbox', { name: `${part}: ${name}`, exact: true })
}

const fold = (panel: Locator, title: string) => panel.locator('summary').filter({ hasText: title })
const box = (panel: Locator, name: string) => panel.getByRole('textbox', { name, exact: true })

/** Inputs that a form calls otherwise. */
const titles: Readonly<Record<string, string>> = {
  sql: 'SQL',
  spec: 'Specification',
  content_type: 'Content type',
}

/** What a node is given: texts as they are, lists and objects as expressions or as JSON. */
async function give(page: Page, panel: Locator, node: NodeDefinition): Promise<void> {
  for (const [name, value] of Object.entries(node.inputBindings ?? {})) {
    const title = titles[name] ?? `${name[0]!.toUpperCase()}${name.slice(1)}`
    if (name === 'files')
      for (const [file, from] of Object.entries(value as Record<string, string>))
        await write(page, await member(page, panel, title, file), from)
    else if (name === 'approvers')
      for (const [at, approver] of (value as string[]).entries()) {
        // The first stands in a new approval already.
        if (at > 0) await panel.getByRole('button', { name: `Add to ${title}`, exact: true }).click()
        await write(page, panel.getByLabel(`${title} ${at + 1}`, { exact: true }), approver)
      }
    else if (name === 'format') await panel.getByRole('combobox', { name: title }).selectOption(String(value))
    else if (name === 'data') {
      await panel.getByRole('button', { name: `Expression for ${title}` }).click()
      await write(page, box(panel, title), 'monthly.rows')
    } else if (typeof value === 'string') await write(page, box(panel, title), value)
    else {
      const kind = panel.getByRole('combobox', { name: `Kind of ${title}` })
      if ((await kind.count()) > 0) await kind.selectOption({ label: 'JSON' })
      await write(page, box(panel, title), JSON.stringify(value, null, 2))
    }
  }
}

async function fill(page: Page, panel: Locator, node: NodeDefinition): Promise<void> {
  await give(page, panel, node)
  if (node.outputVariables !== undefined) {
    await fold(panel, 'Outputs').click()
    await panel.getByRole('button', { name: 'Choose and rename' }).click()
    for (const [name, expression] of Object.entries(node.outputVariables))
      await write(page, await member(page, panel, 'Outputs', name), expression)
    for (const name of ['row_count', 'rows', 'columns', 'artifact'])
      await panel.getByRole('button', { name: `Remove Outputs: ${name}`, exact: true }).click()
  }
  await fold(panel, 'Time and order').click()
  const named = { timeout: 'Time limit', estimate: 'Estimate', phase: 'Phase' } as const
  for (const name of ['timeout', 'estimate', 'phase'] as const) {
    const value = node[name]
    const title = named[name]
    if (value !== undefined) await write(page, panel.getByLabel(title, { exact: true }), value)
  }
}

test('Seattle weather is authored by the pointer alone', async ({ page, rest }) => {
  test.setTimeout(180_000)
  await page.goto('/pipelines')
  await page.getByRole('button', { name: 'New pipeline' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New pipeline' })
  await write(page, dialog.getByRole('textbox', { name: 'Name' }), example.name ?? '')
  await write(page, dialog.getByRole('textbox', { name: 'Id' }), 'by_pointer')
  await dialog.getByRole('button', { name: 'Open the editor' }).click()
  await expect(page.getByText('An empty pipeline')).toBeVisible()

  // Every node is dragged out of the palette, and gets its edge from the one before by a line drawn between their ends.
  const canvas = page.getByRole('application', { name: 'Graph of the draft' })
  for (const node of example.nodes) {
    await page.getByRole('button', { name: 'Add node' }).click()
    const palette = page.getByRole('dialog', { name: /add/i })
    await write(page, palette.getByRole('combobox').or(palette.getByRole('textbox')).first(), node.task)
    const frame = (await canvas.boundingBox())!
    const entry = palette.getByRole('option').first()
    await drag(page, await middleOf(entry), {
      x: frame.x + frame.width * 0.62,
      y: frame.y + frame.height * 0.4,
    })
    const panel = page.getByRole('region', { name: /^Node / })
    await expect(panel).toBeVisible()
    // The name proposes an id; its author writes another one.
    await write(page, box(panel, 'Name'), node.name)
    await write(page, box(panel, 'Id'), node.id)
    await panel.getByRole('heading').first().click()
    await expect(card(page, node.id)).toBeVisible()
    const named = page.getByRole('region', { name: `Node ${node.id}` })
    await fill(page, named, node)
    await named.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Fit the whole graph' }).click()
  }
  for (const node of example.nodes.slice(1)) {
    const [source = '', outcome = ''] = (node.startWhen ?? '').replace('event:', '').split('.')
    await connect(page, source, outcome, node.id)
  }

  await page.getByRole('button', { name: 'Pipeline', exact: true }).click()
  const panel = page.getByRole('region', { name: /^Pipeline/ })
  await write(page, box(panel, 'Description'), example.description ?? '')
  await fold(panel, 'Inputs').click()
  for (const [at, [name, input]] of Object.entries(example.inputs ?? {}).entries()) {
    await member(page, panel, 'Inputs', name)
    await expect(panel.getByRole('combobox', { name: 'Type' })).toHaveCount(at + 1)
    for (const field of ['Default', 'Description'] as const) {
      await panel.getByRole('button', { name: 'More fields' }).nth(at).click()
      await page.getByRole('menuitem', { name: field }).click()
    }
    await write(page, box(panel, 'Default').nth(at), input.default)
    await write(page, box(panel, 'Description').last(), input.description ?? '')
  }
  await fold(panel, 'Inputs').click()
  await fold(panel, 'Outputs').click()
  for (const [at, [name, output]] of Object.entries(example.outputs ?? {}).entries()) {
    await member(page, panel, 'Outputs', name)
    await write(page, box(panel, 'Value').nth(at), output.value)
    await panel.getByRole('checkbox', { name: 'Required' }).nth(at).click()
    if (output.description !== undefined)
      await write(page, box(panel, 'Description').last(), output.description)
  }
  await fold(panel, 'Outputs').click()
  await fold(panel, 'Triggers').click()
  for (const trigger of example.triggers ?? []) {
    await panel.getByRole('button', { name: 'Add to Triggers' }).click()
    await write(page, box(panel, 'Id'), trigger.id)
    if (trigger.type !== 'cron') throw new Error('a trigger of another kind')
    await write(page, box(panel, 'Schedule'), trigger.cron)
    await write(page, box(panel, 'Time zone'), trigger.timezone)
    await panel.getByRole('checkbox', { name: 'Switched on' }).click()
  }
  await fold(panel, 'Triggers').click()
  await fold(panel, 'Phases').click()
  for (const [at, phase] of (example.phases ?? []).entries()) {
    await panel.getByRole('button', { name: 'Add to Phases' }).click()
    await write(page, panel.getByLabel(`Phases ${at + 1}`, { exact: true }), phase)
  }
  await fold(panel, 'Labels').click()
  for (const [name, value] of Object.entries(example.labels ?? {}))
    await write(page, await member(page, panel, 'Labels', name), value)

  await expect(page.getByText('No problems')).toBeVisible()
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page
    .getByRole('dialog', { name: 'Publish' })
    .getByRole('button', { name: 'Publish', exact: true })
    .click()
  await expect(page.getByText('Published revision 1', { exact: true })).toBeVisible()
  expect(await exported(rest, example.id)).toEqual(example)
})
