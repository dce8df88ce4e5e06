import { createHash, randomUUID } from 'node:crypto'
import { constants, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ArtifactError } from './artifact-error'
import { safeJoin } from './safe-join'

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/** A content of which the file is on disk. */
export type Content = { readonly digest: string; readonly bytes: number }

/**
 * The files of contents below `root`, named by their SHA-256: a content is written once and never changes, equal contents share a
 * file. Errors: ArtifactError `artifact_too_large`, `artifact_missing`, `unsafe_name`.
 */
export function openContentFiles(root: string, { maxBytes }: { readonly maxBytes: number }) {
  const unfinished = join(root, 'unfinished')
  // What an earlier process left half written belongs to nobody.
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })

  function pathOf({ digest }: Pick<Content, 'digest'>): string {
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

  async function write(path: string, content: AsyncIterable<Uint8Array>): Promise<Content> {
    const hash = createHash('sha256')
    let bytes = 0
    const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o400)
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
    return { digest: hash.digest('hex'), bytes }
  }

  return {
    pathOf,
    inTurn,

    /**
     * Copies a content, then does `work` in its turn: bytes to a temporary name, flushed; renamed, folder flushed. Copies,
     * because the worker that made a file may still hold it open, and what is hashed must be what is stored.
     */
    async put<T>(content: AsyncIterable<Uint8Array>, work: (content: Content) => Promise<T>): Promise<T> {
      const temporary = safeJoin(unfinished, randomUUID())
      try {
        const written = await write(temporary, content)
        return await inTurn(written.digest, async () => {
          const path = pathOf(written)
          const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
          await rename(temporary, path)
          await syncFolder(dirname(path))
          if (created !== undefined) await syncFolder(root)
          return work(written)
        })
      } finally {
        await rm(temporary, { force: true })
      }
    },

    /** The whole content; null when its file is missing or was changed. */
    read(digest: string): Uint8Array | null {
      let content: Uint8Array
      try {
        content = readFileSync(pathOf({ digest }))
      } catch {
        return null
      }
      return digestOf(content) === digest ? content : null
    },

    /** An open file descriptor of the content. */
    open(content: Pick<Content, 'digest'>): number {
      const path = pathOf(content)
      try {
        return openSync(path, O_RDONLY | O_NOFOLLOW)
      } catch (error) {
        throw new ArtifactError(
          'artifact_missing',
          'The content of this artifact is not in the data folder.',
          { cause: error },
        )
      }
    },

    remove: (digest: string): Promise<void> => rm(pathOf({ digest }), { force: true }),
  }
}

export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
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
