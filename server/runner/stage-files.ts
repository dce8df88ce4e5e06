import { join } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import { sayBytes } from '@/tasks/support/outputs'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'
import { writeContent } from './content'
import type { Answer, Content, OpenedFile, OpenFile } from './worker-protocol'

const MAX_FILES = 50

type StagePlan = {
  readonly workDir: string
  /** Asks the server for a file of the attempt. */
  readonly open: (
    label: string,
    file: OpenFile['file'],
  ) => Promise<Answer<OpenedFile & { readonly content: Content }>>
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
    const label = `files.${name}`
    const opened = await plan.open(label, fileOf(label, value))
    if (!opened.ok) throw new TaskFailure(opened.error.kind, opened.error.message, opened.error.detail)
    const { content, source } = opened.value
    const fileName = checkRelativePath(opened.value.name, label)
    if (fileName.includes('/')) throw new TaskFailure('invalid_input', `${label}: its name is a path`)
    const other = sources.get(fileName)
    if (other !== undefined && other !== source) {
      throw new TaskFailure('invalid_input', `${label}: there is another file named ${fileName}`)
    }
    bytes += content.bytes
    if (bytes > plan.limit) {
      throw new TaskFailure('invalid_input', `files: together more than ${sayBytes(plan.limit)}`)
    }
    if (other === undefined) await writeContent(content, join(plan.workDir, fileName))
    sources.set(fileName, source)
    staged.set(name, fileName)
  }
  return Object.fromEntries(staged)
}

function fileOf(label: string, value: Json): OpenFile['file'] {
  if (typeof value === 'string') return { path: value }
  const id =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)['artifact_id']
      : undefined
  if (typeof id !== 'string') {
    throw new TaskFailure('invalid_input', `${label} must be a path or an artifact`)
  }
  return { artifact_id: id }
}
