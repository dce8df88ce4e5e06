import { spawn } from 'node:child_process'
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Entry } from '@/core/engine/event'
import { buildDurabilityChild } from '@/testing/build-module'
import { disposable, removeFolder, temporaryFolder, writeOf } from './contract-fixtures'
import { openStore } from './open'
import { connectSqlite } from './sqlite/dialect'
import { createSqliteJournal } from './sqlite/journal'
import { openDatabase } from './sqlite/open'

const root = resolve(import.meta.dirname, '../..')
/** What a disk writes as a whole. */
const SECTOR = 512
/** Images of the log that are opened; the deep run opens one for every sector. */
const images = Number(process.env['PENSTOCK_WAL_IMAGES'] ?? 120)
const patience = 60_000 + 100 * images

let dataDir = ''
beforeEach(() => {
  dataDir = temporaryFolder()
})
afterEach(() => removeFolder(dataDir))

/** A database, its log, and for each acknowledged entry how long the log was then. */
async function recorded() {
  await (await openStore({ dataDir, tenantId: 'default' })).close()
  const file = join(dataDir, 'penstock.db')
  const db = openDatabase(file)
  const journal = createSqliteJournal(connectSqlite(db), 'default')
  const ends: number[] = []
  const entries: Entry[] = []
  for (let seq = 0; seq < 40; seq += 1) {
    const variables = [{ name: 'a.v', value: `${seq}`.repeat(200 * (seq % 7)) }]
    const write = writeOf('x1', [{ type: 'a.task.running', variables }], seq)
    await journal.commit({ executions: [write] })
    entries.push(...write.entries)
    ends.push(statSync(`${file}-wal`).size)
  }
  copyFileSync(file, join(dataDir, 'image.db'))
  const log = readFileSync(`${file}-wal`)
  db.close()
  return { log, ends, entries, base: readFileSync(join(dataDir, 'image.db')) }
}

/** What a start finds in this image. */
async function found(base: Uint8Array, log: Uint8Array): Promise<Entry[]> {
  const file = join(dataDir, 'victim.db')
  for (const path of [`${file}-shm`, `${file}-wal`, file]) removeFolder(path)
  writeFileSync(file, base)
  writeFileSync(`${file}-wal`, log)
  const db = openDatabase(file)
  const entries = await createSqliteJournal(connectSqlite(db), 'default').read('x1')
  expect(db.pragma('quick_check', { simple: true })).toBe('ok')
  db.close()
  return entries
}

function places(length: number): number[] {
  const stride = SECTOR * Math.max(1, Math.ceil(length / SECTOR / images))
  return Array.from({ length: Math.ceil(length / stride) }, (_, index) => index * stride)
}

describe('power loss', () => {
  it(
    '[T5] [R-3] wherever the log is cut: every entry acknowledged by then, and a prefix without a gap',
    async () => {
      const { log, ends, entries, base } = await recorded()
      for (const cut of [...places(log.length), log.length]) {
        const left = await found(base, log.subarray(0, cut))
        expect(left.length, `cut at ${cut}`).toBe(ends.filter((end) => end <= cut).length)
        expect(left).toEqual(entries.slice(0, left.length))
      }
    },
    patience,
  )

  it(
    '[T5] [T7] whatever sector of the log is torn, or byte of it flipped: a prefix, and never another content',
    async () => {
      const { log, ends, entries, base } = await recorded()
      for (const place of places(log.length)) {
        for (const damage of ['zeros', 'flip'] as const) {
          const torn = Buffer.from(log)
          if (damage === 'zeros') torn.fill(0, place, Math.min(place + SECTOR, torn.length))
          else torn[place + 7] = torn[place + 7]! ^ 0x10
          const left = await found(base, torn)
          expect(left, `${damage} at ${place}`).toEqual(entries.slice(0, left.length))
          expect(left.length).toBeGreaterThanOrEqual(ends.filter((end) => end <= place).length)
        }
      }
    },
    patience,
  )
})

describe('a disk that takes no more', () => {
  it('[T6] [R-3] after a write that failed nothing is acknowledged, the process ends non-zero, and the next start is right', async () => {
    const outfile = await buildDurabilityChild()
    for (const blocks of [1_200, 2_500]) {
      removeFolder(dataDir)
      // The system refuses writes past this size of a file, as a full disk would: blocks of 1,024 bytes.
      const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
      const program = [process.execPath, outfile, dataDir, join(root, 'prisma/migrations')]
      const child = spawn('bash', ['-c', script, 'child', ...program], { stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = new Promise<number | null>((done) => child.on('close', done))
      let said = ''
      let complained = ''
      child.stdout.on('data', (chunk: Buffer) => (said += String(chunk)))
      child.stderr.on('data', (chunk: Buffer) => (complained += String(chunk)))
      expect(await ended).toBe(1)
      expect(complained).toMatch(/A commit failed: SqliteError: (disk I\/O error|database or disk is full)/)
      const acknowledged = said.trim().split('\n').map(Number)
      expect(acknowledged).toEqual(acknowledged.map((_, index) => index + 1))

      await using store = disposable(await openStore({ dataDir, tenantId: 'default' }))
      const entries = await store.journal.read('victim')
      // The write under way may have reached the disk; nothing after it.
      expect(entries.length - acknowledged.length).toBeGreaterThanOrEqual(0)
      expect(entries.length - acknowledged.length).toBeLessThanOrEqual(1)
      expect(entries.map(({ event }) => event.seq)).toEqual(entries.map((_, index) => index + 1))
    }
    removeFolder(outfile)
  }, 60_000)
})
