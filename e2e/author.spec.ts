// An example is authored anew, by code alone, and what comes out is the example: but for its places on the canvas.
import { readFileSync } from 'node:fs'
import { parseYaml } from '@/core/pipeline/yaml'
import { restClient } from '@/testing/rest-client'
import { expect, publishDraft, test } from './fixture'
import type { Rest } from './fixture'

const EXAMPLE = readFileSync('examples/seattle_weather.yaml', 'utf8')

const placeholder = (id: string) => ({
  schemaVersion: 1,
  id,
  nodes: [{ id: 'first', task: 'noop', startWhen: 'event:pipeline.started' }],
})

/** What the example says under another id, without places. */
function wanted(id: string): unknown {
  const read = parseYaml(EXAMPLE)
  if (!read.ok) throw new Error('the example cannot be read')
  const { layout: _, ...definition } = read.value as Record<string, unknown>
  return { ...definition, id }
}

async function exported(rest: Rest, id: string): Promise<unknown> {
  const { body } = await rest.call('GET', `/pipelines/${id}`)
  const { layout: _, ...definition } = (body as { definition: Record<string, unknown> }).definition
  return definition
}

test('Seattle weather is authored by code alone', async ({ page, rest, server }) => {
  await restClient(server).define(placeholder('by_code'))
  await page.goto('/pipelines/by_code')
  await page.getByRole('button', { name: 'Code', exact: true }).click()
  await page.getByRole('textbox', { name: 'Definition as YAML' }).click()
  await page.keyboard.press('Control+a')
  // The head is typed, letter by letter; the rest comes from elsewhere.
  await page.keyboard.type('schemaVersion: 1\nid: by_code\nname: Seattle weather')
  await page.keyboard.type(' report\n')
  await page.keyboard.insertText(EXAMPLE.slice(EXAMPLE.indexOf('description:'), EXAMPLE.indexOf('layout:')))
  await expect(page.getByText('No problems')).toBeVisible()
  await publishDraft(page, 2)
  expect(await exported(rest, 'by_code')).toEqual(wanted('by_code'))
})
