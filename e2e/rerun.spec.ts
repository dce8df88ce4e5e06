// A run that is run again: from what failed, from a node, and as a new run. The page stays open over all of it.
import { restClient } from '@/testing/rest-client'
import { card, expect, expectSameDocument, markDocument, test } from './fixture'
import { gated } from './pipelines'

test.beforeAll(async ({ server }) => {
  await restClient(server).define(gated('release'))
})

test('[R-64, R-78] rerun what failed, rerun from a node, run again with other inputs', async ({
  page,
  rest,
}) => {
  const id = await rest.start('release', { version: '1.0' })
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await rest.decide(id, 'approve', 'rejected')
  await page.goto(`/executions/${id}/graph`)
  await expect(page).toHaveTitle(/Rejected by bootstrap · Release/)
  await markDocument(page)

  // The exact set is shown before anything happens; then the closed run is live again.
  await page.getByRole('button', { name: 'Rerun failed' }).click()
  const failed = page.getByRole('dialog', { name: 'Rerun what failed?' })
  await expect(failed.getByRole('listitem')).toHaveText([/approve/, /publish/])
  expect((await rest.execution(id)).generation).toBe(1)
  await failed.getByRole('button', { name: 'Rerun 2 nodes' }).click()
  await expect(page.getByText('Rerunning 2 nodes', { exact: true })).toBeVisible()
  await expect(card(page, 'approve')).toHaveAttribute('data-status', 'waiting')
  await expect(card(page, 'prepare')).toHaveAttribute('data-status', 'completed')
  await expect(page.getByRole('button', { name: 'Cancel run' })).toBeVisible()
  await rest.decide(id, 'approve', 'approved')
  await expect(card(page, 'publish')).toHaveAttribute('data-status', 'completed')
  await expect(page).toHaveTitle(/Completed · Release/)
  await expect(page.getByRole('button', { name: 'Rerun failed' })).toHaveCount(0)

  // From one node, with the keyboard.
  await card(page, 'publish').click()
  const panel = page.getByRole('region', { name: 'Node Publish it' })
  await panel.getByRole('button', { name: 'Rerun from here…' }).focus()
  await page.keyboard.press('Enter')
  const from = page.getByRole('dialog', { name: 'Rerun from Publish it?' })
  await expect(from.getByRole('listitem')).toHaveText([/publish/])
  await from.getByRole('button', { name: 'Rerun 1 node' }).click()
  await expect(panel).toContainText('generation 3')
  await expect(page).toHaveTitle(/Completed · Release/)

  // What counted before is marked in the events; from any of them a run can be forked.
  await page.getByRole('link', { name: /^Events/ }).click()
  const rejection = page.getByRole('button', { name: /(?<!external\.)approve\.rejected/ })
  await expect(rejection).toContainText('superseded')
  await expectSameDocument(page)
  await page.getByRole('button', { name: /prepare\.completed/ }).click()
  await page.getByRole('button', { name: 'Fork from here…' }).click()
  await expect(page.getByRole('dialog', { name: /^Fork from event/ })).toBeVisible()
  await page.keyboard.press('Escape')

  // A new run with other inputs, which says where it comes from.
  await page.getByRole('button', { name: 'Run again' }).click()
  const again = page.getByRole('dialog', { name: 'Run again?' })
  await expect(again.getByLabel('version')).toHaveValue('1.0')
  await again.getByLabel('version').fill('1.1')
  await again.getByRole('button', { name: 'Start run' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(page.locator('header').first()).toContainText(`Run again after${id}`)
  const forked = /executions\/([^/]+)/.exec(page.url())![1]!
  expect(await rest.execution(forked)).toMatchObject({
    inputs: { version: '1.1' },
    origin: { execution_id: id, seq: 0 },
  })
})

/** `load` fails, or takes what the revision says; people are asked before `publish`. */
const importing = (load: object) => ({
  schemaVersion: 1,
  id: 'table_import',
  name: 'Import',
  nodes: [
    {
      id: 'prepare',
      name: 'Prepare it',
      task: 'set',
      inputBindings: { v: 1 },
      startWhen: 'event:pipeline.started',
    },
    {
      id: 'load',
      name: 'Load it',
      startWhen: 'event:prepare.completed',
      ...load,
    },
    {
      id: 'approve',
      name: 'Approve it',
      task: 'approval',
      startWhen: 'event:load.completed',
      inputBindings: { message: 'Publish it?', approvers: ['role:approver'] },
    },
    { id: 'publish', name: 'Publish it', task: 'noop', startWhen: 'event:approve.approved' },
  ],
})
const broken = importing({
  task: 'fail',
  inputBindings: { message: 'the table has no column rows' },
  outputVariables: { rows: '{{ 0 }}' },
})

test('[R-88] a broken run goes on with the corrected revision, and both runs name each other', async ({
  page,
  rest,
}) => {
  await rest.define(broken)
  const id = await rest.start('table_import')
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBeNull()
  const corrected = importing({ task: 'set', inputBindings: { rows: 12 } })
  expect((await rest.call('PUT', '/pipelines/table_import', corrected, { 'if-match': '1' })).status).toBe(200)
  await page.goto(`/executions/${id}/graph`)
  await markDocument(page)
  const header = page.locator('header').first()
  await expect(header).toContainText('Revision 2 is newer than revision 1 of this run: what differs')

  // The rerun of what failed names both, and the revision of the run is chosen.
  await page.getByRole('button', { name: 'Rerun failed' }).click()
  const rerun = page.getByRole('dialog', { name: 'Rerun what failed?' })
  await expect(rerun.getByLabel('Revision 1, as this run')).toBeChecked()
  await expect(rerun.getByRole('button', { name: 'Rerun 3 nodes', exact: true })).toBeEnabled()
  await rerun.getByText('Revision 2 is newer: what differs').click()
  await expect(rerun.getByRole('list', { name: 'Changes' })).toContainText('Node Load it changed')
  await page.keyboard.press('Escape')

  // The offer of the header chooses the newest.
  await page.getByRole('button', { name: 'Rerun with revision 2…' }).click()
  await expect(rerun.getByLabel('Revision 2, the newest')).toBeChecked()
  await expect(rerun.getByRole('list', { name: 'Nodes to rerun' }).getByRole('listitem')).toHaveText([
    /Load it/,
    /Approve it/,
    /Publish it/,
  ])
  await rerun.getByRole('button', { name: 'Rerun 3 nodes with revision 2' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(card(page, 'prepare')).toHaveAttribute('data-status', 'completed')
  await expect(card(page, 'approve')).toHaveAttribute('data-status', 'waiting')
  await expect(header).toContainText(`of${id}`)
  const next = /executions\/([^/]+)/.exec(page.url())![1]!
  expect(await rest.execution(next)).toMatchObject({
    revision: 2,
    nodes: { load: { outputs: { rows: 12 } } },
  })
  await page.goto(`/executions/${id}/graph`)
  await expect(header).toContainText(`Forked as${next} (revision 2)`)

  // A new run of it may take the newest too.
  await page.getByRole('button', { name: 'Run again' }).click()
  const again = page.getByRole('dialog', { name: 'Run again?' })
  await again.getByLabel('Revision 2, the newest').check()
  await again.getByRole('button', { name: 'Start run' }).click()
  await expect(header).toContainText(`Run again after${id}`)
  await expect(header).toContainText('Revision2')
})

test('[R-94] a failed node is completed by hand, and every view of it says so', async ({ page, rest }) => {
  await rest.define({ ...broken, id: 'by_hand', name: 'By hand' })
  const id = await rest.start('by_hand')
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBeNull()
  await page.goto(`/executions/${id}/graph?node=load`)
  const panel = page.getByRole('region', { name: 'Node Load it' })
  await panel.getByRole('button', { name: 'Complete by hand…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Complete Load it by hand?' })
  await expect(dialog).toContainText('Runs because of it: Approve it, Publish it.')
  await dialog.getByRole('button', { name: 'Complete by hand' }).click()
  await expect(dialog.getByRole('alert')).toHaveText(['Say why, for those who look later.'])
  await dialog.getByLabel('rows').fill('12')
  await dialog.getByLabel('Reason').fill('Loaded from the archive')
  await dialog.getByRole('button', { name: 'Complete by hand' }).click()
  await expect(card(page, 'load')).toHaveAttribute('data-status', 'completed')
  await expect(card(page, 'load')).toContainText('by hand')
  await expect(panel).toContainText('owner: Loaded from the archive')
  await expect(panel.getByRole('button', { name: 'Complete by hand…' })).toHaveCount(0)

  // Who decides is told.
  await card(page, 'approve').click()
  await expect(page.getByRole('region', { name: 'Node Approve it' })).toContainText(
    'Completed by hand before this: Load it',
  )
  await page.goto('/approvals')
  await expect(page.getByRole('article').filter({ hasText: 'By hand' })).toContainText(
    'Completed by hand before this: Load it',
  )
  await page.goto(`/executions/${id}/events`)
  await expect(page.getByRole('button', { name: /load\.completed/ })).toContainText('by hand')
  await rest.decide(id, 'approve', 'approved')
  await expect.poll(async () => (await rest.execution(id)).status).toBe('completed')
})

test('[R-88] from a failed node to the editor, and a fork where the newest revision needs an input', async ({
  page,
  rest,
  provoked,
}) => {
  // The rerun is refused, and so is the preview of a fork without the input.
  provoked(/422 \(Unprocessable Entity\)/)
  await rest.define({ ...broken, id: 'needs_day', name: 'Needs a day' })
  const id = await rest.start('needs_day')
  await expect.poll(async () => (await rest.execution(id)).closed_at).not.toBeNull()
  const corrected = {
    ...importing({ task: 'set', inputBindings: { rows: '{{ pipeline.input.day }}' } }),
    ...{ id: 'needs_day', name: 'Needs a day', inputs: { day: { type: 'string' } } },
  }
  expect((await rest.call('PUT', '/pipelines/needs_day', corrected, { 'if-match': '1' })).status).toBe(200)

  await page.goto(`/executions/${id}/graph?node=load`)
  await page
    .getByRole('region', { name: 'Node Load it' })
    .getByRole('link', { name: 'Edit this node' })
    .click()
  await expect(page).toHaveURL(/\/pipelines\/needs_day\?node=load$/)
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Load it')
  await page.goBack()

  await page.getByRole('button', { name: 'Rerun with revision 2…' }).click()
  const rerun = page.getByRole('dialog', { name: 'Rerun what failed?' })
  await expect(rerun.getByRole('alert')).toContainText('Revision 2 needs day')
  await rerun.getByRole('button', { name: 'Fork it instead…' }).click()
  const fork = page.getByRole('dialog', { name: /^Fork from event/ })
  await fork.getByLabel('day').fill('monday')
  await fork.getByRole('button', { name: 'Start run' }).click()
  await expect(page).not.toHaveURL(new RegExp(id))
  await expect(card(page, 'prepare')).toContainText('reused')
  await expect(card(page, 'load')).toHaveAttribute('data-status', 'completed')
})
