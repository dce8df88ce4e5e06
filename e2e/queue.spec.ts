// What waits for what, who holds it, and how much there is; an admin changes it while runs go on.
import { expect, test } from './fixture'

const training = (id: string, ms: number) => ({
  schemaVersion: 1,
  id,
  name: 'Training',
  nodes: ['first', 'second', 'third'].map((node) => ({
    id: node,
    task: 'script.javascript',
    startWhen: 'event:pipeline.started',
    inputBindings: {
      input: { ms },
      code: 'const end = Date.now() + input.ms; while (Date.now() < end) {} return 1',
    },
    resources: { gpu: 4, memory: '8Gi', pools: { licences: 1 } },
  })),
})

test('the queue names the pool that is full and its holders, and a larger pool lets the next one go', async ({
  page,
  rest,
}) => {
  await rest.call('PUT', '/pools/licences', { capacity: 4 })
  await rest.define(training('training', 60_000))
  const id = await rest.start('training')
  await page.goto('/queue')
  const waiting = page.getByRole('region', { name: 'Nodes that wait' })
  await expect(waiting.getByRole('row', { name: /third/ })).toContainText('gpu: 8 of 10 in use, needs 4')
  const gpu = page.getByRole('listitem').filter({ hasText: 'GPUs' })
  await expect(gpu).toContainText('wanted by 1 waiting')
  await gpu.getByRole('button', { name: 'Who holds it' }).click()
  await expect(page.getByRole('list', { name: 'Who holds gpu' }).getByRole('listitem')).toHaveCount(2)
  await gpu.getByRole('button', { name: 'Change gpu' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change gpu' })
  await dialog.getByLabel('Capacity').fill('12')
  await dialog.getByRole('button', { name: 'Set the pool' }).click()
  await expect(page.getByText('Nothing waits')).toBeVisible()
  await expect(gpu).toContainText('12 of 12')
  await rest.call('POST', `/executions/${id}/cancel`, {})
})

test('a new pool is made in its dialog, and refused with the reason beside the field', async ({
  page,
  provoked,
}) => {
  provoked(/422/)
  await page.goto('/queue')
  await page.getByRole('button', { name: 'New pool' }).click()
  const dialog = page.getByRole('dialog', { name: 'New pool' })
  await dialog.getByLabel('Name').fill('big.warehouse')
  await dialog.getByLabel('Capacity').fill('3')
  await dialog.getByRole('button', { name: 'Set the pool' }).click()
  await expect(dialog.getByText('the pools of a worker group are slots, cpu, memory, gpu')).toBeVisible()
  await dialog.getByLabel('Name').fill('warehouse')
  await dialog.getByRole('button', { name: 'Set the pool' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'warehouse' })).toContainText('0 of 3')
})
