import { chmodSync, closeSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

const OTHERS = 0o077

/** Folders of the data folder that people and restores fill; everything in the others is made by the server with modes of its own. */
const FILLED_BY_PEOPLE = /^(?:files|before-restore-.*)$/

/**
 * Takes every right on the data folder and what is in it from all but its owner, whoever made it. Links are not followed.
 * @returns paths on which others keep rights, because they belong to another user
 */
export function makeFolderPrivate(dataFolder: string): readonly string[] {
  // A data folder may be a link to a disk of its own.
  const dataDir = realpathSync(dataFolder)
  const open = makePrivate(dataDir) ? [] : [dataDir]
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    open.push(
      ...(FILLED_BY_PEOPLE.test(name) ? makeTreePrivate(path) : [path].filter((one) => !makePrivate(one))),
    )
  }
  return open
}

/** The file, the owner's alone: made empty when there is none, because SQLite would make it for everybody. Its log follows its mode. */
export function makePrivateFile(path: string): void {
  try {
    // Never opened when it is there: to close it would take SQLite's lock from this process.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    for (const suffix of ['', '-wal', '-shm', '-journal']) makePrivate(`${path}${suffix}`)
  }
}

function makeTreePrivate(path: string): string[] {
  const open = makePrivate(path) ? [] : [path]
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) open.push(...makeTreePrivate(join(path, name)))
  }
  return open
}

/** True when nobody else has rights on it, or it is a link or not there. */
function makePrivate(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isSymbolicLink() || (found.mode & OTHERS) === 0) return true
  try {
    chmodSync(path, found.mode & 0o7700)
    return true
  } catch {
    return false
  }
}
