import type { Stats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'

/**
 * The absolute path of a plain file below `root`. No part of the path may be a symbolic link, and the file has one name only.
 * `invalid_input` when it is not so. The message distinguishes a missing file from a forbidden one, because pipelines may read `root`.
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
