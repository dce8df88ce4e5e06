// Whether everything holds, and who must act next, as people read it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { restClient } from '@/testing/rest-client'
import { expect, signIn, startWithPages, test } from './fixture'
import { asking, waitingForEvent } from './pipelines'

test('health tells that everything holds, whom the runs wait for, and how much room there is', async ({
  page,
  server,
}) => {
  const rest = restClient(server)
  await rest.define(waitingForEvent('health_event'))
  await rest.define(asking('health_ask'))
  await page.goto('/')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  await expect(page).toHaveURL(/\/health$/)
  await expect(page.getByRole('status').filter({ hasText: 'No problems found:' })).toBeVisible()
  const id = await rest.start('health_event')
  await rest.start('health_ask')
  const next = page.getByRole('region', { name: 'Who must act next' })
  // What comes is there without a reload.
  await expect(next.getByRole('link', { name: /^(One decision|\d+ decisions)$/ })).toBeVisible()
  await expect(next.locator(`a[href="/executions/${id}"]`)).toHaveText('Wait for the shipment')
  const room = page.getByRole('region', { name: 'Capacity' })
  await expect(room.getByText(/of 8$|of \d+$/).first()).toBeVisible()
  await expect(room).toContainText(`Node ${process.versions.node}`)
})

test('health names the run that cannot be read, and says why it cannot be repaired', async ({ browser }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-journey-'))
  const first = await startWithPages({ dataDir })
  const context = await browser.newContext()
  let second: Awaited<ReturnType<typeof startWithPages>> | null = null
  try {
    const rest = restClient(first)
    await rest.define(waitingForEvent('health_damaged'))
    const id = await rest.start('health_damaged')
    await expect.poll(async () => (await rest.execution(id)).status).toBe('waiting')
    await first.stop()
    const db = new Database(join(dataDir, 'penstock.db'))
    db.prepare("UPDATE events SET payload = '{' WHERE execution_id = ? AND seq = 2").run(id)
    db.close()
    second = await startWithPages({ dataDir })
    const page = await context.newPage()
    await signIn(page, second)
    await page.goto(`${second.origin}/health`)
    await expect(page.getByText('1 problem found.')).toBeVisible()
    await expect(page).toHaveTitle(/▲ 1 · Health/)
    const wrong = page.getByRole('region', { name: 'Problems' })
    await expect(wrong.getByRole('link', { name: id })).toBeVisible()
    await wrong.getByRole('button', { name: 'Repair' }).click()
    await expect(wrong.getByRole('alert')).toContainText('It could not be repaired')
  } finally {
    await context.close()
    await second?.stop()
    await first.stop('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
})
