import { createReadStream, createWriteStream } from 'node:fs'
import { constants, copyFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Content } from './worker-protocol'

/** Where a content lies on this machine. Known only to this process: over a wire a content is a stream and nothing else. */
const paths = new WeakMap<Content, string>()

/** The content of a file on this machine. */
export function localContent(path: string, bytes: number): Content {
  const content: Content = { bytes, open: () => createReadStream(path) }
  paths.set(content, path)
  return content
}

/** The path of a content that lies on this machine, or null. Lets a worker of this process clone or hand over a file without reading it. */
export function localPathOf(content: Content): string | null {
  return paths.get(content) ?? null
}

/** Writes a content to a new file: a copy-on-write clone where it lies on this machine and the file system has them. */
export async function writeContent(content: Content, path: string): Promise<void> {
  const local = localPathOf(content)
  if (local !== null) return copyFile(local, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
  await pipeline(content.open(), createWriteStream(path, { flags: 'wx' }))
}
