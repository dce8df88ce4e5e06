import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bootLoaded, checkAll, defineBoth, quiet, startMany } from './kill-in-flight'
import { isAlive } from './processes'
import { Random } from './simulation/random'

/** `PENSTOCK_FAILPOINTS=100` kills so often at each place. */
const KILLS = Number(process.env['PENSTOCK_FAILPOINTS'] ?? 1)
const PLACES = ['before_commit', 'after_commit', 'after_publish']
const RUNS = 60
/** About as many transactions are made of twice so many runs. */
const LAST = 60

describe('a server that ends at a named place', () => {
  it(
    `[T4][R-3][R-12][R-57] ${KILLS} times at each of ${PLACES.join(', ')}: nothing acknowledged is lost, nothing happens twice`,
    async () => {
      const random = new Random(4)
      const dataDir = mkdtempSync(join(tmpdir(), 'penstock-failpoints-'))
      const acknowledged = new Map<string, number>()
      const preload = `--import=${join(import.meta.dirname, 'failpoint.mjs')}`
      let server = await bootLoaded(dataDir)
      try {
        await defineBoth(server)
        for (const place of Array.from({ length: KILLS }, () => PLACES).flat()) {
          await server.stop()
          const failpoint = `${place}:${random.whole(1, LAST)}`
          // The first commits are those of the boot itself: then it never answers.
          const victim = await bootLoaded(dataDir, { NODE_OPTIONS: preload, FAILPOINT: failpoint }).catch(
            (error: unknown) => {
              expect(String(error)).toContain('the server ended at boot')
              return null
            },
          )
          // A slow machine commits more at once: then it takes more runs to come to the place.
          while (victim !== null && isAlive(victim.pid)) {
            await startMany(victim, RUNS, acknowledged).ended
            await quiet(victim).catch(() => undefined)
          }
          server = await bootLoaded(dataDir)
          await quiet(server)
        }
        await server.stop()
        const { runs } = await checkAll(dataDir, acknowledged)
        expect(runs).toBeGreaterThanOrEqual(acknowledged.size)
      } finally {
        await server.stop('SIGKILL')
        rmSync(dataDir, { recursive: true, force: true })
      }
    },
    60_000 + KILLS * 180_000,
  )
})
