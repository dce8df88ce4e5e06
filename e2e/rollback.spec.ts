// A run that fails its verification is rolled back by a person, and its second pass completes. The log says all of it.
import { restClient } from '@/testing/rest-client'
import { card, expect, test } from './fixture'

const undo = (message: string) => ({ rollback: { task: 'log', inputBindings: { message } } })

const booked = {
  schemaVersion: 1,
  id: 'booked',
  name: 'Booked',
  phases: ['book', 'review', 'publish'],
  verify: [{ name: 'Has rows', check: '{{ publish.rows > 0 }}' }],
  nodes: [
    {
      ...{ id: 'book', name: 'Book it', task: 'set', phase: 'book', startWhen: 'event:pipeline.started' },
      inputBindings: { number: 7 },
      ...undo('give back {{ book.number }}'),
    },
    {
      ...{ id: 'review', name: 'Review it', task: 'approval', phase: 'review' },
      startWhen: 'event:book.completed',
      inputBindings: {
        message: 'How many rows?',
        approvers: ['role:approver'],
        form: { rows: { type: 'number' } },
      },
    },
    {
      ...{ id: 'publish', name: 'Publish it', task: 'set', phase: 'publish' },
      startWhen: 'event:review.approved',
      inputBindings: { rows: '{{ review.form.rows }}' },
      ...undo('take back {{ publish.rows }}'),
    },
  ],
}

test.beforeAll(async ({ server }) => {
  await restClient(server).define(booked)
})

test('[H-1, H-O5, H-O7, R-63] a failed verification, the preview, the rollback in its order, and a second pass that completes', async ({
  page,
  rest,
}) => {
  const id = await rest.start('booked')
  const approve = (rows: number) =>
    rest.call('POST', `/executions/${id}/nodes/review/decision`, { decision: 'approved', form: { rows } })
  await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
  await approve(0)
  await page.goto(`/executions/${id}/graph`)
  await expect(page).toHaveTitle(/Failed · Booked/)
  const why = page.getByRole('alert').filter({ hasText: 'a check does not hold' })
  await expect(why).toContainText("'Has rows': publish.rows is 0")
  await expect(page.getByText('0 of 1 hold')).toBeVisible()

  // Exactly what is undone is shown before anything happens.
  await page.getByRole('button', { name: 'Roll back' }).click()
  const dialog = page.getByRole('dialog', { name: 'Roll back this run?' })
  const order = dialog.getByRole('list', { name: 'Order of the rollback' })
  await expect(order.getByRole('listitem')).toHaveText(['Publish it', 'Book it'])
  await expect(dialog).toContainText('Book it by Review it')
  expect((await rest.execution(id)).generation).toBe(1)
  await dialog.getByLabel('What').selectOption('phase:publish')
  await expect(order.getByRole('listitem')).toHaveText(['Publish it'])
  await dialog.getByLabel('What').selectOption('execution')
  await expect(order.getByRole('listitem')).toHaveText(['Publish it', 'Book it'])
  await dialog.getByLabel('Run again afterwards').check()
  await dialog.getByLabel('Reason').fill('no rows')
  await dialog.getByRole('button', { name: 'Roll back' }).click()

  // The second pass asks again, and completes.
  await expect(card(page, 'review')).toHaveAttribute('data-status', 'waiting')
  await approve(3)
  await expect(page).toHaveTitle(/Completed · Booked/)
  await expect(page.getByText('1 of 1 hold')).toBeVisible()

  const { body } = await rest.call('GET', `/executions/${id}/events?superseded=true&limit=250`)
  const types = (body as { items: { type: string }[] }).items.map(({ type }) => type)
  const told = types.filter((type) =>
    /rollback\.completed$|^pipeline\.(verifying|failed|rolling_back|rolled_back|restarted|completed)$/.test(
      type,
    ),
  )
  expect(told).toEqual([
    'pipeline.verifying',
    'pipeline.failed',
    'pipeline.rolling_back',
    'publish.rollback.completed',
    'book.rollback.completed',
    'pipeline.rolled_back',
    'pipeline.restarted',
    'pipeline.verifying',
    'pipeline.completed',
  ])
  await page.getByRole('link', { name: /^Events/ }).click()
  await expect(page.getByRole('button', { name: /pipeline\.rolling_back/ })).toContainText('superseded')
})
