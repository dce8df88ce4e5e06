import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { AttemptFiles, AttemptRequest } from '@/server/ports/runner'
import { asNodeError, TaskFailure } from '@/tasks/support/task-failure'
import { confinedFile } from './confined-file'
import { localContent, localPathOf, writeContent } from './content'
import type { Answer, Content, OpenedFile, OpenFile, StoredFile, StoreFile } from './worker-protocol'

type Attempt = { readonly request: AttemptRequest; readonly files: AttemptFiles }

/** Opens a file for an attempt: one below the folder of files, or an artifact of its execution. `invalid_input` when it has none such. */
export function openFile(
  { request, files }: Attempt,
  filesDir: string,
  { label, file }: OpenFile,
): Promise<Answer<OpenedFile & { readonly content: Content }>> {
  return answered(async () => {
    if ('path' in file) {
      const found = await confinedFile(filesDir, file.path, label)
      const { size: bytes } = found.stats
      return {
        name: basename(found.file),
        bytes,
        source: file.path,
        content: localContent(found.file, bytes),
      }
    }
    const row = await files.get(request.executionId, file.artifact_id)
    if (row === null) throw new TaskFailure('invalid_input', `${label}: this execution has no such artifact`)
    const { bytes, digest } = row
    const content = localContent(files.pathOf(row), bytes)
    return { name: basename(row.name), bytes, source: digest, content }
  })
}

/** Makes an artifact of a content. One that does not lie on this machine is written to `spoolDir` first. */
export function storeFile(
  { request, files }: Attempt,
  spoolDir: string,
  file: StoreFile & { readonly content: Content },
): Promise<Answer<StoredFile>> {
  return answered(async () => {
    const { name, contentType, content } = file
    const { executionId, nodeId } = request
    const local = localPathOf(content)
    const path = local ?? join(spoolDir, `received-${randomBytes(8).toString('hex')}`)
    try {
      if (local === null) await writeContent(content, path)
      const row = await files.putFile({ executionId, nodeId, name, contentType, path })
      return {
        artifact_id: row.artifactId,
        name: row.name,
        content_type: row.contentType,
        bytes: row.bytes,
      }
    } finally {
      // The store has moved it, unless it failed.
      if (local === null) await rm(path, { force: true })
    }
  })
}

async function answered<T>(make: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await make() }
  } catch (thrown) {
    return { ok: false, error: asNodeError(thrown) }
  }
}
