import { constants, createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ArtifactRows, ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Ids } from '@/server/ports/ids'
import type { ArtifactRow } from '@/server/ports/registry'
import { ArtifactError } from './artifact-error'
import { digestOf, openContentFiles } from './content-files'
import { hasControl } from './safe-join'

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

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
 * Artifacts: their contents in files by digest, and a row for each. The row is inserted when its content is on disk, so a row
 * never stands for a content that a power cut took away.
 * Errors: ArtifactError `invalid_artifact`, `not_a_file`, `artifact_too_large`, `invalid_range`, `artifact_missing`.
 */
export function openArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  const { rows, ids, clock, maxBytes = ARTIFACT_BYTES_MAX } = options
  const files = openContentFiles(resolve(options.dataDir, 'artifacts'), { maxBytes })

  const put = (about: Description, content: AsyncIterable<Uint8Array>): Promise<ArtifactRow> =>
    files.put(content, async ({ digest, bytes }) => {
      const { executionId, nodeId, name, contentType, artifactId = ids.artifact() } = about
      const createdAt = clock.now()
      const row = { artifactId, executionId, nodeId, name, contentType, digest, bytes, createdAt }
      await rows.insert(row)
      return row
    })

  return {
    async putFile(artifact) {
      checkDescription(artifact)
      const source = await openPlainFile(artifact.path)
      try {
        return await put(artifact, source.createReadStream({ autoClose: false }))
      } finally {
        await source.close()
      }
    },
    async putBytes(artifact) {
      checkDescription(artifact)
      return put(artifact, once(artifact.bytes))
    },
    digestOf,
    contentOf: files.read,
    async share(row, executionId) {
      await files.inTurn(row.digest, () => rows.insert({ ...row, executionId }))
    },
    async discard(digest) {
      await files.inTurn(digest, async () => {
        if (!(await rows.isUsed(digest))) await files.remove(digest)
      })
    },
    get: (executionId, artifactId) => rows.get(executionId, artifactId),
    list: (executionId) => rows.list(executionId),
    open(row, range) {
      if (range !== undefined) checkRange(row, range)
      return createReadStream('', { fd: files.open(row), ...range })
    },
    pathOf: files.pathOf,
  }
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
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
