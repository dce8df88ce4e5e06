import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json, JsonObject } from '@/core/engine/event'
import { FILE_LIMITS } from '@/core/pipeline/definition/file-limits'
import { sayBytes } from '@/tasks/support/outputs'
import { checkRelativePath } from '@/tasks/support/relative-path'
import { TaskFailure } from '@/tasks/support/task-failure'
import { writeContent } from './content'
import type { Answer, Content, OpenedFile, OpenFile } from './worker-protocol'

type Opened = OpenedFile & { readonly content: Content }

type StagePlan = {
  readonly workDir: string
  /** Asks the server for a file of the attempt. */
  readonly open: (label: string, file: OpenFile['file']) => Promise<Answer<Opened>>
  /** Bytes of all files together. */
  readonly limit: number
}

/** Folders that the tasks themselves make. */
const OF_TASKS: ReadonlySet<string> = new Set(['out', '_result', '_temp'])

/**
 * Copies the files that an input names into the attempt's folder and returns the input with the names that they have there.
 * A value is a path below the folder of files, or an artifact of the same execution (`{ artifact_id, … }`); each keeps its own
 * last name. A list of them, also of lists, becomes a folder that is named like the entry. Copies and not links, because the
 * attempt may write to what lies in its folder.
 * `invalid_input` for a name that is no word, a path that leaves the folder or is no plain file, an unknown artifact, two files of
 * one name, too many files.
 */
export async function stageFiles(files: Json, plan: StagePlan): Promise<JsonObject> {
  if (typeof files !== 'object' || files === null || Array.isArray(files)) {
    throw new TaskFailure('invalid_input', 'files must map names to paths or artifacts')
  }
  const entries = Object.entries(files as JsonObject)
  if (entries.length > FILE_LIMITS.names)
    throw new TaskFailure('invalid_input', `files: at most ${FILE_LIMITS.names} names`)
  const staging = new Staging(plan)
  const staged = new Map<string, string>()
  for (const [name, value] of entries) {
    if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(name)) {
      throw new TaskFailure(
        'invalid_input',
        `files: ${JSON.stringify(name.slice(0, 80))} cannot name a table`,
      )
    }
    staged.set(
      name,
      Array.isArray(value) ? await staging.folder(name, value) : await staging.one(name, value),
    )
  }
  return Object.fromEntries(staged)
}

/** The files of one attempt, as far as they are copied. */
class Staging {
  readonly #plan: StagePlan
  /** What lies in the attempt's folder, by name: which file, or that it is a folder. */
  readonly #names = new Map<string, string | null>()
  #bytes = 0
  #files = 0

  constructor(plan: StagePlan) {
    this.#plan = plan
  }

  async one(name: string, value: Json): Promise<string> {
    const label = `files.${name}`
    const { fileName, opened } = await this.#open(label, value)
    const other = this.#names.get(fileName)
    if (other !== undefined && other !== opened.source)
      throw new TaskFailure('invalid_input', `${label}: there is another file named ${fileName}`)
    if (other === undefined) await writeContent(opened.content, join(this.#plan.workDir, fileName))
    this.#names.set(fileName, opened.source)
    return fileName
  }

  /**
   * A folder of the files of a list, in which no two have one name: each keeps its own where all differ, else every one has its
   * place in the list before it, `007-part.csv`, so that they sort as the list does.
   */
  async folder(name: string, list: readonly Json[]): Promise<string> {
    const label = `files.${name}`
    if (name.includes('.') || OF_TASKS.has(name.toLowerCase()))
      throw new TaskFailure(
        'invalid_input',
        `${label}: a list needs another name, because a folder is named so`,
      )
    if (this.#names.has(name))
      throw new TaskFailure('invalid_input', `${label}: there is another file named ${name}`)
    this.#names.set(name, null)
    const members = [...filesOf(list, label)]
    const folder = join(this.#plan.workDir, name)
    // Names are known when every file is there, and a name with a number may be another's own.
    const before = join(this.#plan.workDir, `.${name}-numbered`)
    await mkdir(folder).catch(() => {
      throw new TaskFailure('invalid_input', `${label}: there is another file named ${name}`)
    })
    await mkdir(before)
    const names: string[] = []
    for (const [at, { place, value }] of members.entries()) {
      const { fileName, opened } = await this.#open(place, value)
      await writeContent(opened.content, join(before, String(at)))
      names.push(fileName)
    }
    // Some file systems take names in capitals for the same.
    const differ = new Set(names.map((own) => own.toLowerCase())).size === names.length
    const width = String(names.length).length
    for (const [at, own] of names.entries()) {
      const unique = differ ? own : `${String(at + 1).padStart(width, '0')}-${own}`
      await rename(join(before, String(at)), join(folder, unique))
    }
    await rm(before, { recursive: true })
    return name
  }

  async #open(label: string, value: Json): Promise<{ fileName: string; opened: Opened }> {
    this.#files += 1
    if (this.#files > FILE_LIMITS.files)
      throw new TaskFailure('invalid_input', `files: together more than ${FILE_LIMITS.files} files`)
    const opened = await this.#plan.open(label, fileOf(label, value))
    if (!opened.ok) throw new TaskFailure(opened.error.kind, opened.error.message, opened.error.detail)
    const fileName = checkRelativePath(opened.value.name, label)
    if (fileName.includes('/')) throw new TaskFailure('invalid_input', `${label}: its name is a path`)
    this.#bytes += opened.value.content.bytes
    if (this.#bytes > this.#plan.limit)
      throw new TaskFailure('invalid_input', `files: together more than ${sayBytes(this.#plan.limit)}`)
    return { fileName, opened: opened.value }
  }
}

/** The files of a list and of the lists in it, each with its place. */
function* filesOf(list: readonly Json[], label: string): Generator<{ place: string; value: Json }> {
  for (const [at, value] of list.entries()) {
    const place = `${label}[${at}]`
    if (Array.isArray(value)) yield* filesOf(value, place)
    else if (value !== null) yield { place, value }
    else {
      const message = `${place} is null, as of an item that failed or left no file; leave it out by list.filter(f, f != null)`
      throw new TaskFailure('invalid_input', message)
    }
  }
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
