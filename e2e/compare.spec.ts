// Runs against each other: two side by side, and the latest by node.
import { expect, test, type Rest } from './fixture'
import { measured } from './timed-pipelines'

async function ended(rest: Rest, inputs: object): Promise<string> {
  const id = await rest.start('compare_runs', inputs)
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBe(null)
  return id
}

test('a run is held against the last good one, and the history of its nodes leads back to it', async ({
  page,
  rest,
}) => {
  await rest.define(measured('compare_runs'))
  // Longer than a process takes to begin: of the run that completed, this node is the first to optimise.
  const good = await ended(rest, { ms: 500, word: 'sluice' })
  const bad = await ended(rest, { ms: 1500, word: '' })

  await page.goto(`/executions/${bad}/graph`)
  await page.getByRole('link', { name: 'Compare', exact: true }).click()
  await page.getByRole('link', { name: `Compare with ${good}` }).click()
  await expect(page).toHaveURL(`/executions/${bad}/compare?with=${good}`)
  const runs = page.getByRole('region', { name: 'The two runs' })
  await expect(runs.getByText('Both ran revision 1.')).toBeVisible()
  await expect(runs.getByText(/^This run took .* more/)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Inputs', exact: true })).toContainText('sluice')

  // What differs most is first; outputs that differ are told.
  const nodes = page.getByRole('region', { name: 'Nodes of both runs' })
  const rowOf = (node: string) => nodes.locator(`[data-node-row="${node}"]`)
  await expect(nodes.locator('tbody tr').first()).toContainText(/Check the word.*Completed.*Failed/)
  await expect(rowOf('work')).toContainText('outputs, duration')
  await rowOf('work').getByRole('button', { name: 'outputs' }).click()
  await expect(nodes.locator('del')).toContainText('sluice')
  await nodes.getByRole('button', { name: 'Change' }).click()
  await expect(nodes.getByRole('columnheader', { name: 'Change' })).toHaveAttribute('aria-sort', 'descending')
  await expect(nodes.locator('tbody tr').first()).toContainText('Do the work')
  await page.getByLabel(/^Only the \d that differ$/).check()
  await expect(nodes.getByText('nothing', { exact: true })).toHaveCount(0)
  const chains = page.getByRole('region', { name: 'Critical paths of both runs' })
  await expect(chains.getByRole('row', { name: /^Do the work/ })).toBeVisible()

  // Two that are chosen in the list are compared as well, the later with the earlier.
  await page.goto('/pipelines/compare_runs/executions')
  await page.getByRole('checkbox', { name: 'Choose all that are shown' }).check()
  await page.getByRole('region', { name: 'Chosen runs' }).getByRole('link', { name: 'Compare' }).click()
  await expect(page).toHaveURL(`/executions/${bad}/compare?with=${good}`)

  await page.goto('/pipelines/compare_runs/executions')
  await page.getByRole('link', { name: 'Durations' }).click()
  await expect(
    page.getByRole('list', { name: 'What to optimise first' }).getByRole('listitem').first(),
  ).toContainText(/Do the work.*saves/)
  const map = page.getByRole('grid')
  await expect(map.getByRole('rowheader')).toHaveCount(4)
  await expect(map.getByRole('rowheader').first()).toHaveText('Do the work')
  const cell = (name: RegExp) => map.getByRole('link', { name })
  await expect(cell(new RegExp(`Check the word, run ${bad}: Failed`))).toHaveCount(1)
  await expect(cell(new RegExp(`Publish, run ${bad}: Skipped`))).toHaveCount(1)
  await cell(new RegExp(`^Do the work, run ${bad}`)).focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.locator('[data-summary]')).not.toHaveAttribute('data-summary', 'work')
  await cell(new RegExp(`^Check the word, run ${bad}`)).focus()
  await expect(page.locator('[data-summary="check"]')).toContainText('Failed in')
  await page.keyboard.press('ArrowRight')
  await expect(cell(new RegExp(`^Check the word, run ${good}: Completed`))).toBeFocused()
  await page.keyboard.press('ArrowLeft')
  // A run that ends while one looks is in it, and what is focused stays so.
  const third = await rest.start('compare_runs', { word: 'x' })
  await expect(cell(new RegExp(`^Do the work, run ${third}`))).toHaveCount(1)
  await expect(cell(new RegExp(`^Check the word, run ${bad}`))).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/executions/${bad}/graph?node=check`)
  await expect(page.getByRole('region', { name: 'Node Check the word' })).toContainText('there is no word')
})
