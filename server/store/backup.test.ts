import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifactStore } from '@/server/artifacts/open'
import { backup, restore } from './backup'
import { disposable, removeFolder, temporaryFolder, writeOf } from './contract-fixtures'
import { openStore } from './open'

const now = new Date('2026-01-02T03:04:05.678Z')
const knownMigrations = readdirSync(resolve('prisma/migrations'))

let home = ''
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => removeFolder(home))
const at = (name: string) => join(home, name)
const open = async (name: string) => disposable(await openStore({ dataDir: at(name), tenantId: 'default' }))
const options = { force: false, now, knownMigrations }

/** A data folder with one run and one artifact of it, and its backup. */
async function madeBackup(): Promise<void> {
  await using store = await open('a')
  await store.journal.commit({ executions: [writeOf('x1', ['a.started'])] })
  const artifacts = openArtifactStore({
    dataDir: at('a'),
    rows: store.artifactRows,
    ids: { artifact: () => 'a1' },
    clock: { now: () => 1 },
  })
  const about = { executionId: 'x1', nodeId: 'a', name: 'rows.csv', contentType: 'text/csv' }
  await artifacts.putBytes({ ...about, bytes: Buffer.from('a,b') })
  await backup({ dataDir: at('a') }, at('backup'), now)
}

describe('backup and restore', () => {
  it('[T14] under write load: what was acknowledged before it began is there, without a gap, and so is every artifact', async () => {
    const store = await open('a')
    const artifacts = openArtifactStore({
      dataDir: at('a'),
      rows: store.artifactRows,
      ids: { artifact: () => 'a1' },
      clock: { now: () => 1 },
    })
    const about = { executionId: 'x', nodeId: 'a', name: 'rows.csv', contentType: 'text/csv' }
    await artifacts.putBytes({ ...about, bytes: Buffer.from('a,b') })
    let acknowledged = 0
    let writing = true
    const load = (async () => {
      while (writing) {
        const variables = [{ name: 'a.v', value: 'x'.repeat(2_000) }]
        await store.journal.commit({
          executions: [writeOf('x', [{ type: 'a.task.running', variables }], acknowledged)],
        })
        acknowledged += 1
        await new Promise<void>((turn) => setImmediate(turn))
      }
    })()
    while (acknowledged < 200) await new Promise<void>((turn) => setImmediate(turn))
    const before = acknowledged
    await backup({ dataDir: at('a') }, at('backup'), now)
    writing = false
    await load
    await store.close()

    await restore({ dataDir: at('b') }, at('backup'), options)
    await using copy = await open('b')
    const entries = await copy.journal.read('x')
    expect(entries.length).toBeGreaterThanOrEqual(before)
    expect(entries.length).toBeLessThanOrEqual(acknowledged)
    expect(entries.map(({ event }) => event.seq)).toEqual(entries.map((_, index) => index + 1))
    expect(entries.every(({ variables }) => variables.length === 1)).toBe(true)
    const digest = createHash('sha256').update('a,b').digest('hex')
    expect(readFileSync(join(at('b'), 'artifacts', digest.slice(0, 2), digest), 'utf8')).toBe('a,b')
    expect(existsSync(join(at('backup'), 'secret.key'))).toBe(false)
  })

  it('[T7] a flipped byte anywhere, a missing file or a newer version is refused, and nothing changes', async () => {
    await madeBackup()
    const files = readdirSync(at('backup'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at('backup').length + 1))
    expect(files).toHaveLength(4)
    for (const name of files) {
      const size = readFileSync(join(at('backup'), name)).length
      for (const place of new Set([0, Math.floor(size / 3), Math.floor(size / 2), size - 1])) {
        cpSync(at('backup'), at('bad'), { recursive: true })
        const path = join(at('bad'), name)
        const bytes = readFileSync(path)
        bytes[place] = bytes[place]! ^ 1
        rmSync(path)
        writeFileSync(path, bytes)
        await expect(
          restore({ dataDir: at('b') }, at('bad'), options),
          `${name} ${place}`,
        ).rejects.toMatchObject({ code: 'restore_refused' })
        removeFolder(at('bad'))
      }
      cpSync(at('backup'), at('bad'), { recursive: true })
      rmSync(join(at('bad'), name))
      await expect(restore({ dataDir: at('b') }, at('bad'), options)).rejects.toMatchObject({
        code: 'restore_refused',
      })
      removeFolder(at('bad'))
    }
    const older = { ...options, knownMigrations: knownMigrations.slice(0, 1) }
    await expect(restore({ dataDir: at('b') }, at('backup'), older)).rejects.toThrow('newer version')
    expect(readdirSync(at('b')).filter((name) => !name.startsWith('penstock.lock'))).toEqual([])
  })

  it('a running server is refused, a database that is there is moved only with --force, a target is never overwritten', async () => {
    await madeBackup()
    await expect(backup({ dataDir: at('a') }, at('backup'), now)).rejects.toMatchObject({
      code: 'backup_refused',
    })
    await expect(backup({ dataDir: at('none') }, at('other'), now)).rejects.toMatchObject({
      code: 'backup_refused',
    })
    const running = await open('b')
    await running.journal.commit({ executions: [writeOf('later', ['a.started'])] })
    const forced = { ...options, force: true }
    await expect(restore({ dataDir: at('b') }, at('backup'), forced)).rejects.toMatchObject({
      code: 'data_folder_locked',
    })
    await running.close()
    await expect(restore({ dataDir: at('b') }, at('backup'), options)).rejects.toThrow('--force')
    await restore({ dataDir: at('b') }, at('backup'), forced)
    await using store = await open('b')
    expect((await store.journal.read('x1')).length).toBe(1)
    expect(await store.journal.read('later')).toEqual([])
    expect(existsSync(join(at('b'), 'before-restore-2026-01-02T03-04-05-678Z', 'penstock.db'))).toBe(true)
  })
})
