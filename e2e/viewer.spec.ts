// Somebody who may only read sees everything, and is offered nothing that would be refused.
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { restClient } from '@/testing/rest-client'
import { expect, signIn, startWithPages, test } from './fixture'
import { asking, failing, waitingForEvent } from './pipelines'

test('who may only read is offered no deed, on runs, at gates and in lists', async ({ browser }) => {
  const server = await startWithPages()
  const context = await browser.newContext({ baseURL: server.origin })
  try {
    const rest = restClient(server)
    const start = async (definition: { id: string }) => {
      await rest.define(definition)
      return rest.start(definition.id)
    }
    const pages = [
      { path: `/executions/${await start(failing('viewer_fails'))}/graph?node=import_rows`, text: /row 318/ },
      { path: `/executions/${await start(asking('viewer_asks'))}/graph?node=ask`, text: /0 of 1 approval/ },
      {
        path: `/executions/${await start(waitingForEvent('viewer_waits'))}/graph?node=receive`,
        text: /external\.shipment/,
      },
      { path: '/pipelines', text: /viewer_waits/ },
    ]
    const page = await context.newPage()
    const deeds = page.getByRole('button', {
      name: /^(Run |Rerun|Pause run|Cancel run|Approve|Reject|Send )/,
    })
    await signIn(page, server)
    for (const { path, text } of pages) {
      await page.goto(path)
      await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
      await expect(deeds.first()).toBeVisible()
    }

    // The owner holds every right, so the session becomes that of somebody else.
    const database = new Database(join(server.dataDir, 'penstock.db'))
    const owner = database.prepare('SELECT * FROM user').get() as Record<string, unknown>
    const viewer = {
      ...owner,
      id: 'usr_viewer',
      name: 'viewer',
      email: 'viewer@test.invalid',
      roles: 'viewer',
    }
    const columns = Object.keys(viewer)
    const marks = columns.map(() => '?').join(', ')
    database.prepare(`INSERT INTO user (${columns.join(', ')}) VALUES (${marks})`).run(Object.values(viewer))
    expect(database.prepare(`UPDATE session SET user_id = 'usr_viewer'`).run().changes).toBe(1)
    database.close()
    for (const { path, text } of pages) {
      await page.goto(path)
      await expect(page.getByRole('main').getByText(text).first()).toBeVisible()
      // Only then it is known who looks.
      await expect(page.getByRole('button', { name: 'Account of viewer' })).toBeVisible()
      await expect(deeds).toHaveCount(0)
    }
    await page.goto(pages[1]!.path)
    await expect(page.getByText('You are not one of the approvers.')).toBeVisible()
  } finally {
    await context.close()
    await server.stop()
  }
})
