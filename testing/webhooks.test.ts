import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReceiver, type Receiver } from './receiver'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'

const KILLS = 6
const CHAIN = 15

let dataDir: string
let server: ServerProcess
let client: RestClient
let receiver: Receiver

async function boot(): Promise<void> {
  server = await startServer({ dataDir, env: { PENSTOCK_EGRESS_ALLOW: '127.0.0.1' } })
  client = restClient(server)
}

describe('webhooks of a server that is killed', () => {
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'penstock-webhooks-'))
    receiver = await openReceiver()
    await boot()
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    await receiver[Symbol.asyncDispose]()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it(`[R-19][E-18] ${KILLS} kills between a call and its record: every event arrives, repeated only under its id`, async () => {
    const chain = Array.from({ length: CHAIN }, (_, n) => ({
      id: `n${n}`,
      task: 'noop',
      startWhen: n === 0 ? 'event:pipeline.started' : `event:n${n - 1}.completed`,
    }))
    await client.define({ schemaVersion: 1, id: 'chain', name: 'chain', nodes: chain })
    const subscription = { url: receiver.url, event_types: ['*.*', '*.task.*'], retry: { backoff: '1s' } }
    expect((await client.call('POST', '/webhooks', subscription)).status).toBe(201)

    const runs: string[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const before = receiver.received.length
      runs.push(await client.start('chain'))
      // Some calls are answered, the next ones are on their way and unanswered when the process dies.
      let answered = 0
      const patience = kill * 7
      receiver.answer = (response) => {
        if (answered++ < patience) response.writeHead(204).end()
      }
      await receiver.until(({ length }) => length > before + patience)
      await server.stop('SIGKILL')
      receiver.answer = (response) => void response.writeHead(204).end()
      await boot()
    }

    const expected: string[] = []
    for (const id of runs) {
      await client.follow(id, ({ type }) => type === 'pipeline.closed')
      expected.push(...(await client.events(id)).map((event) => event.id))
    }
    const ids = () => new Set(receiver.received.map(({ headers }) => String(headers['webhook-id'])))
    await receiver.until(() => ids().size === expected.length)
    expect([...ids()].toSorted()).toEqual(expected.toSorted())
    const repeated = receiver.received.length - expected.length
    expect(repeated).toBeGreaterThanOrEqual(KILLS)
    for (const { headers, body } of receiver.received) expect(headers['webhook-id']).toBe(body.event.id)
  }, 300_000)
})
