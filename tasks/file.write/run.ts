import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TaskRun } from '@/server/ports/runner'
import { contentTypeOf, isContentType } from '@/tasks/support/content-type'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'
import { wellFormed } from '@/tasks/support/well-formed'

/**
 * Writes `content` (text as it stands, anything else as indented JSON) to `path` below the attempt's folder and returns it as
 * an artifact of that name: `artifact`, `path`, `bytes`. HTML is allowed: artifacts are served sandboxed.
 * `invalid_input` for a path that leaves the folder or a content type that is none.
 */
export const run: TaskRun = async (input, context) => {
  const path = checkRelativePath(input['path'], 'path')
  const content = input['content']
  if (content === undefined) throw new TaskFailure('invalid_input', 'content is missing')
  const contentType = input['content_type'] ?? contentTypeOf(path)
  if (typeof contentType !== 'string' || !isContentType(contentType)) {
    throw new TaskFailure('invalid_input', 'content_type must be a media type, for example text/html')
  }
  const bytes = Buffer.from(
    typeof content === 'string' ? wellFormed(content, 'content') : `${JSON.stringify(content, null, 2)}\n`,
  )
  const file = join(context.workDir, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, bytes, { flag: 'wx', signal: context.signal })
  return { artifact: { $file: file, name: path, contentType }, path, bytes: bytes.byteLength }
}
