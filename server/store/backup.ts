import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import {
  access,
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { databaseFile } from './database-file'
import { makeFolderPrivate } from './private-files'
import { acquireLock } from './sqlite/lock'
import { libraryVersion, requireVersion } from './sqlite/open'
import { StoreError } from './store-error'

/** Raised when an older version could not read what is written. */
const FORMAT = 1
const DATABASE = 'penstock.db'
const MANIFEST = 'manifest.json'
const hex = z.string().regex(/^[0-9a-f]{64}$/)

const manifestSchema = z.strictObject({
  format: z.int(),
  created_at: z.string(),
  database: z.strictObject({ sha256: hex, bytes: z.int() }),
  /** Names of the migrations that the database has seen. */
  migrations: z.array(z.string()),
  /** Digests of the contents of artifacts: each is the name of its file. */
  contents: z.array(hex),
  /** Contents that rows name and that were not there. */
  missing: z.array(hex),
})

export type Manifest = z.output<typeof manifestSchema>

export type DataLocation = { readonly dataDir: string; readonly databaseUrl?: string }

/**
 * Copies database and artifacts into a new folder `target`, whether a server runs or not: the database is read in one
 * transaction of a connection that writes nothing. What was acknowledged before the call is in it. Contents are copied
 * before the database and, those that its rows name besides, after it. The secret key is not in it.
 * @param now the time that the manifest records
 * @throws StoreError `backup_refused` when the target exists or there is no database; the error of the disk as it is
 */
export async function backup(location: DataLocation, target: string, now: Date): Promise<Manifest> {
  requireVersion(libraryVersion())
  const dataDir = resolve(location.dataDir)
  const file = databaseFile(dataDir, location.databaseUrl)
  const folder = resolve(target)
  if (await exists(folder)) refuse(`${folder} is there already: name a new folder.`)
  if (!(await exists(file))) refuse(`There is no database at ${file}.`)
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(join(unfinished, 'artifacts'), { recursive: true, mode: 0o700 })
  const contents = new Set<string>()
  const take = async (digest: string): Promise<boolean> => {
    if (contents.has(digest)) return true
    const copied = await copyContent(dataDir, unfinished, digest)
    if (copied) contents.add(digest)
    return copied
  }
  for (const digest of await contentsOf(dataDir)) await take(digest)
  const copy = join(unfinished, DATABASE)
  await copyDatabase(file, copy)
  const { migrations, digests } = inspect(copy)
  const missing: string[] = []
  for (const digest of digests) if (!(await take(digest))) missing.push(digest)
  const manifest: Manifest = {
    format: FORMAT,
    created_at: now.toISOString(),
    database: { sha256: await digestOf(copy), bytes: (await stat(copy)).size },
    migrations,
    // What no row of the copy names came after it, or is about to go.
    contents: digests.filter((digest) => contents.has(digest)),
    missing,
  }
  for (const digest of contents) {
    if (!digests.includes(digest)) await rm(contentPath(unfinished, digest))
  }
  const text = JSON.stringify(manifest, null, 2)
  await writeFile(join(unfinished, MANIFEST), text, { mode: 0o600 })
  const seal = createHash('sha256').update(text).digest('hex')
  await writeFile(join(unfinished, `${MANIFEST}.sha256`), seal, { mode: 0o600 })
  for (const name of [DATABASE, MANIFEST, `${MANIFEST}.sha256`, '.']) await flush(join(unfinished, name))
  await rename(unfinished, folder)
  await flush(dirname(folder))
  return manifest
}

/**
 * Replaces a data folder that no server uses by a backup. Every file of it is compared with its digest before anything
 * changes. What was there goes into `before-restore-…` of the data folder, and only with `force`.
 * @throws StoreError `data_folder_locked`, `restore_refused` with the reason
 */
export async function restore(
  location: DataLocation,
  source: string,
  options: { readonly force: boolean; readonly now: Date; readonly knownMigrations: readonly string[] },
): Promise<Manifest> {
  const dataDir = resolve(location.dataDir)
  const file = databaseFile(dataDir, location.databaseUrl)
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  makeFolderPrivate(dataDir)
  const unlock = acquireLock(join(dataDir, 'penstock.lock'), dataDir)
  try {
    const manifest = await verify(resolve(source), options.knownMigrations)
    const old = [file, `${file}-wal`, `${file}-shm`]
    const there: string[] = []
    for (const path of old) if (await exists(path)) there.push(path)
    if (there.length > 0 && !options.force)
      refuseRestore(
        `${dataDir} has a database already: --force moves it to a folder of its own and restores.`,
      )
    for (const digest of manifest.contents) {
      const to = contentPath(dataDir, digest)
      if ((await exists(to)) && (await digestOf(to)) === digest) continue
      await mkdir(dirname(to), { recursive: true, mode: 0o700 })
      await copyFile(contentPath(resolve(source), digest), `${to}.restored`)
      await chmod(`${to}.restored`, 0o400)
      await flush(`${to}.restored`)
      await rename(`${to}.restored`, to)
      await flush(dirname(to))
    }
    const restored = `${file}.restored`
    await copyFile(join(resolve(source), DATABASE), restored)
    await chmod(restored, 0o600)
    await flush(restored)
    if (there.length > 0) {
      const earlier = join(dataDir, `before-restore-${options.now.toISOString().replace(/[:.]/g, '-')}`)
      await mkdir(earlier, { mode: 0o700 })
      for (const path of there) await rename(path, join(earlier, path.slice(dirname(path).length + 1)))
    }
    await rename(restored, file)
    await flush(dirname(file))
    return manifest
  } finally {
    unlock()
  }
}

/** Reads everything and changes nothing. */
async function verify(source: string, knownMigrations: readonly string[]): Promise<Manifest> {
  const text = await readFile(join(source, MANIFEST), 'utf8').catch(() =>
    refuseRestore(`${source} is no backup: it has no ${MANIFEST}.`),
  )
  const seal = await readFile(join(source, `${MANIFEST}.sha256`), 'utf8').catch(() => '')
  if (createHash('sha256').update(text).digest('hex') !== seal) refuseRestore(`${MANIFEST} is damaged.`)
  const { format } = z.looseObject({ format: z.int() }).parse(JSON.parse(text))
  if (format > FORMAT) refuseRestore(`it was made by a newer version (format ${format}).`)
  const manifest = manifestSchema.parse(JSON.parse(text))
  const unknown = manifest.migrations.find((name) => !knownMigrations.includes(name))
  if (unknown !== undefined) refuseRestore(`it was made by a newer version (migration ${unknown}).`)
  const compare = async (path: string, digest: string, what: string) => {
    const found = await digestOf(path).catch(() => null)
    if (found === null) refuseRestore(`${what} is missing.`)
    if (found !== digest) refuseRestore(`${what} is damaged.`)
  }
  await compare(join(source, DATABASE), manifest.database.sha256, 'its database')
  for (const digest of manifest.contents)
    await compare(contentPath(source, digest), digest, `the content ${digest}`)
  return manifest
}

/** In one step and one read transaction: a copy in several begins anew with every commit in between. */
async function copyDatabase(from: string, to: string): Promise<void> {
  const db = new Database(from, { readonly: true, fileMustExist: true })
  try {
    await db.backup(to, { progress: () => 2 ** 31 - 1 })
    await chmod(to, 0o600)
  } finally {
    db.close()
  }
}

/** The migrations and digests that are in the copy; it is one file from then on, without a log beside it. */
function inspect(copy: string): { migrations: string[]; digests: string[] } {
  const db = new Database(copy)
  try {
    db.pragma('journal_mode=DELETE')
    const check = db.pragma('quick_check(1)', { simple: true })
    if (check !== 'ok') refuse(`The database is damaged: ${String(check)}.`)
    const column = (sql: string) => db.prepare<[], string>(sql).pluck().all()
    return {
      migrations: column('SELECT migration_name FROM _prisma_migrations ORDER BY migration_name'),
      digests: column('SELECT DISTINCT digest FROM artifacts ORDER BY digest'),
    }
  } finally {
    db.close()
  }
}

async function copyContent(dataDir: string, into: string, digest: string): Promise<boolean> {
  const to = contentPath(into, digest)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  try {
    await copyFile(contentPath(dataDir, digest), to, constants.COPYFILE_FICLONE)
    await chmod(to, 0o400)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
  // A damaged content is as good as none.
  if ((await digestOf(to)) !== digest) {
    await rm(to)
    return false
  }
  await flush(to)
  return true
}

async function contentsOf(dataDir: string): Promise<string[]> {
  const found = await readdir(join(dataDir, 'artifacts'), { recursive: true }).catch(() => [])
  return found.flatMap((path) => /^[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(path)?.[1] ?? [])
}

function contentPath(folder: string, digest: string): string {
  return join(folder, 'artifacts', digest.slice(0, 2), digest)
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

function refuse(message: string): never {
  throw new StoreError('backup_refused', message)
}

function refuseRestore(reason: string): never {
  throw new StoreError('restore_refused', `Nothing was restored: ${reason}`)
}
