import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allGone, childrenOf } from './processes'
import { restClient, type RestClient } from './rest-client'
import { startServer, type ServerProcess } from './server-process'

/** `PENSTOCK_KILLS=1000` kills so often. */
const KILLS = Number(process.env['PENSTOCK_KILLS'] ?? 20)

let dataDir: string
let server: ServerProcess
let client: RestClient

async function boot(): Promise<void> {
  server = await startServer({ dataDir })
  client = restClient(server)
}

/** What a run leaves behind, without what differs from run to run. */
async function result(id: string): Promise<object> {
  const { status, outputs } = await client.execution(id)
  const files = await client.artifacts(id)
  const digests = files.map(({ name, sha256 }) => `${name} ${sha256}`)
  return {
    status,
    days: outputs?.['days'],
    rain: outputs?.['rain_days'],
    digests: [...new Set(digests)].sort(),
  }
}

/** Follows the run to its end, and opens the gate when it waits. */
async function finish(id: string): Promise<void> {
  let decided: Promise<unknown> | undefined
  await client.follow(id, ({ type }) => {
    if (type === 'approval.waiting') decided = client.decide(id, 'approval', 'approved')
    return type === 'pipeline.closed'
  })
  await decided
}

describe('a server that is killed', () => {
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'penstock-kills-'))
    await boot()
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it(
    `[R-3][R-12][R-72][H-13] ${KILLS} kills spread over the journal of an example: equal outputs, each completion once, no orphan`,
    async () => {
      const undisturbed = await client.start('seattle_weather')
      await finish(undisturbed)
      const expected = await result(undisturbed)
      expect(expected).toMatchObject({ status: 'completed', days: 1461, rain: 641 })
      const length = (await client.events(undisturbed)).length

      for (let kill = 0; kill < KILLS; kill++) {
        const at = 1 + Math.round((kill * (length - 2)) / Math.max(1, KILLS - 1))
        const id = await client.start('seattle_weather')
        let decided: Promise<unknown> | undefined
        await client.follow(id, (event) => {
          if (event.type === 'approval.waiting') decided = client.decide(id, 'approval', 'approved')
          return event.seq >= at
        })
        const orphans = childrenOf(server.pid)
        // The answer to the decision may be lost with the server.
        const answered = decided?.catch(() => undefined)
        await server.stop('SIGKILL')
        await answered
        await allGone(orphans)
        await boot()
        // The decision may have died with the server before it was acknowledged: then the gate still waits.
        if ((await client.execution(id)).nodes['approval']?.status === 'waiting')
          await client.decide(id, 'approval', 'approved')
        await finish(id)

        expect(await result(id), `killed after event ${at}`).toEqual(expected)
        const events = await client.events(id)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
        const ends = events.filter(
          ({ type, source }) => source.entity_type === 'node' && type.endsWith('.completed'),
        )
        expect(ends.map(({ type }) => type).sort()).toEqual([...new Set(ends.map(({ type }) => type))].sort())
        expect(ends).toHaveLength(7)
      }
    },
    200_000 + KILLS * 20_000,
  )
})
