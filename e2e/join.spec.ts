// A join as real traces have them: hundreds of tasks into one.
import { card, expect, publishDraft, test } from './fixture'

const COUNT = 800
test.use({ serverEnv: { PENSTOCK_MAX_NODES: '1000' } })

const search = (at: number) => `search_${at}`

/** A search of a database in parts: split, 800 searches, and the join of them. The last waits until somebody lets it go. */
const parts = (id: string) => ({
  schemaVersion: 1,
  id,
  name: 'Search in parts',
  nodes: [
    { id: 'split', task: 'set', startWhen: 'event:pipeline.started', inputBindings: { parts: COUNT } },
    ...Array.from({ length: COUNT }, (_, at) => ({
      id: search(at),
      task: 'set',
      startWhen: `event:split.completed${at === COUNT - 1 ? ' && event:external.go' : ''}`,
      inputBindings: { found: at },
    })),
    {
      id: 'join',
      task: 'set',
      startWhen: Array.from({ length: COUNT }, (_, at) => `event:${search(at)}.completed`).join(' && '),
      inputBindings: { last: `{{ ${search(COUNT - 1)}.found }}` },
    },
  ],
})

test('[R-87] a join of 800 is drawn, edited, proven, run and explained', async ({ page, rest }) => {
  await rest.define(parts('search_in_parts'))
  await page.goto('/pipelines/search_in_parts?node=join')
  await expect(page.locator('[data-group]')).toContainText(`${COUNT - 1} tasks`)
  await expect(card(page, 'join')).toBeVisible()
  await expect(page.getByText('No problems')).toBeVisible()

  // A condition that excludes itself is proven never to open, and an undo takes it back.
  const starts = page.getByRole('textbox', { name: 'Starts when' })
  await starts.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(` && !event:${search(0)}.completed`)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('region', { name: 'Problems of the draft' })).toContainText(/can never/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('No problems')).toBeVisible()
  await starts.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.type(' && {{ split.parts > 1 }}')
  await page.keyboard.press('Tab')
  await expect(page.getByText('No problems')).toBeVisible()
  await publishDraft(page, 2)

  const run = await rest.start('search_in_parts')
  await page.goto(`/executions/${run}/graph?node=join`)
  await expect(page.locator('[data-group]')).toContainText(`${COUNT - 1} completed`)
  const panel = page.getByRole('region', { name: 'Node join' })
  await expect(panel).toContainText(`waits for ${search(COUNT - 1)}`)
  await expect(panel.getByText(`${search(COUNT - 1)}.completed`)).toBeVisible()
  expect((await rest.call('POST', '/events', { execution_id: run, event_type: 'external.go' })).status).toBe(
    202,
  )
  await expect(card(page, 'join')).toHaveAttribute('data-status', 'completed')
  await expect(panel).toContainText(String(COUNT - 1))
})
