import { constants, type Stats } from 'node:fs'
import { copyFile, lstat, realpath } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import type { AttemptFiles } from '@/server/ports/runner'
import { sayBytes } from '@/tasks/support/outputs'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'

const MAX_FILES = 50

type StagePlan = {
  readonly executionId: string
  readonly workDir: string
  readonly filesDir: string
  readonly artifacts: AttemptFiles
  /** Bytes of all files together. */
  readonly limit: number
}

/**
 * Copies the files that an input names into the attempt's folder and returns the input with the names that they have there.
 * A value is a path below the folder of files, or an artifact of the same execution (`{ artifact_id, … }`); each keeps its own
 * last name. Copies and not links, because the attempt may write to what lies in its folder.
 * `invalid_input` for a name that is no word, a path that leaves the folder or is no plain file, an unknown artifact, two files of one name.
 */
export async function stageFiles(files: Json, plan: StagePlan): Promise<JsonObject> {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) {
    throw new TaskFailure('invalid_input', 'files must map names to paths or artifacts')
  }
  const entries = Object.entries(files as JsonObject)
  if (entries.length > MAX_FILES) throw new TaskFailure('invalid_input', `files: at most ${MAX_FILES}`)
  const staged = new Map<string, string>()
  const sources = new Map<string, string>()
  let bytes = 0
  for (const [name, value] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(name)) {
      throw new TaskFailure(
        'invalid_input',
        `files: ${JSON.stringify(name.slice(0, 80))} cannot name a table`,
      )
    }
    const source = await locate(name, value, plan)
    const other = sources.get(source.name)
    if (other !== undefined && other !== source.path) {
      throw new TaskFailure('invalid_input', `files.${name}: there is another file named ${source.name}`)
    }
    bytes += source.bytes
    if (bytes > plan.limit) {
      throw new TaskFailure('invalid_input', `files: together more than ${sayBytes(plan.limit)}`)
    }
    // A copy-on-write clone where the file system has them.
    if (other === undefined) {
      await copyFile(
        source.path,
        join(plan.workDir, source.name),
        constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE,
      )
    }
    sources.set(source.name, source.path)
    staged.set(name, source.name)
  }
  return Object.fromEntries(staged)
}

async function locate(name: string, value: Json, plan: StagePlan) {
  if (typeof value === 'string') {
    const path = await confinedFile(plan.filesDir, value, `files.${name}`)
    return { path: path.file, name: basename(path.file), bytes: path.stats.size }
  }
  const id =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)['artifact_id']
      : undefined
  if (typeof id !== 'string') {
    throw new TaskFailure('invalid_input', `files.${name} must be a path or an artifact`)
  }
  const row = await plan.artifacts.get(plan.executionId, id)
  if (row === null)
    throw new TaskFailure('invalid_input', `files.${name}: this execution has no such artifact`)
  const fileName = checkRelativePath(basename(row.name), `files.${name}`)
  return { path: plan.artifacts.pathOf(row), name: fileName, bytes: row.bytes }
}

/**
 * The absolute path of a plain file below `root`. No part of the way may be a symbolic link, and the file has one name only.
 * `invalid_input` when it is not so; a missing file and a forbidden one are told apart, because `root` is for pipelines to read.
 */
export async function confinedFile(
  root: string,
  relative: string,
  what: string,
): Promise<{ file: string; stats: Stats }> {
  const file = join(root, checkRelativePath(relative, what))
  const refuse = (why: string) =>
    new TaskFailure('invalid_input', `${what}: ${JSON.stringify(relative)} ${why}`)
  let real: string
  let top: string
  let stats: Stats
  try {
    top = await realpath(root)
    real = await realpath(file)
    stats = await lstat(file)
  } catch {
    throw refuse(
      'is not there: a text names a file below data/files; an artifact is given whole, such as {{ node.artifact }}',
    )
  }
  if (real !== join(top, relative) || !real.startsWith(top + sep)) throw refuse('is reached through a link')
  if (!stats.isFile()) throw refuse('is not a file')
  return { file: real, stats }
}
