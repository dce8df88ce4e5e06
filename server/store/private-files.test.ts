import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  lstatSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArtifactStore } from '@/server/artifacts/open'
import { backup, restore } from './backup'
import { disposable, removeFolder, temporaryFolder, writeOf } from './contract-fixtures'
import { openStore } from './open'

let folder = ''
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => removeFolder(folder))
const at = (name: string) => join(folder, name)

/** What others may do anything with, below and with `path`. */
function openToOthers(path: string): string[] {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return []
  const own = (found.mode & 0o077) === 0 ? [] : [relative(folder, path)]
  if (!found.isDirectory()) return own
  return [...own, ...readdirSync(path).flatMap((name) => openToOthers(join(path, name)))]
}

/** A data folder as an operator, a package or an earlier version left it. */
function makeOpenFolder(path: string): void {
  mkdirSync(join(path, 'files/reports'), { recursive: true, mode: 0o755 })
  mkdirSync(join(path, 'artifacts'), { mode: 0o755 })
  writeFileSync(join(path, 'files/reports/salaries.csv'), 'a\n1\n', { mode: 0o644 })
  writeFileSync(join(path, 'penstock.lock'), '', { mode: 0o644 })
  for (const name of ['', 'files', 'files/reports', 'artifacts']) chmodSync(join(path, name), 0o755)
}

async function fill(dataDir: string) {
  const store = disposable(await openStore({ dataDir, tenantId: 'default' }))
  await store.journal.commit({ executions: [writeOf('x1', ['a.started'])] })
  const artifacts = openArtifactStore({
    dataDir,
    rows: store.artifactRows,
    ids: { artifact: () => 'a1' },
    clock: { now: () => 1 },
  })
  const about = { executionId: 'x1', nodeId: 'a', name: 'rows.csv', contentType: 'text/csv' }
  await artifacts.putBytes({ ...about, bytes: Buffer.from('a,b') })
  return store
}

describe('[SECURITY] files of the data folder', () => {
  it('are the owner’s alone, whoever made the folder, and while the server runs', async () => {
    makeOpenFolder(at('data'))
    await using store = await fill(at('data'))
    expect(readdirSync(at('data'))).toEqual(expect.arrayContaining(['penstock.db', 'penstock.db-wal']))
    expect(openToOthers(at('data'))).toEqual([])
    expect(store.readableByOthers).toEqual([])
  })

  it('are so again at the next start, and behind a link to another disk', async () => {
    const first = await fill(at('disk'))
    await first.close()
    for (const path of ['disk', 'disk/penstock.db', 'disk/artifacts']) chmodSync(at(path), 0o777)
    symlinkSync(at('disk'), at('data'))
    await using _ = await openStore({ dataDir: at('data'), tenantId: 'default' }).then(disposable)
    expect(openToOthers(at('disk'))).toEqual([])
  })

  it('are so for a database elsewhere, whose folder is not ours to change', async () => {
    mkdirSync(at('shared'))
    chmodSync(at('shared'), 0o755)
    writeFileSync(at('shared/other.txt'), '')
    chmodSync(at('shared/other.txt'), 0o644)
    const databaseUrl = `file:${at('shared/runs.db')}`
    await using _ = disposable(await openStore({ dataDir: at('data'), tenantId: 'default', databaseUrl }))
    expect(openToOthers(at('shared')).sort()).toEqual(['shared', 'shared/other.txt'])
  })

  it('follow no link out of it', async () => {
    mkdirSync(at('data/files'), { recursive: true })
    writeFileSync(at('outside.txt'), '')
    chmodSync(at('outside.txt'), 0o644)
    symlinkSync(at('outside.txt'), at('data/files/link.txt'))
    await using _ = disposable(await openStore({ dataDir: at('data'), tenantId: 'default' }))
    expect(lstatSync(at('outside.txt')).mode & 0o777).toBe(0o644)
  })

  it('are so in a backup, and where it is restored', async () => {
    const store = await fill(at('data'))
    await backup({ dataDir: at('data') }, at('backup'), new Date(0))
    await store.close()
    expect(openToOthers(at('backup'))).toEqual([])
    for (const name of ['penstock.db', 'manifest.json']) chmodSync(join(at('backup'), name), 0o644)
    makeOpenFolder(at('restored'))
    const knownMigrations = readdirSync('prisma/migrations')
    await restore({ dataDir: at('restored') }, at('backup'), {
      force: false,
      now: new Date(0),
      knownMigrations,
    })
    expect(openToOthers(at('restored'))).toEqual([])
    expect(readFileSync(join(at('restored'), 'files/reports/salaries.csv'), 'utf8')).toBe('a\n1\n')
  })
})
