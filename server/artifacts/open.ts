import { randomUUID, createHash } from 'node:crypto'
import { constants, createReadStream, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ArtifactRows, ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Ids } from '@/server/ports/ids'
import type { ArtifactRow } from '@/server/ports/registry'
import { ArtifactError } from './artifact-error'
import { hasControl, safeJoin } from './safe-join'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

export const ARTIFACT_BYTES_MAX = 1024 ** 3
const NAME_MAX = 255
const CONTENT_TYPE =
  /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}(; ?[a-z0-9-]{1,40}=[a-z0-9._-]{1,60}){0,3}$/i

export type ArtifactStoreOptions = {
  /** Contents lie in its folder `artifacts`, by digest. One process at a time (the lock of the data folder). */
  readonly dataDir: string
  readonly rows: ArtifactRows
  readonly ids: Pick<Ids, 'artifact'>
  readonly clock: Pick<Clock, 'now'>
  /** Most bytes of one artifact; absent: 1 GiB. */
  readonly maxBytes?: number
}

type Description = {
  executionId: string
  nodeId: string
  name: string
  contentType: string
  artifactId?: string
}

/**
 * Content-addressed files: a content is written once under its SHA-256 and never changes, equal contents share a file.
 * Order of a put: bytes to a temporary name, flushed; moved to its place, folder flushed; then the row. So a row never
 * stands for a content that a power cut took away.
 * Errors: ArtifactError `invalid_artifact`, `not_a_file`, `artifact_too_large`, `invalid_range`, `artifact_missing`.
 */
export function openArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  const { rows, ids, clock, maxBytes = ARTIFACT_BYTES_MAX } = options
  const root = resolve(options.dataDir, 'artifacts')
  const unfinished = join(root, 'unfinished')
  // What an earlier process left half written belongs to nobody.
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })

  function pathOf({ digest }: Pick<ArtifactRow, 'digest'>): string {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new ArtifactError('unsafe_name', 'A digest is 64 hex digits.')
    return safeJoin(root, `${digest.slice(0, 2)}/${digest}`)
  }

  const turns = new Map<string, Promise<unknown>>()

  /** One at a time for a content: it must not go between the moment when it is put and that of its row. */
  async function inTurn<T>(digest: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(digest)
    const turn = (before ?? Promise.resolve()).then(work, work)
    turns.set(digest, turn)
    try {
      return await turn
    } finally {
      if (turns.get(digest) === turn) turns.delete(digest)
    }
  }

  /** Copies: the worker that made the file may still hold it open, and what is hashed must be what is kept. */
  async function keep(about: Description, content: AsyncIterable<Uint8Array>): Promise<ArtifactRow> {
    const temporary = safeJoin(unfinished, randomUUID())
    try {
      const hash = createHash('sha256')
      let bytes = 0
      const file = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o400)
      try {
        for await (const chunk of content) {
          bytes += chunk.byteLength
          if (bytes > maxBytes) {
            throw new ArtifactError('artifact_too_large', `An artifact may have ${maxBytes} bytes at most.`)
          }
          hash.update(chunk)
          await writeAll(file, chunk)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      const digest = hash.digest('hex')
      return await inTurn(digest, async () => {
        const path = pathOf({ digest })
        const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await rename(temporary, path)
        await syncFolder(dirname(path))
        if (created !== undefined) await syncFolder(root)
        return addRow(about, { digest, bytes })
      })
    } finally {
      await rm(temporary, { force: true })
    }
  }

  async function addRow(
    about: Description,
    content: { digest: string; bytes: number },
  ): Promise<ArtifactRow> {
    const { executionId, nodeId, name, contentType } = about
    const { artifactId = ids.artifact() } = about
    const row = { artifactId, executionId, nodeId, name, contentType, ...content, createdAt: clock.now() }
    await rows.insert(row)
    return row
  }

  return {
    async putFile(artifact) {
      checkDescription(artifact)
      const source = await openPlainFile(artifact.path)
      try {
        return await keep(artifact, source.createReadStream({ autoClose: false }))
      } finally {
        await source.close()
      }
    },
    async putBytes(artifact) {
      checkDescription(artifact)
      return keep(artifact, once(artifact.bytes))
    },
    digestOf,
    contentOf(digest) {
      let content: Uint8Array
      try {
        content = readFileSync(pathOf({ digest }))
      } catch {
        return null
      }
      return digestOf(content) === digest ? content : null
    },
    async share(row, executionId) {
      await inTurn(row.digest, () => rows.insert({ ...row, executionId }))
    },
    async discard(digest) {
      await inTurn(digest, async () => {
        if (!(await rows.isUsed(digest))) await rm(pathOf({ digest }), { force: true })
      })
    },
    get: (executionId, artifactId) => rows.get(executionId, artifactId),
    list: (executionId) => rows.list(executionId),
    open(row, range) {
      if (range !== undefined) checkRange(row, range)
      return createReadStream('', { fd: openContent(pathOf(row)), ...range })
    },
    pathOf,
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let at = 0
  while (at < chunk.byteLength) at += (await file.write(chunk, at)).bytesWritten
}

/** A rename is on disk when its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Opens what a worker left, if it is a file: neither a link nor a pipe that never ends (hence the flags). */
async function openPlainFile(path: string): Promise<FileHandle> {
  let source: FileHandle
  try {
    source = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    throw new ArtifactError('not_a_file', 'The file that should become an artifact cannot be opened.', {
      cause: error,
    })
  }
  if ((await source.stat()).isFile()) return source
  await source.close()
  throw new ArtifactError('not_a_file', 'Only a plain file can become an artifact.')
}

function openContent(path: string): number {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW)
  } catch (error) {
    throw new ArtifactError('artifact_missing', 'The content of this artifact is not in the data folder.', {
      cause: error,
    })
  }
}

function checkDescription({ name, contentType }: Description): void {
  if (name.length === 0 || name.length > NAME_MAX || hasControl(name)) {
    throw new ArtifactError(
      'invalid_artifact',
      `An artifact's name has 1 to ${NAME_MAX} printable characters.`,
    )
  }
  if (!CONTENT_TYPE.test(contentType)) {
    throw new ArtifactError(
      'invalid_artifact',
      `${JSON.stringify(contentType.slice(0, 80))} is no content type.`,
    )
  }
}

function checkRange(row: ArtifactRow, { start, end }: { start: number; end: number }): void {
  const whole = Number.isSafeInteger(start) && Number.isSafeInteger(end)
  if (!whole || start < 0 || end < start || end >= row.bytes) {
    throw new ArtifactError('invalid_range', `The range ${start}-${end} is not within ${row.bytes} bytes.`)
  }
}
