import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { restClient, type RestClient } from './rest-client'
import { bootMs, startServer, type ServerProcess } from './server-process'
import { signIn } from './sign-in'

const fixture = join(import.meta.dirname, 'fixtures/data-folder-0008')
const roles = ['viewer', 'operator', 'approver', 'editor', 'admin']
const ids = JSON.parse(readFileSync(join(fixture, 'manifest.json'), 'utf8')) as Record<string, string>

let dataDir: string
let server: ServerProcess
let client: RestClient
let owner: RestClient

/** The execution once it is closed: every end is announced on the stream. */
async function ended(id: string) {
  await client.follow(id, ({ type }) => type === 'pipeline.closed')
  return client.execution(id)
}

describe('a data folder of the version with 8 migrations', () => {
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'penstock-data-folder-'))
    for (const file of ['secret.key', 'examples.loaded']) cpSync(join(fixture, file), join(dataDir, file))
    writeFileSync(join(dataDir, 'penstock.db'), gunzipSync(readFileSync(join(fixture, 'penstock.db.gz'))))
    // The runs of the fixture ended long ago: they must not go for their age.
    server = await startServer({ dataDir, env: { PENSTOCK_RETENTION_DAYS: '36500' } })
    client = restClient(server)
    owner = restClient(server, await signIn(server))
  }, bootMs + 10_000)
  afterAll(async () => {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('opens, migrates and answers what was there', async () => {
    expect(await client.execution(ids['finished']!)).toMatchObject({
      status: 'completed',
      requested_by: 'bootstrap',
      outputs: { text: 'revision 3: hello before' },
    })
    const revisions = await client.call('GET', '/pipelines/greeting/revisions')
    expect(revisions.body).toMatchObject({
      items: [
        { revision: 3, created_by: 'bootstrap' },
        { revision: 2, created_by: 'owner' },
        { revision: 1, created_by: 'bootstrap' },
      ],
    })
    expect((await client.call('GET', '/secrets')).body).toMatchObject({
      items: [{ name: 'api_key', updated_by: 'bootstrap' }],
    })
    expect((await client.call('GET', `/webhooks/${ids['webhook']}`)).body).toMatchObject({
      event_types: ['pipeline.failed'],
      created_by: 'bootstrap',
    })
    expect((await client.call('GET', '/schedules?pipeline=yearly')).body).toMatchObject({
      items: [{ pipeline_id: 'yearly', trigger_id: 'new_year', active: true }],
    })
  })

  it('[R-92] knows the owner by one id, whichever door they come through', async () => {
    const byToken = (await client.call('GET', '/whoami')).body as { id: string }
    const bySession = (await owner.call('GET', '/whoami')).body
    expect(byToken).toMatchObject({
      id: expect.stringMatching(/^usr_\w+$/),
      kind: 'user',
      name: 'bootstrap',
      roles,
      via: 'token',
    })
    expect(bySession).toMatchObject({ id: byToken.id, kind: 'user', name: 'owner', roles, via: 'session' })
    expect((await client.call('GET', '/secrets')).body).toMatchObject({
      items: [{ updated_by: 'bootstrap', updated_by_id: byToken.id }],
    })
    expect((await client.call('GET', '/pipelines/greeting?revision=2')).body).toMatchObject({
      created_by: 'owner',
      created_by_id: byToken.id,
    })
    // A journal is read as it is.
    expect(await client.execution(ids['finished']!)).toMatchObject({ requested_by_id: null })
  })

  it('[R-92] gives the drafts of both names to the owner, and loses no text', async () => {
    for (const who of [client, owner]) {
      expect((await who.call('GET', '/drafts')).body).toMatchObject({
        items: [
          { pipeline_id: 'greeting', base_revision: 3 },
          { pipeline_id: 'greeting_bootstrap', base_revision: 0 },
          { pipeline_id: 'of_bootstrap', base_revision: 0 },
          { pipeline_id: 'of_owner', base_revision: 0 },
        ],
      })
      const textOf = async (id: string) =>
        ((await who.call('GET', `/pipelines/${id}/draft`)).body as { text: string }).text
      expect(await textOf('greeting')).toBe('id: greeting\n# by the session, later\n')
      expect(await textOf('greeting_bootstrap')).toBe('id: greeting\n# by the token\n')
      expect(await textOf('of_bootstrap')).toBe('id: of_bootstrap\n# by the token\n')
      expect(await textOf('of_owner')).toBe('id: of_owner\n# by the session\n')
    }
  })

  it('[R-73][R-92] gives the first answer to the keys of before, to either door', async () => {
    const again = async (who: RestClient, key: string, name: string) =>
      (
        await who.call(
          'POST',
          '/pipelines/greeting/executions',
          { inputs: { who: name } },
          { 'idempotency-key': key },
        )
      ).body
    for (const who of [client, owner]) {
      expect(await again(who, 'token-1', 'token key')).toMatchObject({ execution_id: ids['keyedByToken'] })
      expect(await again(who, 'owner-1', 'owner key')).toMatchObject({ execution_id: ids['keyedByOwner'] })
      expect(await again(who, 'both', 'the same key')).toMatchObject({ execution_id: ids['sharedByToken'] })
      expect(await again(who, 'both', 'something else')).toMatchObject({
        error: { code: 'idempotency_conflict' },
      })
    }
    const hook = { url: 'https://hooks.penstock.invalid/in', event_types: ['pipeline.failed'] }
    expect((await owner.call('POST', '/webhooks', hook, { 'idempotency-key': 'hook-1' })).body).toMatchObject(
      {
        webhook_id: ids['webhook'],
        secret: ids['webhookSecret'],
      },
    )
  })

  it('[R-92] counts the vote of before as the one of the owner, whichever door they come through', async () => {
    const id = ids['oneVote']!
    for (const who of [client, owner])
      expect(await who.decide(id, 'ask', 'approved')).toMatchObject({
        status: 409,
        body: { error: { code: 'already_decided' } },
      })
    expect((await client.call('POST', `/executions/${id}/cancel`, {})).status).toBeLessThan(300)
    expect(await ended(id)).toMatchObject({ status: 'cancelled' })
  })

  it('[R-92] keeps who started a run of before from deciding it, whichever door they come through', async () => {
    const id = ids['excluded']!
    for (const who of [client, owner]) expect((await who.decide(id, 'ask', 'approved')).status).toBe(403)
  })

  it('goes on with a parent whose child waits for an external event', async () => {
    const { status } = await client.call('POST', '/events', {
      execution_id: ids['parentChild'],
      event_type: 'external.data_ready',
    })
    expect(status).toBe(202)
    expect(await ended(ids['parent']!)).toMatchObject({ status: 'completed', outputs: { got: 'external' } })
  })

  it('goes on with a parent and a child that were paused', async () => {
    const { paused, pausedChild } = ids
    expect(await client.execution(pausedChild!)).toMatchObject({ status: 'paused' })
    expect((await client.call('POST', `/executions/${paused}/resume`, {})).status).toBe(200)
    expect(await ended(paused!)).toMatchObject({ status: 'completed', outputs: { done: true } })
  })
})
